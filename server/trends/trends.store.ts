import { sql } from 'kysely';
import { baseOf, ratingsOf, usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { mostTrendRows, trendDays, type trendEndpoints } from '#contract/trends.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inOwnTime, seenFrom } from '#server/core/ownership.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import {
  arcHours,
  type Extreme,
  jointTrend,
  jointWeeks,
  leakageFit,
  leakageTrend,
  type Week,
} from './estimate.ts';

type List = ReplyOf<typeof trendEndpoints.list>;
type Row = List['list'][number];
type Detail = ReplyOf<typeof trendEndpoints.detail>;

const dayMs = 86_400_000;
const weeks = trendDays / 7;
/** Hours of readings in which arcs are counted. */
const arcMs = 7 * dayMs;
/** A fit of hours is dear: of a project the lines that were the warmest in the last week are looked at. */
const warmest = 20;

interface StoredLine {
  line_id: number;
  line_n: number;
  line_name: string;
  device_id: number;
  device_number: string;
  device_name: string;
  type: DeviceType;
  rated_current: number | null;
  nominal_voltage: number | null;
  thresholds: Record<string, number>;
  seen_from: Date;
}
const linesWhere = async (
  db: Db,
  scope: Scope,
  { project_id, device_id, line_id }: { project_id?: number; device_id?: number; line_id?: number },
): Promise<StoredLine[]> => {
  const { rows } = await sql<
    Omit<StoredLine, 'line_name' | 'device_name'> & { name: string; alias: string; device: string }
  >`
    select l.id as line_id, l.n as line_n, l.name, l.alias, d.id as device_id, d.number as device_number, d.name as device,
      d.type, l.rated_current, p.nominal_voltage, limits.thresholds, ${seenFrom(scope, 'd.id')} as seen_from
    from lines l join devices d on d.id = l.device_id left join projects p on p.id = d.project_id
    join effective_thresholds limits on limits.line_id = l.id
    where l.n > 0 and ${notDeleted('d')} and ${inScope(scope, 'd.project_id', 'd.part_id')}
      ${project_id === undefined ? sql`` : sql`and d.project_id = ${project_id}`}
      ${device_id === undefined ? sql`` : sql`and d.id = ${device_id}`}
      ${line_id === undefined ? sql`` : sql`and l.id = ${line_id}`}
    order by d.id, l.n`.execute(db);
  return rows.map(({ name, alias, device, ...row }) => ({
    ...row,
    line_name: alias || name,
    device_name: device || row.device_number,
  }));
};

const ratings = (line: StoredLine) =>
  ratingsOf({
    type: line.type,
    nominalVoltage: line.nominal_voltage ?? usualNominalVoltage,
    ratedCurrent: line.rated_current,
    thresholds: line.thresholds,
  });

/** Daily or hourly extremes of lines, by line and time. */
const extremesOf = async (
  db: Db,
  scope: Scope,
  table: 'rollup_day' | 'rollup_hour',
  ids: readonly number[],
  since: number,
): Promise<Map<number, Extreme[]>> => {
  const { rows } = await sql<{
    line_id: number;
    bucket: Date;
    leakage: number | null;
    temperature: number | null;
    current: number | null;
  }>`
    select r.line_id, r.bucket, r.leakage_max as leakage, r.temperature_max as temperature, r.current_max as current
    from ${sql.table(table)} r join lines on lines.id = r.line_id
    where r.line_id = any(${[...ids]}::int[]) and r.bucket >= ${new Date(since)}
      and ${inOwnTime(scope, 'lines.device_id', 'r.bucket')}
    order by r.line_id, r.bucket`.execute(db);
  const found = new Map<number, Extreme[]>();
  for (const { line_id, bucket, ...row } of rows) {
    const of = found.get(line_id) ?? [];
    of.push({ at: bucket.getTime(), ...row });
    found.set(line_id, of);
  }
  return found;
};

const rowOf = (line: StoredLine, days: readonly Extreme[], weeksOf: readonly Week[]): Row => {
  const leakage = leakageTrend(days, baseOf('set', ratings(line)));
  const joint = jointTrend(weeksOf);
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
    warns: (leakage?.rising ?? false) || (joint?.rising ?? false),
  };
};
/** Warnings first: the sooner the limit, then the more a joint warms. */
const byUrgency = (one: Row, other: Row): number =>
  Number(other.warns) - Number(one.warns) ||
  (one.leakage?.days_to_limit ?? Number.MAX_VALUE) - (other.leakage?.days_to_limit ?? Number.MAX_VALUE) ||
  (other.joint?.now ?? 0) - (one.joint?.now ?? 0) ||
  one.line_id - other.line_id;

export const trendList = async (
  db: Db,
  scope: Scope,
  { project_id, device_id }: BodyOf<typeof trendEndpoints.list>,
  now: number,
): Promise<List> => {
  const lines = await linesWhere(db, scope, {
    ...(project_id === undefined ? {} : { project_id }),
    ...(device_id === undefined ? {} : { device_id }),
  });
  const ids = lines.map(({ line_id }) => line_id);
  const since = now - trendDays * dayMs;
  const days = await extremesOf(db, scope, 'rollup_day', ids, since);
  const hottest = (line: number) =>
    Math.max(
      Number.NEGATIVE_INFINITY,
      ...(days.get(line) ?? [])
        .filter(({ at }) => at >= now - 8 * dayMs)
        .map(({ temperature }) => temperature ?? Number.NEGATIVE_INFINITY),
    );
  const warm = ids
    .map((id) => ({ id, hottest: hottest(id) }))
    .filter((line) => Number.isFinite(line.hottest))
    .sort((one, other) => other.hottest - one.hottest)
    .slice(0, warmest);
  const hours = await extremesOf(
    db,
    scope,
    'rollup_hour',
    warm.map(({ id }) => id),
    since,
  );
  const rows = lines
    .map((line) => {
      const ofHours = hours.get(line.line_id) ?? [];
      const shape = { now, weeks, ratedCurrent: ratings(line).ratedCurrent };
      return rowOf(
        line,
        days.get(line.line_id) ?? [],
        ofHours.length === 0 ? [] : jointWeeks(ofHours, shape),
      );
    })
    .filter(({ leakage, joint }) => leakage !== null || joint !== null)
    .sort(byUrgency);
  return {
    lines: rows.length,
    warnings: rows.filter(({ warns }) => warns).length,
    list: rows.slice(0, mostTrendRows),
  };
};

/** The highest count of each hour; a counter may restart. */
const arcsOf = async (db: Db, line: StoredLine, now: number) => {
  const index = lineChannels[line.type].indexOf('arc');
  if (index < 0) return [];
  const since = new Date(Math.max(now - arcMs, line.seen_from.getTime()));
  const { rows } = await sql<{ at: Date; count: number }>`
    select date_bin('1 hour', at, 'epoch') as at, max(channels[${sql.lit(index + 1)}])::float8 as count
    from readings where line_id = ${line.line_id} and at >= ${since} and at <= ${new Date(now)}
      and channels[${sql.lit(index + 1)}] is not null
    group by 1 order by 1`.execute(db);
  return arcHours(rows.map(({ at, count }) => ({ at: at.getTime(), count: Math.round(count) })));
};

export const trendDetail = async (db: Db, scope: Scope, lineId: number, now: number): Promise<Detail> => {
  const [line] = await linesWhere(db, scope, { line_id: lineId });
  if (!line) return fault('line.missing');
  const since = now - trendDays * dayMs;
  const [days, hours, arc_hours] = await Promise.all([
    extremesOf(db, scope, 'rollup_day', [lineId], since),
    extremesOf(db, scope, 'rollup_hour', [lineId], since),
    arcsOf(db, line, now),
  ]);
  const ofDays = days.get(lineId) ?? [];
  const rated_current = ratings(line).ratedCurrent;
  const joint_weeks = jointWeeks(hours.get(lineId) ?? [], { now, weeks, ratedCurrent: rated_current });
  const fit = leakageFit(ofDays);
  return {
    ...rowOf(line, ofDays, joint_weeks),
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
