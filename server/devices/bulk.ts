import { sql } from 'kysely';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { Db } from '#database/connect.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { endOwnerships } from '#server/core/ownership.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { jobStore } from '#server/device-jobs/jobs.store.ts';
import { withdrawPending } from '#server/device-settings/settings.store.ts';
import { leaveSupplied } from '#server/lines/lines.store.ts';
import { rebuildMoved } from '#server/rollups/rebuild.ts';
import { placeFor } from './changes.ts';
import { type Kept, keptByTags } from './under-tag.ts';

/** The result of an act for one device. */
export interface Outcome {
  id: number;
  result: 'done' | 'skipped' | 'denied';
  reason: FaultCode | null;
}
export interface Done {
  outcomes: Outcome[];
  /** The devices in the scope, as they were before. */
  held: ReadonlyMap<number, Held>;
}
interface Held {
  id: number;
  number: string;
  project_id: number | null;
  part_id: number | null;
}

/**
 * Acts on many devices in the given transaction, each checked by itself; a device outside the scope gets the
 * same result as an unknown one.
 */
export const deviceBulk = (trx: Db) => {
  /** Locked rows of the devices in the scope, in order of id. */
  const hold = (scope: Scope, ids: readonly number[]): Promise<Held[]> =>
    trx
      .selectFrom('devices')
      .select(['id', 'number', 'project_id', 'part_id'])
      .where('id', 'in', ids)
      .where(notDeleted('devices'))
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
  const act = async (
    scope: Scope,
    ids: readonly number[],
    refuses: (row: Held, kept: Kept) => FaultCode | null,
    set: object,
    moved?: { at: Date; to: number | null },
  ): Promise<Done & { ids: number[] }> => {
    const asked = [...new Set(ids)];
    if (asked.length === 0) return { outcomes: [], ids: [], held: new Map() };
    const held = new Map((await hold(scope, asked)).map((row) => [row.id, row]));
    const kept = await keptByTags(trx, [...held.keys()]);
    const outcomes = asked.map((id): Outcome => {
      const row = held.get(id);
      if (!row) return { id, result: 'denied', reason: 'device.missing' };
      const reason = refuses(row, kept);
      return { id, result: reason === null ? 'done' : 'skipped', reason };
    });
    const done = outcomes.filter(({ result }) => result === 'done').map(({ id }) => id);
    if (moved) await leave(trx, done, moved);
    if (done.length > 0)
      await trx
        .updateTable('devices')
        .set((row) => ({ ...set, revision: row('revision', '+', 1) }))
        .where('id', 'in', done)
        .execute();
    return { outcomes, ids: done, held };
  };
  const nowhere = { project_id: null, part_id: null, bound_at: null };

  return {
    /**
     * Moves devices into a project: unbound ones by users who see them, devices of another project by users
     * who see both.
     */
    async bind(
      scope: Scope,
      ids: readonly number[],
      to: { project_id: number; part_id?: number | undefined },
      at: Date,
    ): Promise<Done> {
      const place = await placeFor(trx, scope, to);
      const isThere = (row: Held) => row.project_id === place.project_id && row.part_id === place.part_id;
      const refuses = (row: Held, { byProject }: Kept) => {
        if (isThere(row)) return 'device.boundThere';
        return row.project_id !== place.project_id && byProject.has(row.id) ? 'device.tagged' : null;
      };
      return act(
        scope,
        ids,
        refuses,
        // A device that only changes its part stays bound.
        {
          ...place,
          bound_at: sql`case when project_id = ${place.project_id} then bound_at else ${at}::timestamptz end`,
        },
        { at, to: place.project_id },
      );
    },

    /** Removes devices from their projects. */
    unbind(scope: Scope, ids: readonly number[], at: Date): Promise<Done> {
      const refuses = ({ id, project_id }: Held, { byProject }: Kept) => {
        if (project_id === null) return 'device.notBound';
        return byProject.has(id) ? 'device.tagged' : null;
      };
      return act(scope, ids, refuses, nowhere, { at, to: null });
    },

    expiry(scope: Scope, ids: readonly number[], expiresOn: string | null): Promise<Done> {
      return act(scope, ids, () => null, { expires_on: expiresOn });
    },

    /** Deletes devices: no project, no access, and the number free again. Their history stays. */
    async delete(scope: Scope, asked: readonly number[], at: Date): Promise<Done> {
      const refuses = ({ id }: Held, { byTag }: Kept) => (byTag.has(id) ? 'device.tagged' : null);
      const { ids, ...done } = await act(
        scope,
        asked,
        refuses,
        {
          ...nowhere,
          deleted_at: at,
          // no secret has this hash, so nobody can connect
          secret_hash: Buffer.alloc(0),
        },
        { at, to: null },
      );
      if (ids.length === 0) return done;
      await withdrawPending(trx, ids);
      await jobStore(trx).endWaiting(ids, 'denied', 'device.missing');
      await trx
        .updateTable('device_state')
        .set({ online: false, online_changed_at: at })
        .where('device_id', 'in', ids)
        .execute();
      return done;
    },
  };
};

/**
 * Everything that a change of project or part means for the devices' past and their lines. Called in the
 * transaction of the move, before it.
 */
export const leave = async (
  trx: Db,
  ids: readonly number[],
  { at, to }: { at: Date; to: number | null },
): Promise<void> => {
  if (ids.length === 0) return;
  await endOwnerships(trx, ids, at);
  await rebuildMoved(trx, ids, to);
  await leaveSupplied(trx, ids, to);
  if (to !== null) await forgetPersons(trx, ids, to);
};

/** A device that leaves a project loses that project's contacts, address, position and picture. */
const forgetPersons = async (trx: Db, ids: readonly number[], projectId: number): Promise<void> => {
  await sql`
    update devices set contacts = '[]', address = '', lat = null, lng = null, image_id = null
    where id = any(${[...ids]}::int[]) and exists (
      select from (select project_id from device_past_owners past where past.device_id = devices.id
        order by until desc limit 1) former
      where former.project_id <> ${projectId})`.execute(trx);
};
