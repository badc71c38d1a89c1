import * as fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '#test/world.ts';
import { curveStep, loadFigures } from './load-figures.ts';
import type { Range } from './range.ts';
import { expectedIn, expectedSeconds } from './sums.ts';
import type { MeteredLine } from './target.ts';

const quarterMs = 900_000;
let world: World;
beforeAll(async () => {
  world = await createWorld(() => {});
});
afterAll(() => world.close());

interface Quarter {
  at: number;
  power: number | null;
  covered: number;
}
const packed = (quarters: readonly Quarter[]): Buffer =>
  Buffer.concat(
    quarters.map(({ at, power, covered }) => {
      const bytes = Buffer.alloc(24);
      bytes.writeInt32BE(at / quarterMs);
      bytes.writeDoubleBE(power ?? Number.NaN, 4);
      bytes.writeDoubleBE(covered, 12);
      bytes.writeInt32BE(1, 20);
      return bytes;
    }),
  );
/** The figures from the database, each by a separate aggregate. */
const bySql = async (quarters: readonly Quarter[], range: Range) => {
  const step = curveStep(range);
  const at = step === 'quarter' ? sql`at` : sql`date_trunc(${step}, at, ${range.zone})`;
  const { rows } = await sql<Record<string, unknown>>`
    with q as (select * from unnest(${quarters.map((each) => new Date(each.at))}::timestamptz[],
        ${quarters.map(({ power }) => power)}::double precision[], ${quarters.map(({ covered }) => covered)}::double precision[])
        as q (at, power, covered)),
      known as (select * from q where power is not null)
    select (select max(power) from known) as max_w, (select min(power) from known) as min_w,
      (select extract(epoch from at)::float8 * 1000 from known order by power desc, at limit 1) as max_at,
      (select extract(epoch from at)::float8 * 1000 from known order by power, at limit 1) as min_at,
      (select coalesce(sum(power * covered) / nullif(sum(covered), 0), avg(power)) from known) as avg_w,
      (select coalesce(sum(covered), 0) from q) as covered_s,
      coalesce((select percentile_disc(array(select i / 100.0 from generate_series(0, 100) i)) within group (order by power desc)
        from known), '{}') as duration,
      coalesce((select json_agg(c order by c.at) from (
        select extract(epoch from ${at})::float8 * 1000 as at,
          coalesce(sum(power * covered) / nullif(sum(covered), 0), avg(power)) as avg, max(power) as max, min(power) as min,
          sum(covered) as covered from known group by 1) c), '[]') as curve`.execute(world.db);
  return rows[0]!;
};
/** Sums in a different order differ in their last digits. */
const near = (value: unknown): unknown =>
  typeof value === 'number'
    ? Number(value.toPrecision(9))
    : Array.isArray(value)
      ? value.map(near)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, near(each)]))
        : value;

const spans = [
  { from: '2026-03-08T00:00:00-05:00', to: '2026-03-09T00:00:00-04:00', zone: 'America/New_York' },
  { from: '2026-10-25T00:00:00+02:00', to: '2026-11-01T00:00:00+01:00', zone: 'Europe/Berlin' },
  { from: '2026-01-01T00:00:00+05:45', to: '2027-01-01T00:00:00+05:45', zone: 'Asia/Kathmandu' },
  { from: '2026-03-01T00:00:00-05:00', to: '2026-11-20T00:00:00-05:00', zone: 'America/New_York' },
];

describe('load figures', () => {
  it('load figures equal those of the database, with gaps, unknown powers and clock changes', async () => {
    const given = fc.record({
      span: fc.constantFrom(...spans),
      gaps: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 120 }),
      powers: fc.array(fc.option(fc.integer({ min: -5, max: 40 })), { minLength: 1, maxLength: 9 }),
      covers: fc.array(fc.constantFrom(0, 0, 450, 900), { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ span, gaps, powers, covers }) => {
        const range = { from: Date.parse(span.from), to: Date.parse(span.to), zone: span.zone } as Range;
        const quarters: Quarter[] = [];
        let at = range.from;
        for (const [index, gap] of gaps.entries()) {
          if (at >= range.to) break;
          const power = powers[index % powers.length]!;
          quarters.push({ at, power, covered: covers[index % covers.length]! });
          at += (gap > 300 ? gap : 1) * quarterMs;
        }
        expect(near(loadFigures(packed(quarters), range))).toEqual(near(await bySql(quarters, range)));
      }),
      { numRuns: 80 },
    );
  });

  it('load figures give the same expected coverage for many spans at once as for each span alone', () => {
    const instant = fc.integer({ min: 0, max: 400 }).map((n) => n * quarterMs);
    const line = fc
      .record({ since: instant, until: instant, data_from: fc.option(instant) })
      .map((given) => given as MeteredLine);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), instant, instant, instant, (lines, now, from, to) => {
        // A span before all lines, a reversed one, and an unfinished one.
        expect(expectedIn(lines, now)({ from, to })).toBe(expectedSeconds(lines, { from, to }, now));
      }),
    );
  });
});
