import { sql } from 'kysely';
import type { CfgMessage } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { SettingChange } from '#database/tables/settings.ts';
import { ownedSince } from '#server/core/ownership.ts';
import { type Answer, type Desired, flatten, type Reported } from './settings.rules.ts';

export interface Known {
  revision: number;
  /** Null: the device has not reported its settings. */
  reported: Reported | null;
  reportedRev: number | null;
  reportedAt: Date | null;
}
const changesShown = 50;

/** Deleted devices are sent nothing more. */
export const withdrawPending = async (trx: Db, deviceIds: readonly number[]): Promise<void> => {
  await trx
    .updateTable('device_settings')
    .set({ due_at: null })
    .where('device_id', 'in', deviceIds)
    .execute();
  await trx
    .deleteFrom('device_desired')
    .where('device_id', 'in', deviceIds)
    .where('state', '=', 'pending')
    .execute();
};

export const settingsStore = (db: Db) => ({
  async known(deviceId: number): Promise<Known> {
    const row = await db
      .selectFrom('device_settings')
      .selectAll()
      .where('device_id', '=', deviceId)
      .executeTakeFirst();
    return {
      revision: row?.revision ?? 0,
      reported: row?.reported ?? null,
      reportedRev: row?.reported_rev ?? null,
      reportedAt: row?.reported_at ?? null,
    };
  },

  /**
   * The settings of a device with their row locked until the transaction ends; the row is created if missing.
   * Lock order: by device id.
   */
  async hold(deviceIds: readonly number[]): Promise<Map<number, Known>> {
    const ids = [...new Set(deviceIds)].sort((a, b) => a - b);
    const held = () =>
      db
        .selectFrom('device_settings')
        .selectAll()
        .where('device_id', 'in', ids)
        .orderBy('device_id')
        .forUpdate()
        .execute();
    let rows = await held();
    if (rows.length < ids.length) {
      await sql`insert into device_settings (device_id) select unnest(${ids}::int[]) order by 1
        on conflict do nothing`.execute(db);
      rows = await held();
    }
    return new Map(
      rows.map((row) => [
        row.device_id,
        {
          revision: row.revision,
          reported: row.reported,
          reportedRev: row.reported_rev,
          reportedAt: row.reported_at,
        },
      ]),
    );
  },

  /** The device's last report, as the link stored it. */
  async reported(
    deviceId: number,
  ): Promise<{ rev: number; at: Date; values: Reported; answer: Answer | null } | null> {
    const row = await db
      .selectFrom('device_reported')
      .selectAll()
      .where('device_id', '=', deviceId)
      .where('kind', '=', 'cfg')
      .executeTakeFirst();
    if (!row) return null;
    const payload = row.payload as unknown as CfgMessage;
    const { rev, id, st, why } = payload;
    return {
      rev,
      at: row.received_at,
      values: flatten(payload),
      answer: id !== undefined && st !== undefined ? { id, st, why } : null,
    };
  },

  async desired(deviceId: number) {
    const rows = await db
      .selectFrom('device_desired')
      .selectAll()
      .select(ownedSince('device_desired.device_id').as('owned_since'))
      .where('device_id', '=', deviceId)
      .orderBy('kind')
      .orderBy('place')
      .orderBy('key')
      .execute();
    return rows.map((row) => ({
      ...row,
      // The present owner does not see an author from a former owner.
      operator: row.wished_at < row.owned_since ? null : row.operator,
      messageId: row.message_id,
    })) satisfies Desired[];
  },

  addChanges(
    deviceId: number,
    revision: number,
    at: Date,
    operator: string | null,
    changes: readonly SettingChange[],
  ) {
    return db
      .insertInto('setting_changes')
      .values({ device_id: deviceId, revision, at, operator, changes: JSON.stringify(changes) })
      .execute();
  },
  /** Changes after a revision, oldest first. */
  changesSince(deviceId: number, revision: number) {
    return db
      .selectFrom('setting_changes')
      .select(['revision', 'at', 'operator', 'changes'])
      .where('device_id', '=', deviceId)
      .where('revision', '>', revision)
      .where('at', '>=', ownedSince('setting_changes.device_id'))
      .orderBy('revision')
      .limit(changesShown)
      .execute();
  },

  /**
   * With `lease` the time is set only if nothing became due meanwhile; otherwise new desired values would be
   * overlooked.
   */
  async setDue(deviceId: number, at: Date | null, lease?: Date): Promise<void> {
    await db
      .updateTable('device_settings')
      .set({ due_at: at })
      .where('device_id', '=', deviceId)
      .$if(lease !== undefined, (update) => update.where('due_at', '=', lease!))
      .execute();
  },
});
