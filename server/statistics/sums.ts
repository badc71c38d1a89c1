import { type RawBuilder, sql } from 'kysely';
import type * as z from 'zod';
import { type energyFigure, energyMarks } from '#contract/statistics.ts';
import type { Db } from '#database/connect.ts';
import { type Piece, piecesOf, type Range, type Span, tableOf } from './range.ts';
import type { MeteredLine } from './target.ts';

const quarterMs = 900_000;

export interface Sums {
  kwh: number;
  estimated_kwh: number;
  corrected_kwh: number;
  covered_s: number;
  flags: number;
  resets: number;
  loss_kwh: number | null;
}
export const noSums: Sums = {
  kwh: 0,
  estimated_kwh: 0,
  corrected_kwh: 0,
  covered_s: 0,
  flags: 0,
  resets: 0,
  loss_kwh: null,
};
export const plus = (a: Sums, b: Sums): Sums => ({
  kwh: a.kwh + b.kwh,
  estimated_kwh: a.estimated_kwh + b.estimated_kwh,
  corrected_kwh: a.corrected_kwh + b.corrected_kwh,
  covered_s: a.covered_s + b.covered_s,
  flags: a.flags | b.flags,
  resets: a.resets + b.resets,
  loss_kwh: a.loss_kwh === null && b.loss_kwh === null ? null : (a.loss_kwh ?? 0) + (b.loss_kwh ?? 0),
});
/** Whether something tells the energy: readings, a register after a gap, or a correction. */
const isKnown = ({ covered_s, kwh, flags }: Sums): boolean => covered_s > 0 || kwh !== 0 || flags !== 0;
/** The energy; null if nothing tells it. */
export const knownKWh = (sums: Sums): number | null => (isKnown(sums) ? rounded(sums.kwh) : null);
export const total = (all: Iterable<Sums>): Sums => [...all].reduce(plus, noSums);

const columns = sql`sum(energy_kwh) as kwh, sum(estimated_kwh) as estimated_kwh, sum(corrected_kwh) as corrected_kwh,
  sum(covered_s)::double precision as covered_s, bit_or(energy_flags)::int as flags, sum(resets)::int as resets,
  sum(loss_kwh) as loss_kwh`;
const raw = sql`line_id, bucket, energy_kwh, estimated_kwh, corrected_kwh, covered_s, energy_flags, resets, loss_kwh`;

/** Lines that count for the whole span, with days of its zone, and the others. */
const byWindow = (lines: readonly MeteredLine[], { from, to }: Span, zone: string) => {
  const counting = lines.filter((line) => line.since < to && line.until > from);
  const isWhole = (line: MeteredLine) => line.since <= from && line.until >= to && line.zone === zone;
  return { whole: counting.filter(isWhole), some: counting.filter((line) => !isWhole(line)) };
};
type OwnPiece = Piece & { lineId: number; place: number };
/**
 * The buckets of lines that count for a part of a span: the largest that are allowed, and only quarters of an hour of
 * a line whose days are those of another zone.
 */
const ownPieces = (
  some: readonly MeteredLine[],
  span: Span,
  zone: string,
  largest: 'month' | 'day' | 'quarter',
): OwnPiece[] => {
  const known = new Map<string, readonly Piece[]>();
  return some.flatMap((line, place) => {
    const own = { from: Math.max(line.since, span.from), to: Math.min(line.until, span.to) };
    const isCut = largest === 'quarter' || line.zone !== zone;
    const key = `${own.from} ${own.to} ${isCut}`;
    const pieces =
      known.get(key) ??
      (isCut ? [{ table: 'rollup_quarter' as const, ...own }] : piecesOf(own, zone, largest));
    known.set(key, pieces);
    return pieces.map((piece) => ({ ...piece, lineId: line.line_id, place }));
  });
};
/** `place`: the position in `some` of a line that counts for a part of the span. */
const rowsOf = (
  whole: readonly MeteredLine[],
  pieces: readonly Piece[],
  own: readonly OwnPiece[],
): RawBuilder<unknown> =>
  sql.join(
    [
      ...pieces.map(
        ({ table, from, to }) =>
          sql`select ${raw}, null::int as place from ${sql.table(table)}
            where line_id = any(${whole.map((line) => line.line_id)}::int[])
            and bucket >= ${new Date(from)} and bucket < ${new Date(to)}`,
      ),
      ...[...Map.groupBy(own, ({ table }) => table)].map(
        ([table, of]) =>
          sql`select ${raw}, u.place from unnest(${of.map(({ lineId }) => lineId)}::int[],
              ${of.map(({ from }) => new Date(from))}::timestamptz[], ${of.map(({ to }) => new Date(to))}::timestamptz[],
              ${of.map(({ place }) => place)}::int[]) as u (own_id, since, until, place)
            join ${sql.table(table)} q on q.line_id = u.own_id and q.bucket >= u.since and q.bucket < u.until`,
      ),
    ],
    sql` union all `,
  );

/** Quarters of an hour of these lines (as `q`) from one time to another, each in its own times. */
export const inTimesOf = (
  lines: readonly MeteredLine[],
  from: RawBuilder<unknown>,
  to: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  unnest(${lines.map(({ line_id }) => line_id)}::int[], ${lines.map(({ since }) => new Date(since))}::timestamptz[],
    ${lines.map(({ until }) => new Date(until))}::timestamptz[]) as own (own_id, since, until)
  join rollup_quarter q on q.line_id = own.own_id and q.bucket >= greatest(own.since, ${from})
    and q.bucket < least(own.until, ${to})`;
export const sqlTime = (at: number): RawBuilder<unknown> => sql`${new Date(at)}::timestamptz`;

export type SumsByLine = ReadonlyMap<MeteredLine, Sums>;
const sumsOfQuarters = async (
  db: Db,
  lines: readonly MeteredLine[],
  span: Span,
  zone: string,
): Promise<SumsByLine> => {
  const pieces = piecesOf(span, zone);
  if (lines.length === 0 || pieces.length === 0) return new Map();
  const windows = byWindow(lines, span, zone);
  const { rows } = await sql<Sums & { line_id: number; place: number | null }>`
    select line_id, place, ${columns}
    from (${rowsOf(windows.whole, pieces, ownPieces(windows.some, span, zone, 'month'))}) m
    group by line_id, place`.execute(db);
  const whole = new Map(windows.whole.map((line) => [line.line_id, line]));
  return new Map(
    rows.map(({ line_id, place, ...sums }) => [
      place === null ? whole.get(line_id)! : windows.some[place]!,
      sums,
    ]),
  );
};

/**
 * Energy of each line in a span that begins on a quarter of an hour. Of a quarter that the end cuts, the elapsed
 * share counts.
 */
export const sumsByLine = async (
  db: Db,
  lines: readonly MeteredLine[],
  { from, to }: Span,
  zone: string,
): Promise<SumsByLine> => {
  const cut = Math.floor(to / quarterMs) * quarterMs;
  if (cut === to) return sumsOfQuarters(db, lines, { from, to }, zone);
  const [before, last] = await Promise.all([
    sumsOfQuarters(db, lines, { from, to: cut }, zone),
    sumsOfQuarters(db, lines, { from: cut, to: cut + quarterMs }, zone),
  ]);
  const sums = new Map(before);
  for (const [line, quarter] of last)
    sums.set(line, plus(sums.get(line) ?? noSums, shareOf(quarter, (to - cut) / quarterMs)));
  return sums;
};
const shareOf = ({ flags, resets, ...sums }: Sums, share: number): Sums => ({
  kwh: sums.kwh * share,
  estimated_kwh: sums.estimated_kwh * share,
  corrected_kwh: sums.corrected_kwh * share,
  covered_s: sums.covered_s * share,
  loss_kwh: sums.loss_kwh === null ? null : sums.loss_kwh * share,
  flags,
  resets,
});

/** Index of the bucket that contains an instant; the buckets are consecutive. */
export const indexIn = (buckets: readonly Span[], at: number): number => {
  let [low, high] = [0, buckets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (buckets[middle]!.from <= at) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Energy of all lines together in each bucket of a range. */
export const sumsByBucket = async (db: Db, lines: readonly MeteredLine[], range: Range): Promise<Sums[]> => {
  const sums: Sums[] = range.buckets.map(() => noSums);
  const pieces =
    range.by === 'month'
      ? piecesOf(range, range.zone)
      : [{ table: tableOf(range), from: range.from, to: range.to }];
  if (lines.length === 0) return sums;
  const { whole, some } = byWindow(lines, range, range.zone);
  const largest = range.by === 'hour' ? 'quarter' : range.by;
  const { rows } = await sql<Sums & { bucket: Date }>`
    select bucket, ${columns} from (${rowsOf(whole, pieces, ownPieces(some, range, range.zone, largest))}) m
    group by bucket`.execute(db);
  for (const { bucket, ...row } of rows) {
    const index = indexIn(range.buckets, bucket.getTime());
    sums[index] = plus(sums[index]!, row);
  }
  return sums;
};

/**
 * Seconds of a span for which the lines together should have reported: since their first figures, until now.
 */
export const expectedSeconds = (lines: readonly MeteredLine[], { from, to }: Span, now: number): number =>
  lines.reduce((seconds, line) => {
    if (line.data_from === null) return seconds;
    const start = Math.max(from, line.since, line.data_from);
    const end = Math.min(to, line.until, now);
    return seconds + Math.max(0, end - start) / 1000;
  }, 0);

/** The first figures of these lines; null: there are none. */
export const firstFigures = (lines: readonly MeteredLine[]): number | null =>
  lines.reduce<number | null>((first, { data_from, since, until }) => {
    if (data_from === null || data_from >= until) return first;
    const own = Math.max(data_from, since);
    return first === null ? own : Math.min(first, own);
  }, null);
/**
 * Time of the first figures if it is more than a quarter of an hour after the beginning of this span: only part
 * of the span was recorded.
 */
export const beginningWithin = (lines: readonly MeteredLine[], { from, to }: Span): number | null => {
  const first = firstFigures(lines);
  return first !== null && first >= from + quarterMs && first < to ? first : null;
};

/**
 * For many spans: seconds that the lines should have reported until an instant, from their sorted starts and
 * ends.
 */
export const expectedIn = (lines: readonly MeteredLine[], now: number): ((span: Span) => number) => {
  const known = lines.flatMap((line) => {
    const start = line.data_from === null ? Number.POSITIVE_INFINITY : Math.max(line.since, line.data_from);
    const end = Math.min(line.until, now);
    return start < end ? [{ start, end }] : [];
  });
  const [starts, ends] = [upTo(known.map(({ start }) => start)), upTo(known.map(({ end }) => end))];
  return ({ from, to }) => (from < to ? (starts(to) - ends(to) - starts(from) + ends(from)) / 1000 : 0);
};
/** For an instant, the sum of the times that have passed since those of `instants` that lie before it. */
const upTo = (instants: readonly number[]): ((at: number) => number) => {
  const sorted = Float64Array.from(instants).sort();
  const sums = new Float64Array(sorted.length + 1);
  for (const [index, instant] of sorted.entries()) sums[index + 1] = sums[index]! + (instant - sorted[0]!);
  return (at) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : low * (at - sorted[0]!) - sums[low]!;
  };
};

/** Rounded to the microwatt-hour, the precision of sums of binary fractions. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
const marksOf = (flags: number) => energyMarks.filter((_, bit) => (flags & (1 << bit)) !== 0);
/** A rollup is a minute behind the readings: almost full coverage counts as full. */
const nearly = 0.995;
export const coverageOf = (covered: number, expected: number): number | null => {
  if (expected <= 0) return null;
  const share = covered / expected;
  return share >= nearly ? 1 : Math.max(0, Math.round(share * 1e4) / 1e4);
};
export const figureOf = (sums: Sums, expected: number): z.output<typeof energyFigure> => ({
  kwh: rounded(sums.kwh),
  estimated_kwh: rounded(sums.estimated_kwh),
  corrected_kwh: rounded(sums.corrected_kwh),
  coverage: coverageOf(sums.covered_s, expected),
  marks: marksOf(sums.flags),
  resets: sums.resets,
});
