import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { DateTime } from 'luxon';
import type { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { growthOf, shareOf } from '#server/core/growth.ts';
import type { Keep, Memory } from '#server/core/memory.ts';
import type { Scope } from '#server/core/scope.ts';
import { lastStarts, startOf } from '#server/core/zone.ts';

export interface View {
  db: Db;
  scope: Scope;
  zone: string;
  now: number;
  remembered: Memory;
  projectId?: number | undefined;
}
interface Period {
  start: Date;
  end: Date;
}
interface PeriodCount {
  alarms: number;
  early_warnings: number;
  processed: number;
}
/** Past days change only when an old alarm is handled. */
const past: Keep = { freshMs: 60_000, shownMs: 180_000 };
const dayMs = 86_400_000;

const seen = ({ scope, projectId }: View): RawBuilder<unknown> =>
  projectId === undefined
    ? sql`${alarmsInScope(scope)}`
    : sql`${alarmsInScope(scope)} and a.project_id = ${projectId}`;
/** Users with the same scope share one calculation. */
export const keyOf = (view: View, ...more: (string | number)[]): string =>
  createHash('sha256')
    .update(JSON.stringify([view.scope, view.zone, view.projectId, more]))
    .digest('base64');

const count = async (view: View, periods: readonly Period[]): Promise<PeriodCount[]> => {
  const { rows } = await sql<PeriodCount>`
    select counts.* from unnest(
      ${periods.map(({ start }) => start)}::timestamptz[], ${periods.map(({ end }) => end)}::timestamptz[])
      with ordinality as period (since, until, place)
    cross join lateral (
      select count(*) filter (where level = 2) as alarms, count(*) filter (where level = 1) as early_warnings,
        count(handled_at) as processed
      from counted_alarms() a where raised_at >= since and raised_at < until and ${seen(view)}) counts
    order by period.place`.execute(view.db);
  return rows;
};

/** Counts of the periods, oldest first; earlier periods are cached, the last one is counted now. */
const countUpToNow = async (view: View, periods: readonly Period[]): Promise<PeriodCount[]> => {
  const before = periods.slice(0, -1);
  const key = keyOf(view, 'periods', before.length, before[0]?.start.getTime() ?? 0);
  const [closed, current] = await Promise.all([
    before.length === 0 ? [] : view.remembered(key, past, view.now, () => count(view, before)),
    count(view, periods.slice(-1)),
  ]);
  return [...closed, ...current];
};

const inWords = ({ start, end }: Period) => ({ from: start.toISOString(), to: end.toISOString() });

export const alarmTrend = async (view: View, days: number) => {
  const periods = lastStarts('day', days, view.now, view.zone);
  const counts = await countUpToNow(view, periods);
  return {
    days: periods.map((period, index) => ({
      day: period.label,
      ...inWords(period),
      ...counts[index]!,
    })),
  };
};

export const alarmMonths = async (view: View, months = 12) => {
  const periods = lastStarts('month', months + 1, view.now, view.zone);
  const counts = await countUpToNow(view, periods);
  const raised = counts.map((month) => month.alarms + month.early_warnings);
  return {
    months: periods.slice(1).map((period, index) => {
      const processed = counts[index + 1]!.processed;
      return {
        month: period.label,
        ...inWords(period),
        raised: raised[index + 1]!,
        processed,
        handling_rate: shareOf(processed, raised[index + 1]!),
        growth: growthOf(raised[index + 1]!, raised[index]!),
      };
    }),
  };
};

export const alarmComparison = async (view: View): Promise<ReplyOf<typeof dashboardEndpoints.comparison>> => {
  const [yesterday, today] = lastStarts('day', 2, view.now, view.zone);
  const { rows } = await sql<{ hour: number; today: number; yesterday: number; same_time: number }>`
    select extract(hour from raised_at at time zone ${view.zone})::int as hour,
      count(*) filter (where raised_at >= ${today!.start}) as today,
      count(*) filter (where raised_at < ${today!.start}) as yesterday,
      count(*) filter (where raised_at < ${new Date(view.now - dayMs)}) as same_time
    from counted_alarms() a
    where raised_at >= ${yesterday!.start} and raised_at <= ${new Date(view.now)} and ${seen(view)}
    group by 1`.execute(view.db);
  const sum = (of: 'today' | 'yesterday' | 'same_time') => rows.reduce((total, row) => total + row[of], 0);
  const begun = DateTime.fromMillis(view.now, { zone: view.zone }).hour;
  return {
    today: sum('today'),
    yesterday_same_time: sum('same_time'),
    yesterday: sum('yesterday'),
    growth: growthOf(sum('today'), sum('same_time')),
    hours: Array.from({ length: 24 }, (_, hour) => {
      const row = rows.find((found) => found.hour === hour);
      return { hour, today: hour <= begun ? (row?.today ?? 0) : null, yesterday: row?.yesterday ?? 0 };
    }),
  };
};

interface TypeCount {
  typeNumber: number;
  count: number;
  unprocessed: number;
}
const countTypes = async (view: View, start: Date, end: Date): Promise<TypeCount[]> => {
  const { rows } = await sql<TypeCount>`
    select code as "typeNumber", count(*) as count, count(*) - count(handled_at) as unprocessed
    from counted_alarms() a where raised_at >= ${start} and raised_at < ${end} and ${seen(view)}
    group by code`.execute(view.db);
  return rows;
};

export const alarmSpread = async (view: View, days: number) => {
  const periods = lastStarts('day', days, view.now, view.zone);
  const start = periods[0]!.start;
  const today = startOf('day', view.now, view.zone);
  const [before, now] = await Promise.all([
    view.remembered(keyOf(view, 'types', start.getTime()), past, view.now, () =>
      countTypes(view, start, today),
    ),
    countTypes(view, today, periods.at(-1)!.end),
  ]);
  const types = new Map<number, TypeCount>();
  for (const row of [...before, ...now]) {
    const known = types.get(row.typeNumber) ?? { typeNumber: row.typeNumber, count: 0, unprocessed: 0 };
    types.set(row.typeNumber, {
      ...known,
      count: known.count + row.count,
      unprocessed: known.unprocessed + row.unprocessed,
    });
  }
  return {
    ...inWords({ start, end: periods.at(-1)!.end }),
    types: [...types.values()].sort((a, b) => b.count - a.count || a.typeNumber - b.typeNumber),
  };
};
