import { type RawBuilder, sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { statisticsEndpoints } from '#contract/statistics.ts';
import { type TariffBand, tariffBands } from '#contract/tariffs.ts';
import type { Db } from '#database/connect.ts';
import { loadOf } from '#server/core/metered-lines.ts';
import { dayOf } from '#server/core/zone.ts';
import type { Asker } from './energy.ts';
import { headOf, instantOf } from './head.ts';
import { membersOf } from './members.ts';
import { comparable, counterparts, earlier, type Range, rangeOf, type Span } from './range.ts';
import {
  beginningWithin,
  coverageOf,
  expectedSeconds,
  figureOf,
  indexIn,
  inTimesOf,
  knownKWh,
  rounded,
  type Sums,
  type SumsByLine,
  sumsByBucket,
  sumsByLine,
  total,
} from './sums.ts';
import { type MeteredLine, type Target, targetOf } from './target.ts';
import { type Slot, slotsOf, versionOn } from './tariff-slots.ts';
import { versionsFor } from './tariffs.ts';

type Reply = ReplyOf<typeof statisticsEndpoints.electricity>;

/**
 * Quarters of an hour of a target from one time to another. For a project or part they come from the stored sums,
 * otherwise from the lines. A result of one row is not grouped, because grouping would take most of the time of a
 * year.
 */
export const quartersOf = (
  target: Target,
  from: RawBuilder<unknown>,
  to: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  if (target.kind === 'project' || target.kind === 'part') {
    const parts = target.kind === 'part' ? [target.id] : (target.partIds ?? [0]);
    const within = sql`bucket >= ${from} and bucket < ${to}`;
    return parts.length === 1
      ? sql`select bucket, energy_kwh, power_w, covered_s, lines
          from load_quarter where project_id = ${target.project_id} and part_id = ${parts[0]} and ${within}`
      : sql`select bucket, sum(energy_kwh) as energy_kwh, sum(power_w) as power_w,
          sum(covered_s) as covered_s, sum(lines)::int as lines
          from load_quarter where project_id = ${target.project_id} and part_id = any(${parts}::int[]) and ${within}
          group by bucket`;
  }
  const quarters = inTimesOf(target.lines, from, to);
  return new Set(target.lines.map(({ line_id }) => line_id)).size === 1
    ? sql`select bucket, energy_kwh, ${sql.raw(loadOf('q'))} as power_w, covered_s::double precision as covered_s,
          1 as lines from ${quarters}`
    : sql`select bucket, sum(energy_kwh) as energy_kwh, sum(${sql.raw(loadOf('q'))}) as power_w,
          sum(covered_s)::double precision as covered_s, count(*)::int as lines
        from ${quarters} group by bucket`;
};

interface Banded {
  bands: Partial<Record<TariffBand, number>>;
  costs: { currency: string; band: TariffBand; amount: number }[];
  /** Null if no tariff has emissions per kilowatt-hour. */
  co2_kg: number | null;
}
/** Energy and cost by band, and CO₂, in each bucket; each slot reads its own range of quarters. */
const banded = async (db: Db, target: Target, range: Range, slots: readonly Slot[]): Promise<Banded[]> => {
  const sums: Banded[] = range.buckets.map(() => ({ bands: {}, costs: [], co2_kg: null }));
  if (slots.length === 0 || target.lines.length === 0) return sums;
  const { rows } = await sql<{ slot: number; kwh: number }>`
    select u.slot, sum(q.energy_kwh) as kwh
    from unnest(${slots.map((_, index) => index)}::int[], ${slots.map(({ from }) => new Date(from))}::timestamptz[],
      ${slots.map(({ to }) => new Date(to))}::timestamptz[]) as u (slot, since, until)
    cross join lateral (${quartersOf(target, sql`u.since`, sql`u.until`)}) q
    group by u.slot`.execute(db);
  for (const { slot, kwh } of rows) {
    const { from, band, price, currency, co2_kg_per_kwh } = slots[slot]!;
    const sum = sums[indexIn(range.buckets, from)]!;
    sum.bands[band] = (sum.bands[band] ?? 0) + kwh;
    sum.costs.push({ currency, band, amount: kwh * price });
    if (co2_kg_per_kwh !== null) sum.co2_kg = (sum.co2_kg ?? 0) + kwh * co2_kg_per_kwh;
  }
  return sums;
};
/** A bucket of an hour may contain two bands, so slots are split at the ends of buckets. */
const cutAtBuckets = (slots: readonly Slot[], { buckets, by }: Range): Slot[] =>
  by !== 'hour'
    ? [...slots]
    : slots.flatMap((slot) =>
        buckets
          .filter((bucket) => bucket.from < slot.to && bucket.to > slot.from)
          .map((bucket) => ({
            ...slot,
            from: Math.max(slot.from, bucket.from),
            to: Math.min(slot.to, bucket.to),
          })),
      );

const growthOf = (now: number | null, before: number | null): number | null =>
  now === null || before === null
    ? null
    : before > 0
      ? (now - before) / before
      : now === 0 && before === 0
        ? 0
        : null;

interface Compared {
  span: Span;
  byLine: SumsByLine;
  /** The figures of the compared range for each bucket of the range. */
  buckets: ({ span: Span; sums: Sums } | null)[];
}
const comparedWith = async (
  db: Db,
  lines: readonly MeteredLine[],
  range: Range,
  by: 'previous' | 'year',
  now: number,
): Promise<Compared> => {
  const before = earlier(range, by, now);
  const span = comparable(range, before, now);
  const [byLine, buckets] = await Promise.all([
    sumsByLine(db, lines, span, range.zone),
    sumsByBucket(db, lines, before),
  ]);
  return {
    span,
    byLine,
    buckets: counterparts(range, before).map((place) =>
      place === null ? null : { span: before.buckets[place]!, sums: buckets[place]! },
    ),
  };
};
/** Lines with figures in a span: without any there is nothing to compare with. */
const hadData = (lines: readonly MeteredLine[], span: Span, now: number) =>
  expectedSeconds(lines, span, now) > 0;

export const electricity = async (
  { db, scope, now }: Asker,
  body: BodyOf<typeof statisticsEndpoints.electricity>,
): Promise<Reply> => {
  const target = await targetOf(db, scope, body);
  const { lines } = target;
  const range = rangeOf(body, target.zone, now);
  const versions = await versionsFor(db, target.project_id);
  const slots = cutAtBuckets(
    slotsOf(versions, { from: range.from, to: Math.min(range.to, now) }, range.zone),
    range,
  );
  const [buckets, byLine, previous, yearBefore, bands] = await Promise.all([
    sumsByBucket(db, lines, range),
    sumsByLine(db, lines, range, range.zone),
    comparedWith(db, lines, range, 'previous', now),
    comparedWith(db, lines, range, 'year', now),
    banded(db, target, range, slots),
  ]);
  const whole = total(byLine.values());
  const version = versionOn(versions, range.running ? dayOf(now, range.zone) : range.last_day);
  const kwhOfBands = bands.reduce(
    (sum, { bands: each }) => sum + Object.values(each).reduce((all, kwh) => all + kwh, 0),
    0,
  );
  const periodOf = ({ span, byLine: before }: Compared) => {
    const sums = total(before.values());
    const expected = expectedSeconds(lines, span, now);
    const begins = beginningWithin(lines, span);
    return {
      from: instantOf(span.from),
      to: instantOf(span.to),
      kwh: rounded(sums.kwh),
      coverage: coverageOf(sums.covered_s, expected),
      begins: begins === null ? null : instantOf(begins),
      growth: expected > 0 && begins === null ? growthOf(knownKWh(whole), knownKWh(sums)) : null,
    };
  };
  const bucketBefore = ({ buckets: compared }: Compared, index: number) => {
    const before = compared[index];
    return before && hadData(lines, before.span, now) ? knownKWh(before.sums) : null;
  };
  const members = membersOf(lines, byLine, body.ranking);
  const emitted = bands.flatMap(({ co2_kg }) => co2_kg ?? []);
  return {
    head: headOf(target, range),
    total: figureOf(whole, expectedSeconds(lines, range, now)),
    previous: periodOf(previous),
    year_before: periodOf(yearBefore),
    tariff: version && {
      valid_from: version.valid_from,
      of_project: version.of_project,
      currency: version.content.currency,
      co2_kg_per_kwh: version.content.co2_kg_per_kwh,
    },
    bands: bandTotals(bands, slots),
    untariffed_kwh: rounded(Math.max(0, whole.kwh - kwhOfBands)),
    costs: costsIn(
      slots,
      bands.flatMap(({ costs }) => costs),
    ),
    co2_kg: emitted.length === 0 ? null : rounded(emitted.reduce((sum, kg) => sum + kg, 0)),
    buckets: range.buckets.map((bucket, index) => ({
      at: instantOf(bucket.from),
      to: instantOf(bucket.to),
      ...figureOf(buckets[index]!, expectedSeconds(lines, bucket, now)),
      bands: Object.fromEntries(
        Object.entries(bands[index]!.bands).map(([band, kwh]) => [band, rounded(kwh)]),
      ),
      costs: costsIn(
        slots.filter(({ from, to }) => from < bucket.to && to > bucket.from),
        bands[index]!.costs,
      ),
      previous_kwh: bucketBefore(previous, index),
      year_before_kwh: bucketBefore(yearBefore, index),
    })),
    ranking: members.slice(0, body.limit).map((member) => {
      const before = total(member.lines.flatMap((line) => previous.byLine.get(line) ?? []));
      const known = hadData(member.lines, previous.span, now);
      return {
        kind: member.kind,
        id: member.id,
        name: member.name,
        kwh: knownKWh(member.sums),
        share: whole.kwh > 0 ? member.sums.kwh / whole.kwh : null,
        previous_kwh: known ? knownKWh(before) : null,
        growth:
          known && beginningWithin(member.lines, previous.span) === null
            ? growthOf(knownKWh(member.sums), knownKWh(before))
            : null,
      };
    }),
    ranking_total: members.length,
  };
};

const money = (amount: number) => Math.round(amount * 100) / 100;
/** The cost in each currency separately, because amounts in different currencies cannot be added. */
const costsIn = (slots: readonly Slot[], costs: readonly { currency: string; amount: number }[]) =>
  [...new Set(slots.map(({ currency }) => currency))].toSorted().map((currency) => ({
    currency,
    amount: money(costs.reduce((sum, cost) => (cost.currency === currency ? sum + cost.amount : sum), 0)),
  }));

const bandTotals = (buckets: readonly Banded[], slots: readonly Slot[]) => {
  const used = new Set(slots.map(({ band }) => band));
  return tariffBands
    .filter((band) => used.has(band))
    .map((band) => ({
      band,
      kwh: rounded(buckets.reduce((sum, { bands }) => sum + (bands[band] ?? 0), 0)),
      costs: costsIn(
        slots.filter((slot) => slot.band === band),
        buckets.flatMap(({ costs }) => costs.filter((cost) => cost.band === band)),
      ),
    }));
};
