/** The statistics counted by the database, each figure by its own query; the tally is compared with them. */

import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { alarmStore } from '#server/alarms/alarms.store.ts';
import { shareOf } from '#server/core/growth.ts';
import type { Scope } from '#server/core/scope.ts';
import type { Statistics } from './alarm-statistics.store.ts';
import { durationClass, quantilesOf } from './durations.ts';
import { rangeOf } from './range.ts';

type Asked = Parameters<typeof rangeOf>[0] & Parameters<ReturnType<typeof alarmStore>['counted']>[0];
type Condition = Awaited<ReturnType<ReturnType<typeof alarmStore>['counted']>>;
type DayRange = ReturnType<typeof rangeOf>;
type Figures = Pick<Statistics['total'], 'raised' | 'alarms' | 'early_warnings' | 'processed'>;

const hoursOfWeek = 168;

/** For a group of alarms `a`. */
const figures = sql`count(*) as raised, count(*) filter (where a.level = 2) as alarms,
  count(*) filter (where a.level = 1) as early_warnings, count(a.handled_at) as processed`;

const sums = sql`sum(raised)::int as raised, sum(alarms)::int as alarms, sum(early_warnings)::int as early_warnings,
  sum(processed)::int as processed`;
const summed = (rows: readonly (Figures & { duration: number | null })[]) => {
  const sum = (of: keyof Figures) => rows.reduce((total, row) => total + row[of], 0);
  return {
    raised: sum('raised'),
    alarms: sum('alarms'),
    early_warnings: sum('early_warnings'),
    processed: sum('processed'),
    ...quantilesOf(rows),
  };
};

type Kind = Figures & { code: number; severity: number; duration: number | null };
/**
 * One query for the number of matching alarms by type, severity and duration class (`durations.ts`). The
 * figures by type and by severity are summed up here, because the database would scan or sort once for each.
 */
const byKind = async (db: Db, where: Condition) => {
  const { rows } = await sql<Kind>`
    select a.code, a.severity, ${durationClass} as duration, ${figures} from alarms a where ${where} group by 1, 2, 3`.execute(
    db,
  );
  const groupsBy = <Key extends number>(key: (row: Kind) => Key) =>
    [...Map.groupBy(rows, key)].map(([value, of]) => ({ value, ...summed(of) }));
  return {
    total: summed(rows),
    types: groupsBy(({ code }) => code)
      .map(({ value, ...row }) => ({ typeNumber: value, ...row }))
      .sort((one, other) => other.raised - one.raised || one.typeNumber - other.typeNumber),
    severities: groupsBy(({ severity }) => severity)
      .map(({ value, ...row }) => ({ severity: value, ...row }))
      .sort((one, other) => one.severity - other.severity),
  };
};

/**
 * By day and by hour of the week. Alarms are first grouped by quarter of an hour, which every zone's days and
 * hours consist of, so that few instants are converted to local time.
 */
const byTime = async (db: Db, where: Condition, zone: string, { days }: DayRange) => {
  const { rows } = await sql<Figures & { day: string | null; hour: number | null }>`
    with quarters as (
      select date_bin('15 minutes', a.raised_at, 'epoch') as start, ${figures} from alarms a where ${where} group by 1
    ), local as (select start at time zone ${zone} as start, raised, alarms, early_warnings, processed from quarters)
    select start::date::text as day, (date_part('isodow', start) * 24 - 24 + date_part('hour', start))::int as hour,
      sum(raised)::int as raised, sum(alarms)::int as alarms, sum(early_warnings)::int as early_warnings,
      sum(processed)::int as processed
    from local group by grouping sets ((start::date::text),
      ((date_part('isodow', start) * 24 - 24 + date_part('hour', start))::int))`.execute(db);
  const none: Figures = { raised: 0, alarms: 0, early_warnings: 0, processed: 0 };
  const found = new Map(
    rows.flatMap(({ day, hour: _, ...row }) => (day === null ? [] : [[day, row] as const])),
  );
  const hours = new Map(rows.flatMap(({ hour, raised }) => (hour === null ? [] : [[hour, raised] as const])));
  return {
    days: days.map((day) => ({ day, ...(found.get(day) ?? none) })),
    week: Array.from({ length: hoursOfWeek }, (_, hour) => hours.get(hour) ?? 0),
  };
};

/** One query for both rankings: the alarms of each device, then the projects from their devices. */
const ranked = async (db: Db, where: Condition, most: number) => {
  const { rows } = await sql<{
    devices: (Figures & { device_id: number; project_id: number | null })[] | null;
    projects: (Figures & { project_id: number | null })[] | null;
  }>`
    with each as materialized (
      select a.device_id, a.project_id, ${figures} from alarms a where ${where} group by 1, 2
    ), by_device as (
      select device_id, max(project_id) as project_id, ${sums} from each
      group by device_id order by raised desc, device_id limit ${most}
    ), by_project as (
      select project_id, ${sums} from each group by project_id order by raised desc, project_id limit ${most}
    )
    select (select json_agg(by_device) from by_device) as devices, (select json_agg(by_project) from by_project) as projects`.execute(
    db,
  );
  const { devices, projects } = rows[0]!;
  return { devices: devices ?? [], projects: projects ?? [] };
};

const projectsOf = async (
  db: Db,
  where: Condition,
  busiest: readonly (Figures & { project_id: number | null })[],
): Promise<Statistics['projects']> => {
  const ids = busiest.flatMap(({ project_id }) => (project_id === null ? [] : [project_id]));
  const [names, times] = await Promise.all([
    db
      .selectFrom('projects')
      .select(['id', 'name'])
      .where('id', 'in', [0, ...ids])
      .execute(),
    sql<{ project_id: number | null; duration: number | null; processed: number }>`
      select a.project_id, ${durationClass} as duration, count(*) as processed from alarms a
      where (a.project_id = any(${ids}::int[]) ${ids.length < busiest.length ? sql`or a.project_id is null` : sql``})
        and a.handled_at is not null and ${where} group by 1, 2`.execute(db),
  ]);
  const named = new Map(names.map(({ id, name }) => [id, name]));
  const handled = Map.groupBy(times.rows, ({ project_id }) => project_id);
  return busiest.map((row) => ({
    ...row,
    project_name: row.project_id === null ? '' : (named.get(row.project_id) ?? ''),
    ...quantilesOf(handled.get(row.project_id) ?? []),
  }));
};

const devicesOf = async (
  db: Db,
  where: Condition,
  noisiest: readonly (Figures & { device_id: number; project_id: number | null })[],
  all: number,
) => {
  const ids = noisiest.map(({ device_id }) => device_id);
  const { rows } = await sql<
    Pick<Statistics['devices'][number], 'device_id' | 'device_number' | 'device_name' | 'typeNumber'>
  >`
    select a.device_id, coalesce(devices.number, '') as device_number, coalesce(devices.name, '') as device_name,
      mode() within group (order by a.code) as "typeNumber"
    from alarms a left join devices on devices.id = a.device_id
    where a.device_id = any(${ids}::int[]) and ${where} group by 1, 2, 3`.execute(db);
  const known = new Map(rows.map((row) => [row.device_id, row]));
  return noisiest.flatMap((row) => {
    const device = known.get(row.device_id);
    return device ? [{ ...device, ...row, share: shareOf(row.raised, all) ?? 0 }] : [];
  });
};

export const countedBySql = async (
  db: Db,
  scope: Scope,
  { asked, zone, now, most }: { asked: Asked; zone: string; now: number; most: number },
) => {
  const { range: _, first_day: __, last_day: ___, ...filter } = asked;
  const range = rangeOf(asked, zone, now);
  const shown = alarmStore(db, now);
  const between = (from: Date, to: Date) =>
    shown.counted({ ...filter, from: from.toISOString(), to: to.toISOString() }, scope);
  const where = await between(range.from, range.to);
  const { total, types, severities } = await byKind(db, where);
  const ranking = await ranked(db, where, most);
  const before = await byKind(db, await between(range.before, range.from));
  return {
    total,
    before: before.total.raised,
    types,
    severities,
    ...(await byTime(db, where, zone, range)),
    projects: await projectsOf(db, where, ranking.projects),
    devices: await devicesOf(db, where, ranking.devices, total.raised),
  };
};
