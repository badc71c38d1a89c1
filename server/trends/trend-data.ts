/** The stored values from which trends are calculated. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { ratingsOf, usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { type ArcHour, arcHours, type Extreme } from './estimate.ts';

const dayMs = 86_400_000;
/** Days of readings in which arcs are counted. */
const arcDays = 7;

export interface TrendLine {
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
  /** Older values do not count. */
  seen_from: Date;
}
/** Lines with their limits; `l` is the line, `d` its device. */
export const linesWhere = async (
  db: Db,
  condition: Expression<SqlBool> | RawBuilder<SqlBool>,
  seenFrom: RawBuilder<Date>,
): Promise<TrendLine[]> => {
  const { rows } = await sql<
    Omit<TrendLine, 'line_name' | 'device_name'> & { name: string; alias: string; device: string }
  >`
    select l.id as line_id, l.n as line_n, l.name, l.alias, d.id as device_id, d.number as device_number, d.name as device,
      d.type, l.rated_current, p.nominal_voltage, limits.thresholds, ${seenFrom} as seen_from
    from lines l join devices d on d.id = l.device_id left join projects p on p.id = d.project_id
    join effective_thresholds limits on limits.line_id = l.id
    where l.n > 0 and ${notDeleted('d')} and ${condition}
    order by d.id, l.n`.execute(db);
  return rows.map(({ name, alias, device, ...row }) => ({
    ...row,
    line_name: alias || name,
    device_name: device || row.device_number,
  }));
};

export const ratings = (line: TrendLine) =>
  ratingsOf({
    type: line.type,
    nominalVoltage: line.nominal_voltage ?? usualNominalVoltage,
    ratedCurrent: line.rated_current,
    thresholds: line.thresholds,
  });

/** Daily or hourly extremes of lines, by line and time. */
export const extremesOf = async (
  db: Db,
  table: 'rollup_day' | 'rollup_hour',
  lines: readonly Pick<TrendLine, 'line_id' | 'seen_from'>[],
  since: number,
): Promise<Map<number, Extreme[]>> => {
  const from = lines.map(({ seen_from }) => new Date(Math.max(since, seen_from.getTime())));
  const { rows } = await sql<{
    line_id: number;
    bucket: Date;
    leakage: number | null;
    temperature: number | null;
    current: number | null;
  }>`
    select r.line_id, r.bucket, r.leakage_max as leakage, r.temperature_max as temperature, r.current_max as current
    from unnest(${lines.map(({ line_id }) => line_id)}::int[], ${from}::timestamptz[]) as given (line_id, since)
      join ${sql.table(table)} r on r.line_id = given.line_id and r.bucket >= given.since
    where r.bucket >= ${new Date(since)}
    order by r.line_id, r.bucket`.execute(db);
  const found = new Map<number, Extreme[]>();
  for (const { line_id, bucket, ...row } of rows) {
    const of = found.get(line_id) ?? [];
    of.push({ at: bucket.getTime(), ...row });
    found.set(line_id, of);
  }
  return found;
};

const arcIndex = (line: Pick<TrendLine, 'type'>): number => lineChannels[line.type].indexOf('arc') + 1;
const arcSince = (line: Pick<TrendLine, 'seen_from'>, now: number): Date =>
  new Date(Math.max(now - arcDays * dayMs, line.seen_from.getTime()));

/**
 * Lines whose arc counter increased in the last days, largest increase first; the readings of other lines are
 * not read.
 */
export const linesWithArcs = async (
  db: Db,
  lines: readonly TrendLine[],
  now: number,
): Promise<readonly TrendLine[]> => {
  const able = lines.filter((line) => arcIndex(line) > 0);
  if (able.length === 0) return [];
  const { rows } = await sql<{ line_id: number; gain: number }>`
    select given.line_id, newest.count - oldest.count as gain
    from unnest(${able.map(({ line_id }) => line_id)}::int[], ${able.map(arcIndex)}::int[],
        ${able.map((line) => arcSince(line, now))}::timestamptz[]) as given (line_id, channel, since)
      cross join lateral (select r.channels[given.channel] as count from readings r where r.line_id = given.line_id
        and r.at >= given.since and r.channels[given.channel] is not null order by r.at limit 1) oldest
      cross join lateral (select r.channels[given.channel] as count from readings r where r.line_id = given.line_id
        and r.at >= given.since and r.at <= ${new Date(now)} and r.channels[given.channel] is not null
        order by r.at desc limit 1) newest
    where newest.count <> oldest.count`.execute(db);
  const gains = new Map(rows.map(({ line_id, gain }) => [line_id, Math.abs(gain)]));
  return able
    .filter(({ line_id }) => gains.has(line_id))
    .sort((one, other) => gains.get(other.line_id)! - gains.get(one.line_id)!);
};

/** Arcs in each hour of the last days; the counter may restart. */
export const arcsOf = async (db: Db, line: TrendLine, now: number): Promise<ArcHour[]> => {
  const index = arcIndex(line);
  if (index === 0) return [];
  const { rows } = await sql<{ at: Date; count: number }>`
    select date_bin('1 hour', at, 'epoch') as at, max(channels[${sql.lit(index)}])::float8 as count
    from readings where line_id = ${line.line_id} and at >= ${arcSince(line, now)} and at <= ${new Date(now)}
      and channels[${sql.lit(index)}] is not null
    group by 1 order by 1`.execute(db);
  return arcHours(rows.map(({ at, count }) => ({ at: at.getTime(), count: Math.round(count) })));
};
