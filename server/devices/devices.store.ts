import { sql } from 'kysely';
import type * as z from 'zod';
import {
  type DeviceSelection,
  type deviceEndpoints,
  type deviceRow,
  mostInJob,
  mostOnMap,
} from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { regionPathText } from '#contract/region-names.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { fault } from '#server/core/fault.ts';
import { lastContact } from '#server/core/last-contact.ts';
import { positionCounts } from '#server/core/line-positions.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { defaultZone } from '#server/core/zone.ts';
import { regionPath } from '#server/regions/regions.store.ts';
import { type DeviceFilters, deviceCondition, deviceQueries } from './filter.ts';

export type DeviceRow = z.output<typeof deviceRow>;
interface StoredRow extends Omit<DeviceRow, 'status' | 'last_seen' | 'registered_at' | 'position_at'> {
  position_at: Date | null;
  online: boolean;
  last_seen: Date | null;
  registered_at: Date;
}
type MapRow = ReplyOf<typeof deviceEndpoints.map>['list'][number];
const exportBatch = 2000;

/** The device if it is in the scope; throws `device.missing` for an unknown and for a foreign one. */
export const deviceInScope = async (db: Db, scope: Scope, deviceId: number) =>
  (await db
    .selectFrom('devices')
    .selectAll()
    .where('id', '=', deviceId)
    .where(notDeleted('devices'))
    .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
    .executeTakeFirst()) ?? fault('device.missing');

/** Devices of a deleted part, including deleted devices, lose the part. */
export const leavePart = (db: Db, partId: number) =>
  db.updateTable('devices').set({ part_id: null }).where('part_id', '=', partId).execute();

export const deviceStore = (db: Db) => ({
  async list(scope: Scope, body: BodyOf<typeof deviceEndpoints.list>, now: number) {
    const { page, limit, sort, cursor: _, ...filters } = body;
    const offset = (page - 1) * limit;
    const { counting, finding } = deviceQueries(scope, filters, sort, { limit, offset });
    const [counted, ids] = await Promise.all([counting.execute(db), finding.execute(db)]);
    const list = await rowsOf(db, scope, ids.rows, now);
    return { list: inShownOrder(list, sort), total: counted.rows[0]!.total, page, limit };
  },

  /**
   * Ids of the devices of an act: the given ones, or all that match the filter now. Throws `device.changed`
   * if their number differs from the confirmed one.
   */
  async selected(scope: Scope, { device_ids, filter, expected }: DeviceSelection): Promise<number[]> {
    if (filter === undefined) return [...new Set(device_ids)];
    const { rows } = await sql<{ id: number }>`
      select id from devices where ${deviceCondition(scope, filter)} order by id limit ${mostInJob + 1}`.execute(
      db,
    );
    const count = rows.length;
    if (count > mostInJob) fault('device.tooMany', { with: { count: `> ${mostInJob}`, limit: mostInJob } });
    if (expected !== undefined && expected !== count)
      fault('device.changed', { with: { count, expected }, data: { count } });
    return rows.map((row) => row.id);
  },

  /** All rows of a filter by number, in batches. */
  async *every(scope: Scope, filters: DeviceFilters, now: number): AsyncGenerator<DeviceRow> {
    const where = deviceCondition(scope, filters);
    for (let last = ''; ; ) {
      const { rows: ids } = await sql<{ id: number; number: string }>`
        select id, number from devices where ${where} and number > ${last} order by number limit ${exportBatch}`.execute(
        db,
      );
      yield* await rowsOf(db, scope, ids, now);
      if (ids.length < exportBatch) return;
      last = ids.at(-1)!.number;
    }
  },

  async map(scope: Scope, filters: DeviceFilters, now: number): Promise<ReplyOf<typeof deviceEndpoints.map>> {
    const { rows } = await sql<Omit<MapRow, 'status'> & { online: boolean }>`
      select devices.id as device_id, devices.number, devices.name, coalesce(s.online, false) as online,
        coalesce(devices.lat, projects.lat) as lat, coalesce(devices.lng, projects.lng) as lng,
        coalesce(alarm_counts.worst, 0) as worst
      from (select * from devices where ${deviceCondition(scope, filters)}) devices
      left join projects on projects.id = devices.project_id
      left join device_state s on s.device_id = devices.id
      cross join lateral (
        select max(level) as worst from shown_alarms(${new Date(now)}) a
        where device_id = devices.id and handled_at is null and cleared_at is null and ${alarmsInScope(scope)}) alarm_counts
      where coalesce(devices.lat, projects.lat) is not null
      order by devices.number limit ${mostOnMap + 1}`.execute(db);
    return {
      truncated: rows.length > mostOnMap,
      list: rows
        .slice(0, mostOnMap)
        .map(({ online, ...row }) => ({ ...row, status: online ? 'online' : 'offline' })),
    };
  },

  async types(scope: Scope) {
    const { rows } = await sql<{ type: number; count: number; online: number }>`
      select type, count(*) as count, count(*) filter (where s.online) as online
      from devices left join device_state s on s.device_id = devices.id
      where ${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}
      group by type order by type`.execute(db);
    return rows;
  },

  async detail(
    scope: Scope,
    deviceId: number,
    now: number,
    language: Language,
  ): Promise<ReplyOf<typeof deviceEndpoints.detail>> {
    const device = await deviceInScope(db, scope, deviceId);
    const [rows, about] = await Promise.all([
      rowsOf(db, scope, [device], now),
      db
        .selectFrom('devices')
        .leftJoin('device_state as state', 'state.device_id', 'devices.id')
        .leftJoin('projects', 'projects.id', 'devices.project_id')
        .leftJoin('regions', 'regions.id', 'projects.region_id')
        .select([
          'state.online',
          'state.online_changed_at',
          'state.last_seen',
          'state.clock_unknown',
          'state.skew_ms',
          'state.address as network_address',
          'state.takeovers',
          'state.refused',
          'state.refused_last',
          'projects.contact_name',
          'projects.contact_phone',
          'projects.time_zone',
          'projects.lat',
          'projects.lng',
          regionPath('regions.path').as('region_path'),
        ])
        .where('devices.id', '=', deviceId)
        .executeTakeFirstOrThrow(),
    ]);
    const offlineSince = about.online ? null : about.online_changed_at;
    return {
      ...rows[0]!,
      imei: device.imei,
      imsi: device.imsi,
      iccid: device.iccid,
      hardware: device.hardware,
      caps: device.caps,
      contacts: device.contacts,
      project_contact: { name: about.contact_name ?? '', phone: about.contact_phone ?? '' },
      upload_seconds: device.upload_seconds,
      interval_seconds: device.interval_seconds,
      net_ctrl: device.net_ctrl,
      lat: device.lat ?? about.lat,
      lng: device.lng ?? about.lng,
      offline_since: offlineSince?.toISOString() ?? null,
      image_id: device.image_id,
      time_zone: about.time_zone ?? defaultZone,
      region: regionPathText(about.region_path, language),
      revision: device.revision,
      clock_skew_ms: about.last_seen && !about.clock_unknown ? about.skew_ms : null,
      network_address: about.network_address ?? '',
      takeovers: about.takeovers ?? 0,
      refused: Object.entries(about.refused ?? {})
        .map(([reason, count]) => ({ reason, count }))
        .sort((a, b) => b.count - a.count),
      refused_last: about.refused_last ?? null,
    };
  },
});

/**
 * A page is selected by the stored time of the last contact, which may be some seconds older than the
 * displayed one. Its rows are sorted by the displayed time.
 */
const inShownOrder = (rows: DeviceRow[], sort: string | undefined): DeviceRow[] => {
  if (sort?.replace('-', '') !== 'last_seen') return rows;
  const sign = sort === 'last_seen' ? 1 : -1;
  const time = ({ last_seen }: DeviceRow) => (last_seen === null ? 0 : Date.parse(last_seen));
  return rows.toSorted((a, b) => sign * (time(a) - time(b)));
};

/**
 * The rows of a page, in the order of the ids: the cost depends on the page, not on the number of devices.
 */
const rowsOf = async (
  db: Db,
  scope: Scope,
  ids: readonly { id: number }[],
  now: number,
): Promise<DeviceRow[]> => {
  const { rows } = await sql<StoredRow>`
    select devices.id as device_id, devices.number, devices.name, devices.type, devices.model,
      coalesce(s.online, false) as online, devices.project_id is not null as bound, devices.project_id,
      coalesce(projects.name, '') as project_name, coalesce(project_parts.name, '') as part_name, devices.address,
      ${lastContact('s')} as last_seen, s.rssi as signal, devices.firmware as version, devices.registered_at, devices.expires_on,
      held.*, coalesce(alarm_counts.alarms, 0) as alarms, coalesce(alarm_counts.worst, 0) as worst
    from unnest(${ids.map((row) => row.id)}::int[]) with ordinality as asked (id, place)
    join devices on devices.id = asked.id
    left join device_state s on s.device_id = devices.id
    left join projects on projects.id = devices.project_id
    left join project_parts on project_parts.id = devices.part_id
    cross join lateral (
      select count(*) as lines, ${positionCounts(now)}
      from lines left join line_latest latest on latest.line_id = lines.id
      where lines.device_id = devices.id and lines.n > 0) held
    cross join lateral (
      select count(*) as alarms, max(level) filter (where cleared_at is null) as worst
      from shown_alarms(${new Date(now)}) a
      where device_id = devices.id and handled_at is null and ${alarmsInScope(scope)}) alarm_counts
    order by asked.place`.execute(db);
  return rows.map(({ online, ...row }) => ({
    ...row,
    status: online ? 'online' : 'offline',
    last_seen: row.last_seen?.toISOString() ?? null,
    position_at: row.position_at?.toISOString() ?? null,
    registered_at: row.registered_at.toISOString(),
  }));
};
