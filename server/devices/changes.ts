import { createHash, randomBytes } from 'node:crypto';
import { usualRatedCurrent } from '#contract/alarm-catalogue.ts';
import { type deviceEndpoints, linesOfType } from '#contract/devices.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { type DeviceType, detectorTypes, switchingTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import type { ForeignNames } from '#server/core/foreign-names.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { forgetOrder } from '#server/core/report-order.ts';
import { holds, inScope, type Scope } from '#server/core/scope.ts';
import { mustSeeProject } from '#server/core/visible-project.ts';
import { deviceInScope } from './devices.store.ts';

type NewDevice = BodyOf<typeof deviceEndpoints.add>;
type LineDraft = NonNullable<NewDevice['lines']>[number];
export interface Place {
  project_id: number | null;
  part_id: number | null;
}

/**
 * 256 random bits; the database stores only their hash. A spreadsheet that opens the list of secrets would take one
 * with a leading '-' for a formula.
 */
const newSecret = () => {
  const secret = randomBytes(32).toString('base64url').replace(/^-/, '_');
  return { secret, hash: createHash('sha256').update(secret).digest() };
};

export const deviceChanges = (trx: Db) => ({
  async add(scope: Scope, given: NewDevice, at: Date, foreign: ForeignNames) {
    foreign.admit();
    const place = await placeFor(trx, scope, given);
    const type = given.type as DeviceType;
    const { most } = linesOfType[type];
    const drafts = given.lines?.length ? given.lines : [{}];
    if (drafts.length > most) fault('request.invalid', { fields: { lines: 'device.lines' }, with: { most } });
    const [made] = await this.addMany([{ ...given, type, place, lines: drafts, expires_on: null }], at);
    if (!made) {
      const code =
        (await numbersInScope(trx, scope, [given.number])).size > 0 ? 'device.taken' : 'device.elsewhere';
      if (code === 'device.elsewhere') foreign.met(1);
      return fault(code, { fields: { number: code } });
    }
    return { ...made, project_id: place.project_id };
  },

  /**
   * Adds devices in a constant number of statements; a device whose number was taken meanwhile is left out.
   */
  async addMany(
    given: readonly {
      number: string;
      name: string;
      type: DeviceType;
      place: Place;
      address: string;
      lines: readonly LineDraft[];
      expires_on: string | null;
    }[],
    at: Date,
  ): Promise<{ device_id: number; number: string; secret: string }[]> {
    if (given.length === 0) return [];
    const secrets = given.map(() => newSecret());
    const made = await trx
      .insertInto('devices')
      .values(
        given.map(({ number, name, type, place, address, expires_on }, index) => ({
          number,
          name,
          type,
          secret_hash: secrets[index]!.hash,
          ...place,
          bound_at: place.project_id === null ? null : at,
          address,
          registered_at: at,
          expires_on,
        })),
      )
      .onConflict((conflict) => conflict.column('number').where('deleted_at', 'is', null).doNothing())
      .returning(['id', 'number'])
      .execute();
    if (made.length === 0) return [];
    const indexOf = new Map(given.map(({ number }, index) => [number, index]));
    await trx
      .insertInto('device_state')
      .values(made.map(({ id }) => ({ device_id: id })))
      .execute();
    await trx
      .insertInto('lines')
      .values(
        made.flatMap(({ id, number }) => {
          const { type, lines } = given[indexOf.get(number)!]!;
          return linesFor(id, type, lines, at);
        }),
      )
      .execute();
    return made.map(({ id, number }) => ({
      device_id: id,
      number,
      secret: secrets[indexOf.get(number)!]!.secret,
    }));
  },

  async resetSecret(scope: Scope, deviceId: number) {
    const device = await deviceInScope(trx, scope, deviceId);
    const { secret, hash } = newSecret();
    await trx
      .updateTable('devices')
      .set((row) => ({ secret_hash: hash, revision: row('revision', '+', 1) }))
      .where('id', '=', deviceId)
      .execute();
    await forgetOrder(trx, deviceId);
    return { device_id: deviceId, number: device.number, secret, project_id: device.project_id };
  },
});

/**
 * The numbers that devices in the scope have. The caller may not learn whether a device outside the scope has
 * one.
 */
export const numbersInScope = async (
  trx: Db,
  scope: Scope,
  numbers: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await trx
    .selectFrom('devices')
    .select('number')
    .where('number', 'in', numbers)
    .where(notDeleted('devices'))
    .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
    .execute();
  return new Set(rows.map((row) => row.number));
};

/**
 * The project of a new device. Only users who see everything may leave it unbound, because others would lose
 * sight of it.
 */
export const placeFor = async (
  trx: Db,
  scope: Scope,
  given: { project_id?: number | undefined; part_id?: number | undefined },
): Promise<Place> => {
  if (given.project_id === undefined) {
    if (!scope.all) fault('request.invalid', { fields: { project_id: 'project.choose' } });
    if (given.part_id !== undefined) fault('request.invalid', { fields: { part_id: 'part.missing' } });
    return { project_id: null, part_id: null };
  }
  const part_id = given.part_id ?? null;
  // A part of the caller’s own says nothing about a project of somebody else.
  await mustSeeProject(trx, scope, given.project_id);
  if (!holds(scope, given.project_id, part_id)) fault('project.missing');
  if (part_id !== null) {
    const part = await trx
      .selectFrom('project_parts')
      .select('id')
      .where('id', '=', part_id)
      .where('project_id', '=', given.project_id)
      .executeTakeFirst();
    if (!part) fault('request.invalid', { fields: { part_id: 'part.missing' } });
  }
  return { project_id: given.project_id, part_id };
};

const linesFor = (device_id: number, type: DeviceType, drafts: readonly LineDraft[], created_at: Date) => {
  const { poles } = linesOfType[type];
  const itself = { device_id, n: 0, name: '', rated_current: null, poles, switchable: false, created_at };
  return [
    itself,
    ...drafts.map((draft, index) => ({
      device_id,
      n: index + 1,
      name: draft.name || `L${index + 1}`,
      rated_current: draft.rated_current ?? usualRatedCurrent(type),
      poles,
      switchable: !detectorTypes.includes(type) && (draft.switchable ?? switchingTypes.includes(type)),
      created_at,
    })),
  ];
};
