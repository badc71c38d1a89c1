import { sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { statisticsEndpoints } from '#contract/statistics.ts';
import type { Db } from '#database/connect.ts';
import { quartersOf } from './electricity.ts';
import type { Asker } from './energy.ts';
import { headOf, instantOf } from './head.ts';
import { curveStep, type LoadFigures, loadFigures } from './load-figures.ts';
import { earlier, type Range, rangeOf } from './range.ts';
import { coverageOf, expectedIn, inTimesOf, rounded, sqlTime } from './sums.ts';
import { forever, type Target, targetOf } from './target.ts';

type Reply = ReplyOf<typeof statisticsEndpoints.load>;
type Figures = Reply['figures'];
/** Share of the rated current below which the unbalance of a line is not meaningful. */
const leastLoad = 0.1;
const quarterMs = 900_000;
const dayMs = 86_400_000;

const tenth = (value: number) => Math.round(value * 10) / 10;
const ratio = (part: number, whole: number) => (whole > 0 ? Math.round((part / whole) * 1e4) / 1e4 : null);

type Found = LoadFigures & { energy_kwh: number };

/**
 * Quarters of an hour of a range in one value, because reading one row each would take longer than counting.
 * A load is the mean of a whole quarter, so the present quarter has energy but no load yet.
 */
const readLoad = async (db: Db, target: Target, range: Range, now: number): Promise<Found> => {
  const { rows } = await sql<{ packed: Buffer | null; energy_kwh: number | null }>`
    select sum(energy_kwh) as energy_kwh,
      string_agg(int4send((date_part('epoch', bucket) / 900)::int) || float8send(coalesce(case when bucket <= ${new Date(now - quarterMs)} then power_w end, 'NaN'::double precision))
        || float8send(coalesce(covered_s, 0)) || int4send(lines), ''::bytea order by bucket) as packed
    from (${quartersOf(target, sqlTime(range.from), sqlTime(range.to))}) q`.execute(db);
  const found = rows[0];
  return {
    ...loadFigures(found?.packed ?? Buffer.alloc(0), range),
    energy_kwh: found?.energy_kwh ?? 0,
  };
};

const figuresOf = (
  found: Found,
  target: Target,
  range: Range,
  ratedW: number | null,
  now: number,
): Figures => {
  const { max_w, min_w, avg_w } = found;
  const expected = expectedIn(target.lines, now);
  const stepMs = { quarter: quarterMs, hour: 3_600_000, day: dayMs }[curveStep(range)];
  return {
    from: instantOf(range.from),
    to: instantOf(range.to),
    max_w: max_w === null ? null : tenth(max_w),
    max_at: found.max_at === null ? null : instantOf(found.max_at),
    min_w: min_w === null ? null : tenth(min_w),
    min_at: found.min_at === null ? null : instantOf(found.min_at),
    avg_w: avg_w === null ? null : tenth(avg_w),
    load_factor: max_w === null || avg_w === null ? null : ratio(avg_w, max_w),
    difference_w: max_w === null || min_w === null ? null : tenth(max_w - min_w),
    difference_rate: max_w === null || min_w === null ? null : ratio(max_w - min_w, max_w),
    utilisation: max_w === null || ratedW === null ? null : ratio(max_w, ratedW),
    energy_kwh: rounded(found.energy_kwh),
    coverage: coverageOf(found.covered_s, expected(range)),
    curve: found.curve.map(({ at, avg, max, min, covered }) => ({
      at: instantOf(at),
      avg_w: tenth(avg),
      max_w: tenth(max),
      min_w: tenth(min),
      coverage: coverageOf(covered, expected({ from: at, to: Math.min(at + stepMs, range.to) })),
    })),
    duration: found.duration.map(tenth),
  };
};

interface PhaseRow {
  avg_a: number | null;
  avg_b: number | null;
  avg_c: number | null;
  max_a: number | null;
  max_b: number | null;
  max_c: number | null;
  unbalance_avg: number | null;
  unbalance_max: number | null;
  unbalance_at: Date | null;
}
/** Currents of a line by phase, and their unbalance. */
const phasesOf = async (db: Db, target: Target, range: Range): Promise<Reply['phases']> => {
  const [line] = target.lines;
  if (target.kind !== 'line' || !line) return null;
  const mean = (name: string) =>
    sql`sum(${sql.ref(name)} * covered_s) / nullif(sum(covered_s) filter (where ${sql.ref(name)} is not null), 0)`;
  const { rows } = await sql<PhaseRow>`
    with q as materialized (
      select bucket, covered_s, current_a, current_b, current_c, (current_a + current_b + current_c) / 3 as mean,
        greatest(current_a, current_b, current_c) as most
      from ${inTimesOf(target.lines, sqlTime(range.from), sqlTime(range.to))}),
    uneven as (select bucket, covered_s, most / mean - 1 as unbalance from q
      where mean > 0 and mean >= ${leastLoad * (line.rated_current ?? 0)}::double precision)
    select ${mean('current_a')} as avg_a, ${mean('current_b')} as avg_b, ${mean('current_c')} as avg_c,
      max(current_a) as max_a, max(current_b) as max_b, max(current_c) as max_c,
      (select sum(unbalance * covered_s) / nullif(sum(covered_s), 0) from uneven) as unbalance_avg,
      (select max(unbalance) from uneven) as unbalance_max,
      (select bucket from uneven order by unbalance desc, bucket limit 1) as unbalance_at
    from q`.execute(db);
  const row = rows[0]!;
  const amperes = (value: number | null) => (value === null ? null : Math.round(value * 1000) / 1000);
  const list = (['a', 'b', 'c'] as const)
    .map((phase) => ({ phase, avg_a: amperes(row[`avg_${phase}`]), max_a: amperes(row[`max_${phase}`]) }))
    .filter(({ max_a }) => max_a !== null);
  if (list.length === 0) return null;
  const most = Math.max(...list.map(({ max_a }) => max_a!));
  const share = (value: number | null) => (value === null ? null : Math.round(value * 1e4) / 1e4);
  return {
    rated_a: line.rated_current,
    utilisation: line.rated_current === null ? null : ratio(most, line.rated_current),
    list,
    unbalance_avg: share(row.unbalance_avg),
    unbalance_max: share(row.unbalance_max),
    unbalance_at: row.unbalance_at?.toISOString() ?? null,
  };
};

export const loadStatistics = async (
  { db, scope, now }: Asker,
  body: BodyOf<typeof statisticsEndpoints.load>,
): Promise<Reply> => {
  const target = await targetOf(db, scope, body);
  const range = rangeOf(body, target.zone, now);
  const present = target.lines.filter(({ until }) => until === forever);
  const ratedW =
    present.length === 0 || present.some((line) => line.rated_current === null)
      ? null
      : present.reduce((sum, line) => sum + line.rated_w, 0);
  const other = body.compare === 'none' ? null : earlier(range, body.compare, now);
  const [found, before, phases] = await Promise.all([
    readLoad(db, target, range, now),
    other && readLoad(db, target, other, now),
    phasesOf(db, target, range),
  ]);
  return {
    head: headOf(target, range, curveStep(range)),
    rated_w: ratedW,
    figures: figuresOf(found, target, range, ratedW, now),
    compared: other && before && figuresOf(before, target, other, ratedW, now),
    phases,
  };
};
