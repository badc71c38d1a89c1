/** Alarm performance figures of ISA-18.2 16.5, over the counted alarms (`counted_alarms`). */
import { type RawBuilder, sql } from 'kysely';
import { type alarmQualityEndpoints, staleHours, worstCount } from '#contract/alarm-quality.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { shareOf } from '#server/core/growth.ts';
import type { Scope } from '#server/core/scope.ts';
import { lastStarts } from '#server/core/zone.ts';
import { type Flood, floodsOf, isOver, type Window, windowMs } from './floods.ts';
import { type Offender, proposalOf } from './proposals.ts';
import { type DayRange, rangeOf } from './range.ts';

type Asked = BodyOf<typeof alarmQualityEndpoints.quality>;
export type Quality = ReplyOf<typeof alarmQualityEndpoints.quality>;
type Condition = RawBuilder<unknown>;

const hourMs = 3_600_000;
const longestFloods = 10;
const oldestShown = 20;
const chatters = sql`a.tags @> array['chattering']`;

/** Names of a line, its device and its project; deleted ones still count. */
const placeColumns = sql`case when l.n = 0 then '' else coalesce(l.name, '') end as line_name,
  coalesce(d.number, '') as device_number, coalesce(d.name, '') as device_name, coalesce(p.name, '') as project_name`;
const placeJoins = sql`left join lines l on l.id = a.line_id left join devices d on d.id = a.device_id
  left join projects p on p.id = a.project_id`;

const ownOf = (scope: Scope, { project_id }: Asked): Condition => {
  const inScope = scope.all ? sql`true` : alarmsInScope(scope);
  return project_id === undefined ? inScope : sql`${inScope} and a.project_id = ${project_id}`;
};
const raisedIn = (own: Condition, from: Date, until: Date): Condition =>
  sql`${own} and a.raised_at >= ${from} and a.raised_at < ${until}`;

const windowsOf = async (db: Db, where: Condition, from: Date): Promise<Window[]> => {
  const { rows } = await sql<{ start: Date; raised: number }>`
    select date_bin('10 minutes', a.raised_at, ${from}::timestamptz) as start, count(*)::int as raised
    from counted_alarms() a where ${where} group by 1 order by 1`.execute(db);
  return rows.map(({ start, raised }) => ({ start: start.getTime(), raised }));
};

const severitiesOf = async (db: Db, where: Condition): Promise<Quality['severities']> => {
  const { rows } = await sql<{ severity: number; raised: number }>`
    select a.severity, count(*)::int as raised from counted_alarms() a where ${where} group by 1`.execute(db);
  const all = rows.reduce((sum, { raised }) => sum + raised, 0);
  return [1, 2, 3, 4].map((severity) => {
    const raised = rows.find((row) => row.severity === severity)?.raised ?? 0;
    return { severity, raised, share: shareOf(raised, all) };
  });
};

const chatteringOf = async (db: Db, where: Condition): Promise<Quality['chattering']> => {
  const { rows } = await sql<Quality['chattering']>`
    select count(distinct (a.line_id, a.code))::int as sources, count(*)::int as alarms
    from counted_alarms() a where ${where} and ${chatters}`.execute(db);
  return rows[0]!;
};

/**
 * Alarms that were active at a time: those without an end, and those that ended later. Each has its own
 * index.
 */
const standingAt = async (db: Db, own: Condition, until: Date): Promise<Quality['standing']> => {
  const stale = new Date(until.getTime() - staleHours * hourMs);
  const isActive = sql`${own} and a.raised_at < ${until}`;
  const active = sql`(select a.line_id, a.id, a.raised_at from counted_alarms() a where ${isActive} and a.cleared_at is null
    union all
    select a.line_id, a.id, a.raised_at from counted_alarms() a where ${isActive} and a.cleared_at >= ${until})`;
  const { rows: counts } = await sql<{ active: number; stale: number }>`
    select count(*)::int as active, count(*) filter (where raised_at < ${stale})::int as stale from ${active} standing`.execute(
    db,
  );
  const { rows } = await sql<Omit<Quality['standing']['list'][number], 'raised_at'> & { raised_at: Date }>`
    select a.id, a.raised_at, a.severity, a.line_id, a.device_id, a.project_id, a.code as "typeNumber", ${placeColumns}
    from (select * from ${active} standing where raised_at < ${stale} order by raised_at, id limit ${oldestShown}) oldest
      join alarms a on a.line_id = oldest.line_id and a.id = oldest.id ${placeJoins}
    order by a.raised_at, a.id`.execute(db);
  return {
    ...counts[0]!,
    list: rows.map((row) => ({ ...row, raised_at: row.raised_at.toISOString() })),
  };
};

type Worst = Offender &
  Omit<Quality['worst'][number], 'share' | 'proposal' | keyof Offender> & { active: number };
/** The sources with the most alarms, with how their alarms begin and end. */
const worstOf = async (db: Db, where: Condition, until: Date): Promise<Worst[]> => {
  const { rows } = await sql<Worst>`
    with worst as (
      select a.line_id, a.code, count(*) as raised from counted_alarms() a where ${where}
      group by 1, 2 order by 3 desc, 1, 2 limit ${worstCount}
    ), each as (
      select a.line_id, a.code, max(a.device_id) as device_id, max(a.project_id) as project_id, count(*)::int as raised,
        count(*) filter (where a.level = 1)::int as early_warnings, count(*) filter (where ${chatters})::int as chattering,
        count(*) filter (where a.cleared_at is null or a.cleared_at >= ${until})::int as active,
        percentile_cont(0.5) within group (order by date_part('epoch', a.cleared_at - a.raised_at))
          filter (where a.cleared_at < ${until}) as median_s,
        sum(date_part('epoch', least(coalesce(a.cleared_at, ${until}::timestamptz), ${until}::timestamptz) - a.raised_at))
          as active_s,
        percentile_cont(0.5) within group (order by abs(a.peak - a.threshold) / abs(a.threshold))
          filter (where a.threshold <> 0 and a.peak is not null) as beyond
      from worst join counted_alarms() a on a.line_id = worst.line_id and a.code = worst.code
      where ${where} group by 1, 2
    )
    select a.line_id, a.code as "typeNumber", a.device_id, a.project_id, a.raised, a.early_warnings, a.chattering, a.active,
      a.median_s, a.active_s, a.beyond, ${placeColumns}
    from each a ${placeJoins} order by a.raised desc, a.line_id, a.code`.execute(db);
  return rows;
};

const countOf = async (db: Db, where: Condition): Promise<number> =>
  (
    await sql<{ count: number }>`
      select count(*)::int as count from counted_alarms() a where ${where}`.execute(db)
  ).rows[0]!.count;

const daysOf = (windows: readonly Window[], { days, zone, positions }: Days): Quality['days'] => {
  const starts = lastStarts('day', days.length, days.end.getTime() - 1, zone);
  const found = starts.map(({ label }) => ({ day: label, raised: 0, over: 0 }));
  let at = 0;
  for (const window of windows) {
    while (at + 1 < starts.length && window.start >= starts[at + 1]!.start.getTime()) at += 1;
    const day = found[at]!;
    day.raised += window.raised;
    if (isOver(window, positions)) day.over += 1;
  }
  return found;
};
interface Days {
  days: { length: number; end: Date };
  zone: string;
  positions: number;
}

const minutesOf = ({ from, to }: Flood) => Math.round((to - from) / 60_000);
const floodFigures = (floods: readonly Flood[]): Quality['floods'] => ({
  count: floods.length,
  minutes: floods.reduce((sum, flood) => sum + minutesOf(flood), 0),
  list: floods
    .toSorted((one, other) => minutesOf(other) - minutesOf(one) || other.raised - one.raised)
    .slice(0, longestFloods)
    .map((flood) => ({
      from: new Date(flood.from).toISOString(),
      to: new Date(flood.to).toISOString(),
      minutes: minutesOf(flood),
      raised: flood.raised,
    })),
});

interface Period {
  range: DayRange;
  until: Date;
  hours: number;
  windows: number;
}
const periodOf = (asked: Asked, zone: string, now: number): Period => {
  const range = rangeOf(asked, zone, now);
  const until = new Date(Math.max(range.from.getTime(), Math.min(range.to.getTime(), now)));
  const length = until.getTime() - range.from.getTime();
  return { range, until, hours: length / hourMs, windows: Math.ceil(length / windowMs) };
};

/** Alarms in the period's windows compared with what one operator position can handle. */
const ratesOf = (windows: readonly Window[], period: Period, positions: number) => {
  const raised = windows.reduce((sum, window) => sum + window.raised, 0);
  const perHour = period.hours === 0 ? 0 : raised / period.hours / positions;
  const fullest = windows.reduce<Window | null>(
    (most, window) => (most === null || window.raised > most.raised ? window : most),
    null,
  );
  const over = windows.filter((window) => isOver(window, positions)).length;
  const floods = floodsOf(windows, positions);
  const flooded = floods.reduce((sum, { from, to }) => sum + (to - from), 0) / windowMs;
  return {
    raised,
    over,
    floods,
    fullest,
    metrics: {
      per_hour: perHour,
      per_ten_minutes: perHour / 6,
      per_day: perHour * 24,
      peak: (fullest?.raised ?? 0) / positions,
      over_share: shareOf(over, period.windows) ?? 0,
      flood_share: shareOf(flooded, period.windows) ?? 0,
    },
  };
};

export const alarmQuality = async (
  db: Db,
  scope: Scope,
  { asked, zone, now }: { asked: Asked; zone: string; now: number },
): Promise<Quality> => {
  const { positions } = asked;
  const period = periodOf(asked, zone, now);
  const { range, until, hours } = period;
  const own = ownOf(scope, asked);
  const where = raisedIn(own, range.from, until);
  // A period of the same length, so that a day that has just begun is not compared with a whole one.
  const beforeUntil = new Date(range.before.getTime() + hours * hourMs);
  const [windows, severities, chattering, standing, worst, before] = await Promise.all([
    windowsOf(db, where, range.from),
    severitiesOf(db, where),
    chatteringOf(db, where),
    standingAt(db, own, until),
    worstOf(db, where, until),
    countOf(db, raisedIn(own, range.before, beforeUntil)),
  ]);
  const { metrics, raised, over, floods, fullest } = ratesOf(windows, period, positions);
  const ofWorst = worst.reduce((sum, row) => sum + row.raised, 0);
  return {
    zone,
    first_day: range.firstDay,
    last_day: range.lastDay,
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    until: until.toISOString(),
    hours,
    positions,
    raised,
    metrics: {
      ...metrics,
      worst_share: shareOf(ofWorst, raised) ?? 0,
      chattering: chattering.sources,
      stale: standing.stale,
    },
    before: { raised: before, per_hour: hours === 0 ? 0 : before / hours / positions },
    peak_at: fullest === null ? null : new Date(fullest.start).toISOString(),
    windows: period.windows,
    windows_over: over,
    days: daysOf(windows, { days: { length: range.days.length, end: range.to }, zone, positions }),
    floods: floodFigures(floods),
    chattering,
    standing,
    severities,
    worst: worst.map(({ active_s, beyond, ...row }) => ({
      ...row,
      share: shareOf(row.raised, raised) ?? 0,
      proposal: proposalOf({ ...row, active_s, beyond }, hours * 3600),
    })),
  };
};
