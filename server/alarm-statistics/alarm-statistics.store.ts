import { sql } from 'kysely';
import { DateTime } from 'luxon';
import type { alarmStatisticsEndpoints } from '#contract/alarm-statistics.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { alarmStore } from '#server/alarms/alarms.store.ts';
import { growthOf, shareOf } from '#server/core/growth.ts';
import type { Scope } from '#server/core/scope.ts';
import { firstAfter, lastStarts } from '#server/core/zone.ts';
import { countOf, quarterMs, rowsOf } from './day-rows.ts';
import { type DayRange, rangeOf } from './range.ts';
import { type Figures, type Tally, tallyOf } from './tally.ts';

type Asked = BodyOf<typeof alarmStatisticsEndpoints.statistics>;
export type Statistics = ReplyOf<typeof alarmStatisticsEndpoints.statistics>;
type Condition = Awaited<ReturnType<ReturnType<typeof alarmStore>['counted']>>;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const hoursOfWeek = 168;

const add = (sum: Figures, more: Figures): void => {
  sum.raised += more.raised;
  sum.alarms += more.alarms;
  sum.early_warnings += more.early_warnings;
  sum.processed += more.processed;
};
/** By day and by hour of the week in a time zone, from quarters of an hour. */
const byTime = (quarterAt: Tally['quarterAt'], zone: string, { days, from }: DayRange) => {
  const week = Array.from({ length: hoursOfWeek }, () => 0);
  let next: DateTime = DateTime.fromJSDate(from, { zone });
  const found = days.map((day) => {
    const sum: Figures = { raised: 0, alarms: 0, early_warnings: 0, processed: 0 };
    const start = next;
    const end = firstAfter('day', start);
    next = end;
    const steady = start.offset === end.offset;
    for (let at = start.toMillis(); at < end.toMillis(); at += quarterMs) {
      const figures = quarterAt((at - from.getTime()) / quarterMs);
      if (figures.raised === 0) continue;
      add(sum, figures);
      const hour = steady
        ? start.hour + Math.floor((at - start.toMillis()) / hourMs)
        : DateTime.fromMillis(at, { zone }).hour;
      week[(start.weekday - 1) * 24 + hour]! += figures.raised;
    }
    return { day, ...sum };
  });
  return { days: found, week };
};

const projectsOf = async (db: Db, busiest: Tally['projects']): Promise<Statistics['projects']> => {
  const named = await namesOf(db, busiest);
  return busiest.map((row) => ({ ...row, project_name: named.get(row.project_id) ?? '' }));
};
const namesOf = async (
  db: Db,
  rows: readonly { project_id: number | null }[],
): Promise<ReadonlyMap<number | null, string>> => {
  const ids = [...new Set(rows.flatMap(({ project_id }) => (project_id === null ? [] : [project_id])))];
  const names = await sql<{ id: number; name: string }>`
    select id, name from projects where id = any(${ids}::int[])`.execute(db);
  return new Map(names.rows.map(({ id, name }) => [id, name]));
};

const devicesOf = async (db: Db, noisiest: Tally['devices'], all: number): Promise<Statistics['devices']> => {
  const ids = noisiest.map(({ device_id }) => device_id);
  const [{ rows }, projects] = await Promise.all([
    sql<{ id: number; number: string; name: string }>`
      select id, number, name from devices where id = any(${ids}::int[])`.execute(db),
    namesOf(db, noisiest),
  ]);
  const known = new Map(rows.map((row) => [row.id, row]));
  return noisiest.map((row) => ({
    ...row,
    device_number: known.get(row.device_id)?.number ?? '',
    device_name: known.get(row.device_id)?.name ?? '',
    project_name: projects.get(row.project_id) ?? '',
    share: shareOf(row.raised, all) ?? 0,
  }));
};

const activeOf = async (db: Db, where: Condition): Promise<number> =>
  (
    await sql<{ count: number }>`
      select count(*) as count from alarms a where ${where} and a.cleared_at is null`.execute(db)
  ).rows[0]!.count;

/**
 * Today until now, yesterday until the same time, and yesterday as a whole. `where`: which alarms count, at
 * any time.
 */
const twoDays = async (
  db: Db,
  where: Condition,
  zone: string,
  now: number,
): Promise<Statistics['two_days']> => {
  const [yesterday, today] = lastStarts('day', 2, now, zone);
  const { rows } = await sql<Omit<Statistics['two_days'], 'growth'>>`
    select count(*) filter (where a.raised_at >= ${today!.start}) as today,
      count(*) filter (where a.raised_at < ${today!.start}) as yesterday,
      count(*) filter (where a.raised_at < ${today!.start} and a.raised_at <= ${new Date(now - dayMs)}) as yesterday_same_time
    from alarms a where a.raised_at >= ${yesterday!.start} and a.raised_at <= ${new Date(now)} and ${where}`.execute(
    db,
  );
  const counts = rows[0]!;
  return { ...counts, growth: growthOf(counts.today, counts.yesterday_same_time) };
};

/**
 * Statistics of the alarms that count, shelved ones included; `most`: number of projects and devices in the
 * rankings.
 */
export const alarmStatistics = async (
  db: Db,
  scope: Scope,
  { asked, zone, now, most }: { asked: Asked; zone: string; now: number; most: number },
): Promise<Statistics> => {
  const { range: _, first_day: __, last_day: ___, ...filter } = asked;
  const { level, severity, typeNumber, ...about } = filter;
  const range = rangeOf(asked, zone, now);
  const span = { from: range.from.getTime(), to: range.to.getTime() };
  const where = await alarmStore(db, now).counted(filter, scope);
  const inRange: Condition = sql`${where} and a.raised_at >= ${range.from} and a.raised_at < ${range.to}`;
  const ofAll = scope.all && Object.values(about).every((value) => value === undefined);
  const ofEveryKind = level === undefined && severity === undefined && !typeNumber?.length;
  const kinds = { level, severity, typeNumber };
  const [{ total, types, severities, quarterAt, ...ranking }, before, active, two_days] = await Promise.all([
    tallyOf(rowsOf(db, { span, where, ofAll }), { ...span, kinds, most }),
    countOf(db, {
      span: { from: range.before.getTime(), to: span.from },
      where,
      ofAll: ofAll && ofEveryKind,
    }),
    activeOf(db, inRange),
    twoDays(db, where, zone, now),
  ]);
  const [projects, devices] = await Promise.all([
    projectsOf(db, ranking.projects),
    devicesOf(db, ranking.devices, total.raised),
  ]);
  return {
    zone,
    first_day: range.firstDay,
    last_day: range.lastDay,
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    total: {
      ...total,
      active,
      handling_rate: shareOf(total.processed, total.raised),
      before,
      growth: growthOf(total.raised, before),
    },
    two_days,
    types,
    severities,
    ...byTime(quarterAt, zone, range),
    projects,
    devices,
  };
};
