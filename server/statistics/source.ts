import { sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { statisticsEndpoints } from '#contract/statistics.ts';
import { correctionsOf } from './corrections.ts';
import type { Asker } from './energy.ts';
import { headOf, instantOf } from './head.ts';
import { type Range, rangeOf, tableOf } from './range.ts';
import {
  expectedSeconds,
  figureOf,
  indexIn,
  inTimesOf,
  noSums,
  plus,
  rounded,
  type Sums,
  sqlTime,
  total,
} from './sums.ts';
import { targetOf } from './target.ts';

type Reply = ReplyOf<typeof statisticsEndpoints.source>;
interface Registers {
  first_at: number | null;
  first: number | null;
  last_at: number | null;
  last: number | null;
}
interface Row extends Sums {
  bucket: Date;
  first_at: Date | null;
  energy_first: number | null;
  last_at: Date | null;
  energy_last: number | null;
}

/**
 * How the energy of a line was calculated: for each part of the range the registers at both ends and the
 * events in between.
 */
export const energySource = async (
  { db, scope, now }: Asker,
  body: BodyOf<typeof statisticsEndpoints.source>,
): Promise<Reply> => {
  const target = await targetOf(db, scope, { line_id: body.line_id });
  const range = rangeOf(body, target.zone, now);
  const [line] = target.lines;
  // Days in which the line did not always count are cut to the quarter of an hour.
  const whole = target.lines.some(({ since, until }) => since <= range.from && until >= range.to);
  const rowsIn = whole
    ? sql`${sql.table(tableOf(range))} where line_id = ${line!.line_id}
        and bucket >= ${new Date(range.from)} and bucket < ${new Date(range.to)}`
    : inTimesOf(target.lines, sqlTime(range.from), sqlTime(range.to));
  const { rows } = await sql<Row>`
    select bucket, energy_kwh as kwh, estimated_kwh, corrected_kwh, covered_s, energy_flags as flags, resets, loss_kwh,
      first_at, energy_first, last_at, energy_last
    from ${rowsIn} order by bucket`.execute(db);
  const sums: Sums[] = range.buckets.map(() => noSums);
  const registers: Registers[] = range.buckets.map(() => ({
    first_at: null,
    first: null,
    last_at: null,
    last: null,
  }));
  for (const row of rows) {
    const index = indexIn(range.buckets, row.bucket.getTime());
    sums[index] = plus(sums[index]!, row);
    const register = registers[index]!;
    register.first_at ??= row.first_at?.getTime() ?? null;
    register.first ??= row.energy_first;
    register.last_at = row.last_at?.getTime() ?? register.last_at;
    register.last = row.energy_last ?? register.last;
  }
  const hasRegister = await sql`
    select from rollup_month where line_id = ${line!.line_id} and energy_last is not null limit 1`.execute(
    db,
  );
  return {
    head: headOf(target, range),
    has_register: hasRegister.rows.length > 0,
    upload_seconds: line!.interval_seconds,
    rated_kw: rounded(line!.rated_w / 1000),
    proven_kw: line!.proven_kw,
    supplies: line!.supplies ?? 'none',
    rows: rowsOf(range, registers).map((row, index) => ({
      ...row,
      ...figureOf(sums[index]!, expectedSeconds(target.lines, range.buckets[index]!, now)),
    })),
    total: figureOf(total(sums), expectedSeconds(target.lines, range, now)),
    corrections: await correctionsOf(db, scope, { line_id: body.line_id, within: range }),
  };
};

const rowsOf = ({ buckets }: Range, registers: readonly Registers[]) =>
  buckets.map((bucket, index) => {
    const { first_at, first, last_at, last } = registers[index]!;
    return {
      at: instantOf(bucket.from),
      to: instantOf(bucket.to),
      first_at: first_at === null ? null : instantOf(first_at),
      first_kwh: first,
      last_at: last_at === null ? null : instantOf(last_at),
      last_kwh: last,
      registered_kwh: first === null || last === null ? null : rounded(last - first),
    };
  });
