import type { deviceEndpoints } from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import type { Caller } from '#server/core/session.ts';
import { placeFor } from './devices.changes.ts';
import { deviceInScope } from './devices.store.ts';

type Form = ReplyOf<typeof deviceEndpoints.form>;
type Results = ReplyOf<typeof deviceEndpoints.bind>['results'];
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
  /** The device for an edit, its row held; one that changed since `revision` is refused, and told what it is now. */
  const hold = async (scope: Scope, deviceId: number, revision: number): Promise<Stored> => {
    await trx.selectFrom('devices').select('id').where('id', '=', deviceId).forNoKeyUpdate().execute();
    const device = await deviceInScope(trx, scope, deviceId);
    if (device.revision === revision) return device;
    const last = await trx
      .selectFrom('operation_log')
      .select(['operator', 'at'])
      .where('device_id', '=', deviceId)
      .where('outcome', '=', 'done')
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
    return { device_id: device.id, revision: device.revision + 1, project_id: device.project_id };
  };
  /** Held rows of those devices that lie in the scope, in order of id. */
  const holdMany = (scope: Scope, deviceIds: readonly number[]) =>
    trx
      .selectFrom('devices')
      .select(['id', 'number', 'project_id', 'part_id'])
      .where('id', 'in', deviceIds)
      .where('deleted_at', 'is', null)
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
  const answers = (
    asked: readonly number[],
    known: ReadonlySet<number>,
    done: ReadonlySet<number>,
    language: Language,
  ): Results =>
    asked.map((id) =>
      done.has(id)
        ? { id, result: 'done' }
        : known.has(id)
          ? { id, result: 'skipped' }
          : { id, result: 'denied', message: sentence('device.missing', language) },
    );

  return {
    async change(caller: Caller, body: BodyOf<typeof deviceEndpoints.change>, at: Date) {
      const device = await hold(caller.scope, body.device_id, body.revision);
      const { device_id: _, revision: __, project_id, part_id, ...plain } = body;
      const moves =
        (project_id !== undefined && project_id !== device.project_id) ||
        (part_id !== undefined && part_id !== device.part_id);
      if (!moves) return write(device, plain);
      if (!caller.permissions.has('device.bind')) fault('permission.denied');
      const project = project_id === undefined ? device.project_id : project_id;
      const part = part_id === undefined && project === device.project_id ? device.part_id : part_id;
      const place = await placeFor(trx, caller.scope, {
        project_id: project ?? undefined,
        part_id: part ?? undefined,
      });
      const bound_at = project === device.project_id ? device.bound_at : project === null ? null : at;
      return write(device, { ...plain, ...place, bound_at });
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
      const other = await trx
        .selectFrom('devices')
        .select('id')
        .where('iccid', '=', body.iccid)
        .where('id', '<>', device.id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (other) fault('sim.taken', { fields: { iccid: 'sim.taken' } });
      return write(device, { iccid: body.iccid });
    },

    async expiry(scope: Scope, deviceIds: readonly number[], expiresOn: string | null, language: Language) {
      const rows = await holdMany(scope, deviceIds);
      const known = new Set(rows.map((row) => row.id));
      if (known.size > 0)
        await trx
          .updateTable('devices')
          .set((row) => ({ expires_on: expiresOn, revision: row('revision', '+', 1) }))
          .where('id', 'in', [...known])
          .execute();
      return answers(deviceIds, known, known, language);
    },

    /** Takes devices into a project: unbound ones by those who see them, others' by those who see both. */
    async bind(scope: Scope, body: BodyOf<typeof deviceEndpoints.bind>, at: Date, language: Language) {
      const place = await placeFor(trx, scope, body);
      const rows = await holdMany(scope, body.device_ids);
      const known = new Set(rows.map((row) => row.id));
      const moving = new Set(
        rows
          .filter((row) => row.project_id !== place.project_id || row.part_id !== place.part_id)
          .map((row) => row.id),
      );
      if (moving.size > 0)
        await trx
          .updateTable('devices')
          .set((row) => ({ ...place, bound_at: at, revision: row('revision', '+', 1) }))
          .where('id', 'in', [...moving])
          .execute();
      return answers(body.device_ids, known, moving, language);
    },

    /** Ends devices: no project, no way in, and the number free again. What happened with them stays. */
    async delete(scope: Scope, deviceIds: readonly number[], at: Date, language: Language) {
      const rows = await holdMany(scope, deviceIds);
      const ids = rows.map((row) => row.id);
      if (ids.length > 0) {
        await trx
          .updateTable('devices')
          .set((row) => ({
            project_id: null,
            part_id: null,
            bound_at: null,
            deleted_at: at,
            // nothing hashes to it
            secret_hash: Buffer.alloc(0),
            revision: row('revision', '+', 1),
          }))
          .where('id', 'in', ids)
          .execute();
        await trx
          .updateTable('device_state')
          .set({ online: false, online_changed_at: at })
          .where('device_id', 'in', ids)
          .execute();
        await trx
          .updateTable('device_settings')
          .set({ due_at: null })
          .where('device_id', 'in', ids)
          .execute();
      }
      const known = new Set(ids);
      return {
        results: answers(deviceIds, known, known, language),
        numbers: rows.map((row) => row.number),
      };
    },
  };
};
