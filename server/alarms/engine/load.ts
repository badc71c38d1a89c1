import type pg from 'pg';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { AlarmsTable, StoredEvents } from '#database/tables/alarms.ts';
import { defaultZone } from '#server/core/zone.ts';
import { restoreInterlocks } from './interlocks.ts';
import type { ActiveAlarm, AlarmMemory } from './memory.ts';
import { fromStored } from './stored-events.ts';

export interface ActiveRow
  extends Pick<
    AlarmsTable,
    | 'line_id'
    | 'device_id'
    | 'project_id'
    | 'part_id'
    | 'code'
    | 'severity'
    | 'event_id'
    | 'normal_at'
    | 'suppressed_by'
    | 'value'
    | 'peak'
    | 'threshold'
    | 'previous_id'
    | 'unit'
  > {
  id: number;
  phase: number;
  level: 1 | 2;
  source: 'device' | 'server';
  latched: boolean;
  late: boolean;
  tags: string[];
  raised_at: Date;
  received_at: Date;
  last_at: Date;
  processed: boolean;
  reported_unit: string | null;
  boot: number | null;
  open_events: StoredEvents | null;
}

/** Columns of an `ActiveRow`, from alarms `a`. */
export const activeColumns = `a.line_id, a.id, a.device_id, a.project_id, a.part_id, a.code, a.phase, a.level, a.severity,
  a.source, a.event_id, a.raised_at, a.received_at, a.last_at, a.normal_at, a.latched, a.suppressed_by, a.value, a.peak, a.threshold,
  a.tags, a.late, a.processed, a.previous_id, a.boot, a.unit, a.open_events,
  a.original->>'unit' as reported_unit`;

/** Loads the state from the database: types, zones, active alarms, and the energy used of quotas. */
export const restore = async (
  pool: pg.Pool,
  memory: AlarmMemory,
  into: { disabled: Set<number>; zones: Map<number, string> },
): Promise<void> => {
  const types = await pool.query<{ code: number; enabled: boolean }>('select code, enabled from alarm_types');
  for (const type of types.rows) if (!type.enabled) into.disabled.add(type.code);
  const projects = await pool.query<{ id: number; time_zone: string }>('select id, time_zone from projects');
  for (const project of projects.rows) into.zones.set(project.id, project.time_zone);

  const rows = await pool.query<ActiveRow>(
    `select ${activeColumns} from alarms a where a.cleared_at is null order by a.raised_at, a.id`,
  );
  const byId = new Map<number, ActiveAlarm>();
  for (const row of rows.rows) {
    const alarm = alarmOf(row);
    byId.set(row.id, alarm);
    memory.take(alarm, row.processed);
  }
  for (const row of rows.rows) {
    const alarm = byId.get(row.id);
    if (alarm && row.suppressed_by !== null)
      alarm.parent = byId.get(row.suppressed_by) ?? {
        ...alarm,
        id: row.suppressed_by,
        clearedAt: row.last_at.getTime(),
      };
  }
  await restoreTrips(pool, memory);
  await restoreInterlocks(pool, memory);
  await restoreQuotas(pool, memory);
};

export const alarmOf = (row: ActiveRow): ActiveAlarm => ({
  id: row.id,
  lineId: row.line_id,
  deviceId: row.device_id,
  projectId: row.project_id,
  partId: row.part_id,
  code: row.code,
  phase: row.phase,
  severity: row.severity,
  level: row.level,
  source: row.source,
  eventId: row.event_id,
  raisedAt: row.raised_at.getTime(),
  receivedAt: row.received_at.getTime(),
  lastAt: row.last_at.getTime(),
  normalAt: row.normal_at?.getTime() ?? null,
  goneAt: null,
  clearedAt: null,
  latched: row.latched,
  parent: null,
  value: row.value,
  peak: row.peak,
  threshold: row.threshold,
  unit: row.unit,
  reportedUnit: row.source === 'device' ? row.reported_unit : null,
  tags: row.tags,
  late: row.late,
  boot: row.boot,
  previousId: row.previous_id,
  followedBy: null,
  ...fromStored(row.open_events),
  unrecorded: false,
  unwritten: 0,
  writtenAt: row.last_at.getTime(),
});

/**
 * Latched trips, so that a known trip is not taken for a new one; and whether a reading that came late, after the newest
 * live one, showed that the trip had gone.
 */
const restoreTrips = async (pool: pg.Pool, memory: AlarmMemory): Promise<void> => {
  const { rows } = await pool.query<{ line_id: number; device_id: number; trip: number; gone: boolean }>(
    `select t.line_id, l.device_id, t.trip, exists (
       select from readings r where r.line_id = t.line_id and r.at > t.at and r.trip = 0) as gone
     from line_latest t join lines l on l.id = t.line_id where t.trip <> 0`,
  );
  for (const { line_id, device_id, trip, gone } of rows)
    Object.assign(memory.line(line_id, device_id), { trip, tripGone: gone });
  for (const { code, value, lineId } of memory.active()) {
    const line = memory.known(lineId);
    if (code === alarmCodes.protectiveTrip && line) line.trip ??= value;
  }
};

/** Energy of the current month in the project's zone, up to the newest register, for lines with a quota. */
const restoreQuotas = async (pool: pg.Pool, memory: AlarmMemory): Promise<void> => {
  const rows = await pool.query<{
    line_id: number;
    device_id: number;
    used: number;
    energy: number;
    until: Date;
  }>(
    `select l.id as line_id, l.device_id, latest.energy,
       coalesce(sum(r.energy_kwh), 0) as used,
       (date_trunc('month', latest.at at time zone zone.name) + interval '1 month') at time zone zone.name as until
     from lines l
       join devices d on d.id = l.device_id
       left join projects p on p.id = d.project_id
       cross join lateral (select coalesce(p.time_zone, '${defaultZone}') as name) zone
       join line_latest latest on latest.line_id = l.id and latest.energy is not null
       -- The bucket of a month is its first instant, also where clocks change at midnight.
       left join rollup_month r on r.line_id = l.id
         and r.bucket > date_trunc('month', latest.at at time zone zone.name) at time zone zone.name - interval '1 day'
     where l.thresholds ? 'quota_kwh'
     group by l.id, l.device_id, latest.energy, latest.at, zone.name`,
  );
  for (const row of rows.rows)
    Object.assign(memory.line(row.line_id, row.device_id).memory, {
      energy: row.energy,
      energyUsed: row.used,
      energyUntil: row.until.getTime(),
    });
};
