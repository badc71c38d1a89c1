import { DateTime } from 'luxon';
import { firstAfter, firstOf } from '#server/core/zone.ts';
import { energyFlags, quarterMs } from './energy.ts';

/** Columns of a rollup table besides its key. */
export const figures = [
  ['samples', 'integer'],
  ['covered_s', 'real'],
  ['energy_kwh', 'double precision'],
  ['energy_flags', 'smallint'],
  ['estimated_kwh', 'double precision'],
  ['corrected_kwh', 'double precision'],
  ['loss_kwh', 'double precision'],
  ['resets', 'smallint'],
  ['power_min', 'real'],
  ['power_avg', 'real'],
  ['power_max', 'real'],
  ['current_max', 'real'],
  ['current_a', 'real'],
  ['current_b', 'real'],
  ['current_c', 'real'],
  ['voltage_min', 'real'],
  ['voltage_max', 'real'],
  ['leakage_max', 'real'],
  ['temperature_max', 'real'],
  ['energy_first', 'double precision'],
  ['energy_last', 'double precision'],
  ['first_at', 'timestamptz'],
  ['last_at', 'timestamptz'],
] as const;
export const names = figures.map(([name]) => name);
export const list = names.join(', ');
export const upsert = (table: string): string => `
  on conflict (line_id, bucket) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
  where (${names.map((name) => `${table}.${name}`).join(', ')}) is distinct from (${names.map((name) => `excluded.${name}`).join(', ')})`;

/** A mean weighted by the time that readings cover. */
const mean = (name: string) => `
  coalesce(sum(${name} * covered_s) filter (where ${name} is not null)
    / nullif(sum(covered_s) filter (where ${name} is not null), 0), avg(${name}))::real as ${name}`;
const unchanged = {
  energy: 'sum(energy_kwh)',
  flags: 'bit_or(energy_flags)',
  corrected: 'sum(corrected_kwh)',
  join: '',
  whenever: '',
};
/**
 * Corrections are added at the quarters, from which all larger buckets are calculated; energy is never
 * negative.
 */
const withCorrections = {
  energy: 'greatest(0, coalesce(sum(energy_kwh), 0) + coalesce(max(ledger.kwh), 0))',
  flags: `coalesce(bit_or(energy_flags), 0) | case when max(ledger.kwh) is null then 0 else ${energyFlags.corrected} end`,
  corrected: 'coalesce(max(ledger.kwh), 0)',
  join: `left join lateral (select sum(kwh) as kwh from energy_correction_parts c
    where c.line_id = w.line_id and c.bucket = w.since) ledger on true`,
  whenever: 'having count(m.line_id) > 0 or max(ledger.kwh) is not null',
};
/** Sums and extremes of smaller buckets. */
const foldSql = (
  into: string,
  from: string,
  { energy, flags, corrected, join, whenever }: typeof unchanged,
) => `
  with wanted as (select * from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) as u (line_id, since, until)),
  folded as (
    select w.line_id, w.since, coalesce(sum(samples), 0)::int as samples, coalesce(sum(covered_s), 0)::real as covered_s,
      ${energy} as energy_kwh, (${flags})::smallint as energy_flags, coalesce(sum(estimated_kwh), 0) as estimated_kwh,
      ${corrected} as corrected_kwh, sum(loss_kwh) as loss_kwh, least(coalesce(sum(resets), 0), 32767)::smallint as resets,
      min(power_min) as power_min, ${mean('power_avg')}, max(power_max) as power_max, max(current_max) as current_max,
      ${mean('current_a')}, ${mean('current_b')}, ${mean('current_c')}, min(voltage_min) as voltage_min,
      max(voltage_max) as voltage_max, max(leakage_max) as leakage_max, max(temperature_max) as temperature_max,
      (array_agg(energy_first order by bucket) filter (where energy_first is not null))[1] as energy_first,
      (array_agg(energy_last order by bucket desc) filter (where energy_last is not null))[1] as energy_last,
      min(first_at) as first_at, max(last_at) as last_at
    from wanted w ${join === '' ? 'join' : 'left join'} ${from} m
      on m.line_id = w.line_id and m.bucket >= w.since and m.bucket < w.until and m.bucket >= $4 and m.bucket < $5
    ${join}
    group by 1, 2 ${whenever}),
  gone as (delete from ${into} b using wanted w where b.line_id = w.line_id and b.bucket = w.since
    and not exists (select from folded f where f.line_id = w.line_id and f.since = w.since))
  insert into ${into} (line_id, bucket, ${list}) select line_id, since, ${list} from folded
  ${upsert(into)}`;

/** A connection, or a transaction that has the same method. */
interface Runs {
  query(text: string, values: unknown[]): Promise<unknown>;
}
interface Bucket {
  lineId: number;
  start: number;
  end: number;
}
const date = (at: number) => new Date(at);
const foldInto = async (client: Runs, into: string, from: string, buckets: readonly Bucket[]) => {
  if (buckets.length === 0) return;
  const kind = into === 'rollup_quarter' ? withCorrections : unchanged;
  await client.query(foldSql(into, from, kind), [
    buckets.map((bucket) => bucket.lineId),
    buckets.map((bucket) => date(bucket.start)),
    buckets.map((bucket) => date(bucket.end)),
    // One condition for all buckets, so that other partitions are skipped.
    date(buckets.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY)),
    date(buckets.reduce((most, { end }) => Math.max(most, end), 0)),
  ]);
};

/** The buckets that contain these instants of lines, each once. */
const bucketsOf = (
  instants: Iterable<{ lineId: number; bucket: number }>,
  boundsOf: (lineId: number, at: number) => readonly [start: number, end: number],
): Bucket[] => {
  const found = new Map<string, Bucket>();
  const ends = new Map<number, Bucket>();
  for (const { lineId, bucket } of instants) {
    const last = ends.get(lineId);
    if (last && bucket >= last.start && bucket < last.end) continue;
    const [start, end] = boundsOf(lineId, bucket);
    const made = found.get(`${lineId} ${start}`) ?? { lineId, start, end };
    found.set(`${lineId} ${start}`, made);
    ends.set(lineId, made);
  }
  return [...found.values()];
};
const even =
  (lengthMs: number) =>
  (_: number, at: number): readonly [number, number] => {
    const start = Math.floor(at / lengthMs) * lengthMs;
    return [start, start + lengthMs];
  };
const calendarBounds = (unit: 'day' | 'month', at: number, zone: string): readonly [number, number] => {
  const instant = DateTime.fromMillis(at, { zone });
  return [firstOf(unit, instant).toMillis(), firstAfter(unit, instant).toMillis()];
};
/** Most lines of one statement have the same day: it is computed once for each zone. */
const calendar = (unit: 'day' | 'month', zones: ReadonlyMap<number, string>) => {
  const last = new Map<string, readonly [number, number]>();
  return (lineId: number, at: number): readonly [number, number] => {
    const zone = zones.get(lineId)!;
    const known = last.get(zone);
    if (known && at >= known[0] && at < known[1]) return known;
    const bounds = calendarBounds(unit, at, zone);
    last.set(zone, bounds);
    return bounds;
  };
};
const instantsOf = (buckets: readonly Bucket[]) =>
  buckets.map(({ lineId, start }) => ({ lineId, bucket: start }));

/** Recalculates the months that contain these instants from their days. */
export const foldMonths = (
  client: Runs,
  instants: Iterable<{ lineId: number; bucket: number }>,
  zones: ReadonlyMap<number, string>,
): Promise<void> =>
  foldInto(client, 'rollup_month', 'rollup_day', bucketsOf(instants, calendar('month', zones)));

/** Recalculates the days and months that contain these instants, in the zone of each line's project. */
export const foldDays = async (
  client: Runs,
  instants: Iterable<{ lineId: number; bucket: number }>,
  zones: ReadonlyMap<number, string>,
): Promise<void> => {
  const days = bucketsOf(instants, calendar('day', zones));
  await foldInto(client, 'rollup_day', 'rollup_quarter', days);
  await foldMonths(client, instantsOf(days), zones);
};

/**
 * Hours of projects whose load must be summed again: those of the owners of these lines at the time. `offset 0`:
 * looked up by device, because there are far more devices than lines here.
 */
const markLoadSql = `
  insert into load_dirty (project_id, hour)
  select distinct o.project_id, u.hour from unnest($1::int[], $2::timestamptz[]) as u (line_id, hour)
  join lines l on l.id = u.line_id cross join lateral (
    select project_id from device_ownerships o where o.device_id = l.device_id
      and o.until > u.hour and o.since < u.hour + interval '1 hour' offset 0) o
  order by 1, 2 on conflict (project_id, hour) do update set hour = excluded.hour`;

/**
 * Recalculates the hours, days and months that contain these quarters, and marks the hours for the load of
 * their projects.
 */
export const foldQuarters = async (
  client: Runs,
  quarters: readonly Bucket[],
  zones: ReadonlyMap<number, string>,
): Promise<void> => {
  const hours = bucketsOf(instantsOf(quarters), even(4 * quarterMs));
  await foldInto(client, 'rollup_hour', 'rollup_quarter', hours);
  await foldDays(client, instantsOf(quarters), zones);
  await client.query(markLoadSql, [hours.map(({ lineId }) => lineId), hours.map(({ start }) => date(start))]);
};

/** Recalculates the quarters, hours, days and months that contain these minutes. */
export const foldMinutes = async (
  client: Runs,
  minutes: Iterable<{ lineId: number; bucket: number }>,
  zones: ReadonlyMap<number, string>,
): Promise<void> => {
  const quarters = bucketsOf(minutes, even(quarterMs));
  await foldInto(client, 'rollup_quarter', 'rollup_minute', quarters);
  await foldQuarters(client, quarters, zones);
};
