import { createHash, randomBytes } from 'node:crypto';
import { type deviceEndpoints, linesOfType } from '#contract/devices.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { type DeviceType, switchingTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { holds, type Scope } from '#server/core/scope.ts';
import { deviceInScope } from './devices.store.ts';

type NewDevice = BodyOf<typeof deviceEndpoints.add>;

/** 256 random bits; the database keeps only their hash. */
const newSecret = () => {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: createHash('sha256').update(secret).digest() };
};

export const deviceChanges = (trx: Db) => ({
  async add(scope: Scope, given: NewDevice, at: Date) {
    const place = await placeFor(trx, scope, given);
    const type = given.type as DeviceType;
    const { most } = linesOfType[type];
    const drafts = given.lines?.length ? given.lines : [{}];
    if (drafts.length > most) fault('request.invalid', { fields: { lines: 'device.lines' }, with: { most } });
    const { secret, hash } = newSecret();
    const device =
      (await trx
        .insertInto('devices')
        .values({
          number: given.number,
          name: given.name,
          type,
          secret_hash: hash,
          ...place,
          bound_at: place.project_id === null ? null : at,
          address: given.address,
          registered_at: at,
        })
        .onConflict((conflict) => conflict.column('number').where('deleted_at', 'is', null).doNothing())
        .returning('id')
        .executeTakeFirst()) ?? fault('device.taken', { fields: { number: 'device.taken' } });
    await trx.insertInto('device_state').values({ device_id: device.id }).execute();
    await trx
      .insertInto('lines')
      .values(linesFor(device.id, type, drafts, at))
      .execute();
    return { device_id: device.id, number: given.number, secret, project_id: place.project_id };
  },

  async resetSecret(scope: Scope, deviceId: number) {
    const device = await deviceInScope(trx, scope, deviceId);
    const { secret, hash } = newSecret();
    await trx
      .updateTable('devices')
      .set((row) => ({ secret_hash: hash, revision: row('revision', '+', 1) }))
      .where('id', '=', deviceId)
      .execute();
    return { device_id: deviceId, number: device.number, secret, project_id: device.project_id };
  },
});

/** Where a new device goes. Only those who see everything may leave it unbound: others would lose sight of it. */
export const placeFor = async (
  trx: Db,
  scope: Scope,
  given: { project_id?: number | undefined; part_id?: number | undefined },
) => {
  if (given.project_id === undefined) {
    if (!scope.all) fault('request.invalid', { fields: { project_id: 'project.choose' } });
    if (given.part_id !== undefined) fault('request.invalid', { fields: { part_id: 'part.missing' } });
    return { project_id: null, part_id: null };
  }
  const part_id = given.part_id ?? null;
  if (!holds(scope, given.project_id, part_id)) fault('project.missing');
  const project = await trx
    .selectFrom('projects')
    .select('id')
    .where('id', '=', given.project_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!project) fault('project.missing');
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

const linesFor = (
  device_id: number,
  type: DeviceType,
  drafts: readonly NonNullable<NewDevice['lines']>[number][],
  created_at: Date,
) => {
  const { poles, ratedCurrent } = linesOfType[type];
  const itself = { device_id, n: 0, name: '', rated_current: null, poles, switchable: false, created_at };
  return [
    itself,
    ...drafts.map((draft, index) => ({
      device_id,
      n: index + 1,
      name: draft.name || `L${index + 1}`,
      rated_current: draft.rated_current ?? ratedCurrent,
      poles,
      switchable: draft.switchable ?? switchingTypes.includes(type),
      created_at,
    })),
  ];
};
