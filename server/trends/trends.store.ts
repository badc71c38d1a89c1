import { sql } from 'kysely';
import { baseOf } from '#contract/alarm-catalogue.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { mostTrendRows, trendDays, type trendEndpoints } from '#contract/trends.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { seenFrom } from '#server/core/ownership.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import {
  type ArcHour,
  arcTrend,
  type Extreme,
  jointTrend,
  jointWeeks,
  leakageFit,
  leakageTrend,
  type Week,
} from './estimate.ts';
import { arcsOf, extremesOf, linesWhere, linesWithArcs, ratings, type TrendLine } from './trend-data.ts';

type List = ReplyOf<typeof trendEndpoints.list>;
type Row = List['list'][number];
type Detail = ReplyOf<typeof trendEndpoints.detail>;

const dayMs = 86_400_000;
const weeks = trendDays / 7;
/** Fitting hours is expensive: in a project only the warmest lines of the last week are fitted. */
const warmest = 20;
/** The lines with the largest increase of the arc counter are fitted too. */
const mostArcing = 20;

const linesOf = (
  db: Db,
  scope: Scope,
  { project_id, device_id, line_id }: { project_id?: number; device_id?: number; line_id?: number },
) =>
  linesWhere(
    db,
    sql`${inScope(scope, 'd.project_id', 'd.part_id')}
      ${project_id === undefined ? sql`` : sql`and d.project_id = ${project_id}`}
      ${device_id === undefined ? sql`` : sql`and d.id = ${device_id}`}
      ${line_id === undefined ? sql`` : sql`and l.id = ${line_id}`}`,
    seenFrom(scope, 'd.id'),
  );

interface Found {
  days: readonly Extreme[];
  weeksOf: readonly Week[];
  arcs: readonly ArcHour[];
}
const rowOf = (line: TrendLine, { days, weeksOf, arcs }: Found, now: number): Row => {
  const leakage = leakageTrend(days, baseOf('set', ratings(line)));
  const joint = jointTrend(weeksOf);
  const arc = arcTrend(arcs, now);
  const { line_id, line_n, line_name, device_id, device_number, device_name } = line;
  return {
    line_id,
    line_n,
    line_name,
    device_id,
    device_number,
    device_name,
    leakage,
    joint,
    arcs: arc,
    warns: [leakage, joint, arc].some((trend) => trend?.rising === true),
  };
};
/** Warnings first: by the days to the limit, then by the increase of a joint's temperature rise. */
const byUrgency = (one: Row, other: Row): number =>
  Number(other.warns) - Number(one.warns) ||
  (one.leakage?.days_to_limit ?? Number.MAX_VALUE) - (other.leakage?.days_to_limit ?? Number.MAX_VALUE) ||
  (other.joint?.now ?? 0) - (one.joint?.now ?? 0) ||
  (other.arcs?.last_day ?? 0) - (one.arcs?.last_day ?? 0) ||
  one.line_id - other.line_id;

/** The lines with the highest temperatures of the last week. */
const warmestOf = (
  lines: readonly TrendLine[],
  days: ReadonlyMap<number, readonly Extreme[]>,
  now: number,
): TrendLine[] => {
  const hottest = ({ line_id }: TrendLine) =>
    Math.max(
      Number.NEGATIVE_INFINITY,
      ...(days.get(line_id) ?? [])
        .filter(({ at }) => at >= now - 8 * dayMs)
        .map(({ temperature }) => temperature ?? Number.NEGATIVE_INFINITY),
    );
  return lines
    .map((line) => ({ line, hottest: hottest(line) }))
    .filter((each) => Number.isFinite(each.hottest))
    .sort((one, other) => other.hottest - one.hottest)
    .slice(0, warmest)
    .map(({ line }) => line);
};

export const trendList = async (
  db: Db,
  scope: Scope,
  { project_id, device_id }: BodyOf<typeof trendEndpoints.list>,
  now: number,
): Promise<List> => {
  const lines = await linesOf(db, scope, {
    ...(project_id === undefined ? {} : { project_id }),
    ...(device_id === undefined ? {} : { device_id }),
  });
  const since = now - trendDays * dayMs;
  const days = await extremesOf(db, 'rollup_day', lines, since);
  const hours = await extremesOf(db, 'rollup_hour', warmestOf(lines, days, now), since);
  const arcs = new Map<number, ArcHour[]>();
  for (const line of (await linesWithArcs(db, lines, now)).slice(0, mostArcing))
    arcs.set(line.line_id, await arcsOf(db, line, now));
  const rows = lines
    .map((line) => {
      const ofHours = hours.get(line.line_id) ?? [];
      const shape = { now, weeks, ratedCurrent: ratings(line).ratedCurrent };
      const weeksOf = ofHours.length === 0 ? [] : jointWeeks(ofHours, shape);
      const found = { days: days.get(line.line_id) ?? [], weeksOf, arcs: arcs.get(line.line_id) ?? [] };
      return rowOf(line, found, now);
    })
    .filter(({ leakage, joint, arcs: arc }) => leakage !== null || joint !== null || arc !== null)
    .sort(byUrgency);
  return {
    lines: rows.length,
    warnings: rows.filter(({ warns }) => warns).length,
    list: rows.slice(0, mostTrendRows),
  };
};

export const trendDetail = async (db: Db, scope: Scope, lineId: number, now: number): Promise<Detail> => {
  const [line] = await linesOf(db, scope, { line_id: lineId });
  if (!line) return fault('line.missing');
  const since = now - trendDays * dayMs;
  const [days, hours, arc_hours] = await Promise.all([
    extremesOf(db, 'rollup_day', [line], since),
    extremesOf(db, 'rollup_hour', [line], since),
    arcsOf(db, line, now),
  ]);
  const ofDays = days.get(lineId) ?? [];
  const rated_current = ratings(line).ratedCurrent;
  const joint_weeks = jointWeeks(hours.get(lineId) ?? [], { now, weeks, ratedCurrent: rated_current });
  const fit = leakageFit(ofDays);
  return {
    ...rowOf(line, { days: ofDays, weeksOf: joint_weeks, arcs: arc_hours }, now),
    rated_current,
    leakage_days: ofDays.flatMap(({ at, leakage }) =>
      leakage === null
        ? []
        : [{ at, value: leakage, fitted: fit ? fit.intercept + (fit.slope * at) / dayMs : null }],
    ),
    joint_weeks,
    arc_hours,
  };
};
