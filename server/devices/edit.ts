import { sql } from 'kysely';
import type { deviceEndpoints } from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { categoryOptions } from '#server/categories/categories.store.ts';
import type { DeviceChange } from '#server/core/bus.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inOwnTime } from '#server/core/ownership.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import type { Caller } from '#server/core/session.ts';
import { leave } from './bulk.ts';
import { placeFor } from './changes.ts';
import { deviceInScope } from './devices.store.ts';
import { keptByTags } from './under-tag.ts';

type Form = ReplyOf<typeof deviceEndpoints.form>;
type Stored = Awaited<ReturnType<typeof deviceInScope>>;

export const formOf = (device: Stored): Form => ({
  device_id: device.id,
  number: device.number,
  type: device.type,
  name: device.name,
  model: device.model,
  address: device.address,
  lat: device.lat,
  lng: device.lng,
  project_id: device.project_id,
  part_id: device.part_id,
  category_id: device.category_id,
  contacts: device.contacts,
  image_id: device.image_id,
  imei: device.imei,
  imsi: device.imsi,
  iccid: device.iccid,
  expires_on: device.expires_on,
  upload_seconds: device.upload_seconds,
  revision: device.revision,
});

export const deviceEdits = (trx: Db) => {
  /** The device to edit, its row locked; refused with its present values if it changed since `revision`. */
  const hold = async (scope: Scope, deviceId: number, revision: number): Promise<Stored> => {
    await trx.selectFrom('devices').select('id').where('id', '=', deviceId).forNoKeyUpdate().execute();
    const device = await deviceInScope(trx, scope, deviceId);
    if (device.revision === revision) return device;
    const last = await trx
      .selectFrom('operation_log')
      .select(['operator', 'at'])
      .where('device_id', '=', deviceId)
      .where('outcome', '=', 'done')
      .where(inOwnTime(scope, 'operation_log.device_id', 'operation_log.at'))
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return fault('thing.changed', {
      data: {
        revision: device.revision,
        current: formOf(device),
        operator: last?.operator ?? null,
        at: last?.at.toISOString() ?? null,
      },
    });
  };
  const write = async (device: Stored, set: object) => {
    await trx
      .updateTable('devices')
      .set((row) => ({ ...set, revision: row('revision', '+', 1) }))
      .where('id', '=', device.id)
      .execute();
    return {
      ...{ device_id: device.id, revision: device.revision + 1, project_id: device.project_id },
      what: 'record' as DeviceChange,
    };
  };

  const checkCategory = async (wanted: number | null | undefined, known: number | null) => {
    if (wanted === undefined || wanted === null || wanted === known) return;
    const { list } = await categoryOptions(trx);
    if (!list.some(({ id }) => id === wanted))
      fault('request.invalid', { fields: { category_id: 'category.missing' } });
  };

  return {
    async change(caller: Caller, body: BodyOf<typeof deviceEndpoints.change>, at: Date) {
      const device = await hold(caller.scope, body.device_id, body.revision);
      const { device_id: _, revision: __, project_id, part_id, ...plain } = body;
      await checkCategory(plain.category_id, device.category_id);
      const moves =
        (project_id !== undefined && project_id !== device.project_id) ||
        (part_id !== undefined && part_id !== device.part_id);
      if (!moves) return write(device, plain);
      if (!caller.permissions.has('device.bind')) fault('permission.denied');
      const project = project_id === undefined ? device.project_id : project_id;
      if (project !== device.project_id && (await keptByTags(trx, [device.id])).byProject.has(device.id))
        fault('device.tagged');
      const part = part_id === undefined && project === device.project_id ? device.part_id : part_id;
      const place = await placeFor(trx, caller.scope, {
        project_id: project ?? undefined,
        part_id: part ?? undefined,
      });
      const bound_at = project === device.project_id ? device.bound_at : project === null ? null : at;
      await leave(trx, [device.id], { at, to: place.project_id });
      return { ...(await write(device, { ...plain, ...place, bound_at })), what: 'place' as const };
    },

    async contacts(scope: Scope, body: BodyOf<typeof deviceEndpoints.contacts>) {
      const device = await hold(scope, body.device_id, body.revision);
      const contacts = body.contacts.filter(({ name, phone }) => name !== '' || phone !== '');
      return { ...(await write(device, { contacts: JSON.stringify(contacts) })), contacts };
    },

    async image(caller: Caller, body: BodyOf<typeof deviceEndpoints.image>) {
      const device = await hold(caller.scope, body.device_id, body.revision);
      if (body.image_id !== null && body.image_id !== device.image_id) {
        const image = await trx
          .selectFrom('uploads')
          .select('id')
          .where('id', '=', body.image_id)
          .$if(!caller.scope.all, (query) => query.where('created_by', '=', caller.userId))
          .executeTakeFirst();
        if (!image) fault('request.invalid', { fields: { image_id: 'upload.unknown' } });
      }
      return write(device, { image_id: body.image_id });
    },

    async iccid(scope: Scope, body: BodyOf<typeof deviceEndpoints.iccid>) {
      const device = await hold(scope, body.device_id, body.revision);
      // Held until the commit: another device that takes the same SIM card waits here, and then finds this
      // one.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`iccid ${body.iccid}`}, 0))`.execute(trx);
      const other = await trx
        .selectFrom('devices')
        .select('id')
        .where('iccid', '=', body.iccid)
        .where('id', '<>', device.id)
        .where(notDeleted('devices'))
        // The caller may not learn whether another tenant has the SIM card.
        .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
        .executeTakeFirst();
      if (other) fault('sim.taken', { fields: { iccid: 'sim.taken' } });
      return write(device, { iccid: body.iccid });
    },
  };
};
