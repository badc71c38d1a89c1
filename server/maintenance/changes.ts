import { type SqlBool, sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { MaintenanceRow, maintenanceEndpoints } from '#contract/maintenance.ts';
import type { Db } from '#database/connect.ts';
import type { MaintenanceAlarm, MaintenanceLine } from '#database/tables/maintenance-records.ts';
import { holdDirectory } from '#server/control/facts.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { holds, inScope, type Scope } from '#server/core/scope.ts';
import type { Caller } from '#server/core/session.ts';
import { mustSeeProject } from '#server/core/visible-project.ts';
import { maintenanceStore } from './maintenance.store.ts';

type Given = BodyOf<typeof maintenanceEndpoints.add>;
/** A browser clock may be ahead of the server's. */
const clockSlackMs = 5 * 60_000;

/** Whether an edit says more about the work on the device: another kind or time of it, or another line. */
const recordsMore = (given: Given, before: MaintenanceRow): boolean =>
  given.kind !== before.kind ||
  Date.parse(given.maintenance_time) !== Date.parse(before.maintenance_time) ||
  given.line_ids.some((id) => !before.lines.some(({ line_id }) => line_id === id));

export const maintenanceChanges = (trx: Db) => {
  /**
   * The location of the work; without an address of its own, a record has that of the device, else of the
   * project. A user who manages parts only must name a device in one of them.
   */
  const placeOf = async (scope: Scope, { project_id, device_id, address }: Given) => {
    const project = await mustSeeProject(trx, scope, project_id);
    if (device_id === null) {
      if (!holds(scope, project_id, null))
        fault('request.invalid', { fields: { device_id: 'maintenance.deviceOfPart' } });
      return { part_id: null, device_number: '', device_name: '', address: address || project.address };
    }
    const device = await trx
      .selectFrom('devices')
      .select(['part_id', 'number', 'name', 'address'])
      .where('id', '=', device_id)
      .where('project_id', '=', project_id)
      .where(notDeleted('devices'))
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .executeTakeFirst();
    if (!device) return fault('request.invalid', { fields: { device_id: 'maintenance.device' } });
    return {
      part_id: device.part_id,
      device_number: device.number,
      device_name: device.name,
      address: address || device.address || project.address,
    };
  };

  /**
   * The linked lines and alarms with their present names; links that an edit keeps also keep their old names.
   */
  const linesOf = async ({ device_id, line_ids }: Given, kept: readonly MaintenanceLine[]) => {
    const asked = [...new Set(line_ids)];
    const known = kept.filter(({ line_id }) => asked.includes(line_id));
    const fresh = asked.filter((id) => !known.some(({ line_id }) => line_id === id));
    const rows: MaintenanceLine[] =
      fresh.length === 0
        ? []
        : await trx
            .selectFrom('lines')
            .select(['id as line_id', 'n', 'name'])
            .where('id', 'in', fresh)
            .where('device_id', '=', device_id ?? 0)
            .where('n', '>', 0)
            .execute();
    if (rows.length < fresh.length) fault('request.invalid', { fields: { line_ids: 'maintenance.lines' } });
    return [...known, ...rows].sort((a, b) => a.n - b.n);
  };
  const alarmsOf = async (scope: Scope, given: Given, kept: readonly MaintenanceAlarm[]) => {
    const asked = [...new Set(given.alarm_ids)];
    const known = kept.filter(({ id }) => asked.includes(id));
    const fresh = asked.filter((id) => !known.some((alarm) => alarm.id === id));
    const rows: MaintenanceAlarm[] =
      fresh.length === 0
        ? []
        : await trx
            .selectFrom('alarms')
            .select(['id', 'work_order', 'code as typeNumber'])
            .where('id', 'in', fresh)
            .where('project_id', '=', given.project_id)
            .where(notDeleted('alarms'))
            .where(sql<SqlBool>`${inScope(scope, 'alarms.project_id', 'alarms.part_id')}`)
            .execute();
    if (rows.length < fresh.length) fault('request.invalid', { fields: { alarm_ids: 'maintenance.alarms' } });
    return [...known, ...rows].sort((a, b) => a.id - b.id);
  };
  /** Images must be the caller's own uploads, or already in the record. */
  const checkImages = async ({ userId, scope }: Caller, given: Given, before: MaintenanceRow | null) => {
    for (const field of ['before_images', 'after_images'] as const) {
      const kept = [...(before?.before_images ?? []), ...(before?.after_images ?? [])];
      const fresh = [...new Set(given[field])].filter((id) => !kept.includes(id));
      if (fresh.length === 0) continue;
      const rows = await trx
        .selectFrom('uploads')
        .select('id')
        .where('id', 'in', fresh)
        .$if(!scope.all, (query) => query.where('created_by', '=', userId))
        .execute();
      if (rows.length < fresh.length) fault('request.invalid', { fields: { [field]: 'upload.unknown' } });
    }
  };
  const valuesOf = async (caller: Caller, given: Given, before: MaintenanceRow | null, now: number) => {
    if (Date.parse(given.maintenance_time) > now + clockSlackMs)
      fault('request.invalid', { fields: { maintenance_time: 'maintenance.future' } });
    // A device that left after the record was written stays named in it, but nothing more of it is recorded: an
    // inspection allows its present owner to close a line after a trip.
    const isSame =
      before !== null && before.device_id === given.device_id && before.project_id === given.project_id;
    if (isSame && given.device_id !== null && recordsMore(given, before)) await placeOf(caller.scope, given);
    const place = isSame
      ? { part_id: before.part_id, device_number: before.device_number, device_name: before.device_name }
      : await placeOf(caller.scope, given);
    await checkImages(caller, given, before);
    const { line_ids: _, alarm_ids: __, ...plain } = given;
    return {
      ...plain,
      ...place,
      maintenance_time: new Date(given.maintenance_time),
      before_images: [...new Set(given.before_images)],
      after_images: [...new Set(given.after_images)],
      lines: JSON.stringify(await linesOf(given, isSame ? before.lines : [])),
      alarms: JSON.stringify(await alarmsOf(caller.scope, given, isSame ? before.alarms : [])),
    };
  };

  /**
   * The record to change, after the locks of its device: a close may depend on it, and none is sent at the
   * same time as a change that forbids it (docs/decisions/0033-one-order-of-locks.md).
   */
  const heldBack = async (scope: Scope, recordId: number): Promise<MaintenanceRow> => {
    const { device_id } = await maintenanceStore(trx).read(scope, recordId);
    if (device_id !== null) await holdDirectory(trx, [device_id]);
    return maintenanceStore(trx).hold(scope, recordId);
  };

  return {
    async add(caller: Caller, given: Given, now: number): Promise<MaintenanceRow> {
      const { id } = await trx
        .insertInto('maintenance_records')
        .values({
          ...(await valuesOf(caller, given, null, now)),
          author_id: caller.userId,
          created_at: new Date(now),
          deleted_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return maintenanceStore(trx).read(caller.scope, id);
    },

    async edit(
      caller: Caller,
      { record_id, revision, ...given }: BodyOf<typeof maintenanceEndpoints.edit>,
      now: number,
    ): Promise<{ before: MaintenanceRow; after: MaintenanceRow }> {
      const before = await heldBack(caller.scope, record_id);
      if (before.revision !== revision) fault('thing.changed', { data: { revision: before.revision } });
      await trx
        .updateTable('maintenance_records')
        .set({ ...(await valuesOf(caller, given, before, now)), revision: revision + 1 })
        .where('id', '=', record_id)
        .execute();
      return { before, after: await maintenanceStore(trx).read(caller.scope, record_id) };
    },

    /** Removes a record from every list; its images are deleted with the unused ones. Returns the record. */
    async delete(scope: Scope, recordId: number, at: Date): Promise<MaintenanceRow> {
      const record = await heldBack(scope, recordId);
      await trx
        .updateTable('maintenance_records')
        .set({ deleted_at: at, before_images: [], after_images: [] })
        .where('id', '=', recordId)
        .execute();
      return record;
    },
  };
};
