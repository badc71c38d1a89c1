import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arcHours, type Extreme, jointTrend, jointWeeks, leakageTrend } from './estimate.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const none = { leakage: null, temperature: null, current: null };
const days = (count: number, leakage: (day: number) => number): Extreme[] =>
  Array.from({ length: count }, (_, day) => ({ ...none, at: day * dayMs, leakage: leakage(day) }));

test('a steady drift reaches the limit at the estimated time', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.05, max: 2, noNaN: true }),
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.integer({ min: 7, max: 28 }),
      (slope, start, count) => {
        const trend = leakageTrend(
          days(count, (day) => start + slope * day),
          100,
        )!;
        expect(trend).toMatchObject({ rising: true, days: count, limit: 100 });
        expect(trend.slope).toBeCloseTo(slope, 6);
        expect(trend.now + trend.slope * trend.days_to_limit!).toBeCloseTo(100, 6);
      },
    ),
  );
});

test('falling, constant or scattered leakage and few values give no warning', () => {
  for (const of of [(day: number) => 20 - day / 10, () => 8, (day: number) => 8 + ((day * 7) % 5)])
    expect(leakageTrend(days(21, of), 30)).toMatchObject({ rising: false, days_to_limit: null });
  expect(
    leakageTrend(
      days(6, (day) => day),
      30,
    ),
  ).toBeNull();
  // Two wet days are not a drift.
  const wet = leakageTrend(
    days(21, (day) => (day === 10 || day === 11 ? 25 : 8 + (day % 3) / 10)),
    30,
  );
  expect(wet?.days_to_limit).toBeNull();
});

const weekOf = 7 * 24;
/**
 * Four weeks of hours: load by day, ambient temperature by day and season, and the temperature rise at the
 * rated current of each week, K.
 */
const hoursOf = (
  rise: readonly number[],
  load: (hour: number) => number = (hour) => (hour % 24 < 12 ? 5 : 30),
) =>
  Array.from({ length: weekOf * 4 }, (_, hour): Extreme => {
    const current = load(hour) + ((hour * 13) % 7) / 5;
    const week = Math.floor(hour / weekOf);
    const around = 20 + 3 * Math.sin(hour / 80);
    return { ...none, at: hour * hourMs, current, temperature: around + rise[week]! * (current / 40) ** 2 };
  });
const joint = (hours: Extreme[]) =>
  jointTrend(jointWeeks(hours, { now: weekOf * 4 * hourMs, weeks: 4, ratedCurrent: 40 }));

test('a loosening joint is detected by its higher temperature at the same current, for any load', () => {
  const loose = joint(hoursOf([35, 45, 60, 80]))!;
  expect(loose.rising).toBe(true);
  expect(loose.now / loose.before).toBeGreaterThan(1.8);
  expect(joint(hoursOf([35, 35, 35, 35]))).toMatchObject({ rising: false });
  // Twice the load in the last week is no sign of a looser joint.
  const busier = hoursOf([35, 35, 35, 35], (hour) => (hour % 24 < 12 ? 5 : hour >= weekOf * 3 ? 38 : 18));
  expect(joint(busier)).toMatchObject({ rising: false });
});

test('a constant load gives no estimate for the joint', () => {
  expect(joint(hoursOf([35, 45, 60, 80], () => 10).map((hour) => ({ ...hour, current: 10 })))).toBeNull();
});

test('the arcs of an hour are the increase of the counter, also after the counter restarted', () => {
  const counts = [3, 3, 10, 2, 5].map((count, index) => ({ at: index, count }));
  expect(arcHours(counts).map(({ arcs }) => arcs)).toEqual([0, 7, 2, 3]);
});
