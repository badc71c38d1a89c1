import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexesOf, type Measured, nearestIndex, sampled, sampledBand, withGaps } from './sample.ts';

const measured = fc
  .array(
    fc.record({
      step: fc.integer({ min: 1, max: 12 }),
      value: fc.option(fc.integer({ min: -1000, max: 1000 }), { freq: 12 }),
    }),
    { minLength: 1, maxLength: 600 },
  )
  .map((steps): Measured & { stepMs: number } => {
    let time = 0;
    return {
      at: steps.map(({ step }) => {
        time += step * 1000;
        return time;
      }),
      values: steps.map(({ value }) => value),
      stepMs: 1000,
    };
  });
const columnCount = fc.integer({ min: 3, max: 60 });
const wholeOf = ({ at }: Measured) => ({ from: at[0]!, to: at.at(-1)! + 1 });

test('breaks a line wherever readings are missing, and nowhere else', () => {
  fc.assert(
    fc.property(measured, (given) => {
      const drawn = withGaps(given);
      const gaps = given.at.slice(1).filter((time, index) => time - given.at[index]! > 2500).length;
      expect(drawn).toHaveLength(given.at.length + gaps);
      expect(drawn.filter(([time]) => given.at.includes(time)).map(([time]) => time)).toEqual(given.at);
    }),
  );
});

test('keeps the lowest and the highest value of every pixel', () => {
  fc.assert(
    fc.property(measured, columnCount, (given, columns) => {
      const range = wholeOf(given);
      const width = (range.to - range.from) / columns;
      const drawn = sampled(given, range, columns);
      const extremesOf = (points: readonly (readonly [number, number | null])[]) => {
        const found = new Map<number, [number, number]>();
        for (const [at, value] of points) {
          if (value === null) continue;
          const place = Math.floor((at - range.from) / width);
          const [low, high] = found.get(place) ?? [value, value];
          found.set(place, [Math.min(low, value), Math.max(high, value)]);
        }
        return found;
      };
      const all = given.at.map((at, index) => [at, given.values[index]!] as const);
      expect(extremesOf(drawn)).toEqual(extremesOf(all));
    }),
  );
});

test('draws only measured points, in their order, and at most four and a break for each pixel', () => {
  fc.assert(
    fc.property(measured, columnCount, (given, columns) => {
      const drawn = sampled(given, wholeOf(given), columns);
      const values = new Map(given.at.map((at, index) => [at, given.values[index]]));
      const times = drawn.map(([at]) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      for (const [at, value] of drawn) if (value !== null) expect(values.get(at)).toBe(value);
      if (given.at.length > columns * 4) expect(drawn.length).toBeLessThanOrEqual((columns + 1) * 10);
    }),
  );
});

test('keeps a gap that is wider than a pixel', () => {
  fc.assert(
    fc.property(measured, columnCount, (given, columns) => {
      const range = wholeOf(given);
      const width = (range.to - range.from) / columns;
      const drawn = sampled(given, range, columns);
      const known = given.at.filter((_, index) => given.values[index] !== null);
      for (const [index, at] of known.entries()) {
        const before = known[index - 1];
        if (before === undefined || at - before <= Math.max(width, 2500)) continue;
        expect(drawn.some(([time, value]) => value === null && time > before && time <= at)).toBe(true);
      }
    }),
  );
});

test('contains every value of a band in its envelope', () => {
  fc.assert(
    fc.property(measured, columnCount, ({ at, values, stepMs }, columns) => {
      const high = values.map((value) => (value === null ? null : value + 5));
      const range = wholeOf({ at, values });
      const { low, height } = sampledBand({ at, low: values, high, stepMs }, range, columns);
      const least = Math.min(...low.map(([, value]) => value ?? Number.POSITIVE_INFINITY));
      expect(least).toBe(Math.min(...values.map((value) => value ?? Number.POSITIVE_INFINITY)));
      for (const [index, [, value]] of height.entries())
        if (value !== null) expect(low[index]![1]).not.toBeNull();
    }),
  );
});

test('finds the points of a range with one on either side, and the nearest point within reach', () => {
  const at = [10, 20, 30, 40, 50];
  expect(indexesOf(at, { from: 25, to: 35 })).toEqual([1, 4]);
  expect(indexesOf(at, { from: 0, to: 100 })).toEqual([0, 5]);
  expect(nearestIndex(at, 24, 10)).toBe(1);
  expect(nearestIndex(at, 26, 10)).toBe(2);
  expect(nearestIndex(at, 80, 10)).toBeNull();
  expect(nearestIndex(at, 1, 10)).toBe(0);
  expect(nearestIndex([], 1, 10)).toBeNull();
});
