/** Early warnings of trends (304, 405, 504), raised and ended by scheduled work. Decision 0135. */
import { setImmediate as breathe } from 'node:timers/promises';
import { sql } from 'kysely';
import { alarmTypeOf, baseOf, limitOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { trendCodes } from '#contract/alarm-traits.ts';
import { trendDays } from '#contract/trends.ts';
import type { Db } from '#database/connect.ts';
import type { GroupFinding } from '#server/core/group.ts';
import { lineRefsOf } from '#server/core/line-ref.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { ownedSince } from '#server/core/ownership.ts';
import type { TimedWork } from '#server/core/scheduled.ts';
import { arcTrend, type Extreme, jointTrend, jointWeeks, leakageTrend } from './estimate.ts';
import { arcsOf, extremesOf, linesWhere, linesWithArcs, ratings, type TrendLine } from './trend-data.ts';

const dayMs = 86_400_000;
const everyMs = 6 * 3_600_000;
const linesAtOnce = 100;

/**
 * The present value of a trend, in the unit of its alarm type; null: it does not get worse, or is unknown.
 */
type Sign = number | null;
interface Data {
  days: readonly Extreme[];
  hours: readonly Extreme[];
  arcs: () => Promise<Sign>;
}

const signOf = async (code: number, line: TrendLine, data: Data, now: number): Promise<Sign> => {
  switch (code) {
    case alarmCodes.leakageTrend: {
      const trend = leakageTrend(data.days, baseOf('set', ratings(line)));
      return trend?.rising ? trend.days_to_limit : null;
    }
    case alarmCodes.jointTrend: {
      const shape = { now, weeks: trendDays / 7, ratedCurrent: ratings(line).ratedCurrent };
      const trend = jointTrend(jointWeeks(data.hours, shape));
      return trend?.rising ? (trend.now / Math.max(trend.before, 1) - 1) * 100 : null;
    }
    default:
      return data.arcs();
  }
};

/** Beyond the line's limit; an active alarm ends only when the value is back past the deadband. */
const isBeyond = (code: number, line: TrendLine, sign: Sign, active: boolean): boolean => {
  const type = alarmTypeOf(code);
  if (sign === null || !type) return false;
  const limit = limitOf(type.warn, ratings(line));
  const deadband = active ? limitOf(type.deadband, ratings(line)) : 0;
  return type.side === 'below' ? sign <= limit + deadband : sign >= limit - deadband;
};

/** Codes that are switched on, with the latest time of switching, and the active alarms. */
const stateOf = async (db: Db) => {
  const { rows } = await sql<{ code: number; updated_at: Date }>`
    select code, updated_at from alarm_types where enabled and code = any(${[...trendCodes]}::smallint[])`.execute(
    db,
  );
  const { rows: standing } = await sql<{ line_id: number; code: number }>`
    select line_id, code from alarms where code = any(${[...trendCodes]}::smallint[]) and cleared_at is null
      and source = 'server'`.execute(db);
  const active = new Map(
    [...Map.groupBy(standing, ({ line_id }) => line_id)].map(([lineId, rowsOf]) => [
      lineId,
      new Set(rowsOf.map(({ code }) => code)),
    ]),
  );
  return {
    enabled: new Set(rows.map(({ code }) => code)),
    switchedAt: Math.max(Number.NEGATIVE_INFINITY, ...rows.map(({ updated_at }) => updated_at.getTime())),
    active,
  };
};
type State = Awaited<ReturnType<typeof stateOf>>;

/** Line ids in order: all of devices in use if a type is switched on, else those with an active alarm. */
const nextLines = async (db: Db, { enabled, active }: State, after: number): Promise<number[]> => {
  const known = sql`l.id = any(${[...active.keys()]}::int[])`;
  const { rows } = await sql<{ id: number }>`
    select l.id from lines l join devices d on d.id = l.device_id
    where l.n > 0 and l.id > ${after} and ${notDeleted('d')}
      and (${enabled.size === 0 ? sql`` : sql`d.project_id is not null or `}${known})
    order by l.id limit ${linesAtOnce}`.execute(db);
  return rows.map(({ id }) => id);
};

/** Findings for these lines: trends that began or ended. */
const findingsOf = async (
  db: Db,
  ids: readonly number[],
  { enabled, active }: State,
  now: number,
): Promise<GroupFinding[]> => {
  const lines = await linesWhere(db, sql`l.id = any(${[...ids]}::int[])`, ownedSince('d.id'));
  const refs = await lineRefsOf(db, ids);
  const concerned = ({ line_id, type }: TrendLine) =>
    trendCodes.filter(
      (code) =>
        active.get(line_id)?.has(code) || (enabled.has(code) && alarmTypeOf(code)?.types.includes(type)),
    );
  const linesOf = (code: number) => lines.filter((line) => concerned(line).includes(code));
  const since = now - trendDays * dayMs;
  const days = await extremesOf(db, 'rollup_day', linesOf(alarmCodes.leakageTrend), since);
  const hours = await extremesOf(db, 'rollup_hour', linesOf(alarmCodes.jointTrend), since);
  const arcing = new Set(await linesWithArcs(db, linesOf(alarmCodes.arcTrend), now));
  const found: GroupFinding[] = [];
  for (const line of lines) {
    // A fit takes milliseconds: messages are processed in between.
    await breathe();
    const data: Data = {
      days: days.get(line.line_id) ?? [],
      hours: hours.get(line.line_id) ?? [],
      arcs: async () => {
        const trend = arcing.has(line) ? arcTrend(await arcsOf(db, line, now), now) : null;
        return trend?.rising ? trend.last_day : null;
      },
    };
    const ref = refs.get(line.line_id);
    for (const code of ref ? concerned(line) : []) {
      const isActive = active.get(line.line_id)?.has(code) ?? false;
      const sign = await signOf(code, line, data, now);
      const beyond = isBeyond(code, line, sign, isActive);
      if (beyond !== isActive)
        found.push({ line: ref!, code, level: 1, active: beyond, value: sign, at: now });
    }
  }
  return found;
};

/** Checks all lines four times a day while a trend type is switched on, or has an active alarm. */
export const trendWork = ({
  db,
  record,
}: {
  db: Db;
  record: (finding: GroupFinding) => Promise<void>;
}): TimedWork => ({
  name: 'trends',
  async next(last, now) {
    const { enabled, switchedAt, active } = await stateOf(db);
    if (enabled.size === 0 && active.size === 0) return null;
    return last === null || switchedAt > last ? now : last + everyMs;
  },
  async run({ now, signal }) {
    const state = await stateOf(db);
    const counts = { checked: 0, changed: 0 };
    for (let last = 0; !signal.aborted; ) {
      const ids = await nextLines(db, state, last);
      for (const finding of ids.length > 0 ? await findingsOf(db, ids, state, now) : []) {
        await record(finding);
        counts.changed += 1;
      }
      counts.checked += ids.length;
      if (ids.length < linesAtOnce) break;
      last = ids.at(-1)!;
    }
    return counts;
  },
});
