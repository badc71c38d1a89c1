import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mannKendall, median, type Point, theilSen } from './robust.ts';

const slope = fc.double({ min: -50, max: 50, noNaN: true });
const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 3, maxLength: 40 });

test('finds the slope of a straight line although a quarter of its points are outliers', () => {
  fc.assert(
    fc.property(
      slope,
      slope,
      fc.infiniteStream(fc.integer({ min: -100_000, max: 100_000 })),
      (a, b, wild) => {
        const points = Array.from(
          { length: 40 },
          (_, x): Point => [x, x % 5 === 2 ? wild.next().value! : a * x + b],
        );
        const fit = theilSen(points)!;
        // 8 of 40 points are outliers: 36 % of the pairs, fewer than half.
        expect(fit.slope).toBeCloseTo(a, 6);
        expect(fit.intercept).toBeCloseTo(b, 4);
      },
    ),
  );
});

test('the slope does not change when the data is shifted, and scales with it', () => {
  fc.assert(
    fc.property(
      values,
      fc.integer({ min: -100, max: 100 }),
      fc.integer({ min: 1, max: 9 }),
      (ys, move, scale) => {
        const of = (change: (y: number) => number) =>
          theilSen(ys.map((y, x): Point => [x, change(y)]))!.slope;
        expect(of((y) => y + move)).toBeCloseTo(
          of((y) => y),
          6,
        );
        expect(of((y) => y * scale)).toBeCloseTo(of((y) => y) * scale, 6);
        expect(of((y) => -y)).toBeCloseTo(-of((y) => y), 6);
      },
    ),
  );
});

test('a trend reverses with the order of its values, and constant values have none', () => {
  fc.assert(
    fc.property(values, (given) => {
      expect(mannKendall(given.toReversed())).toBeCloseTo(-mannKendall(given), 9);
    }),
  );
  expect(mannKendall([4, 4, 4, 4])).toBe(0);
  expect(mannKendall([1, 2, 3, 4, 5, 6, 7, 8])).toBeGreaterThan(1.96);
  // Source: worked example, n = 5, S = 8: variance 50/3, z = 7 / 4.0825.
  expect(mannKendall([1, 3, 2, 4, 5])).toBeCloseTo(7 / Math.sqrt(50 / 3), 9);
});

test('no slope exists without two different x values', () => {
  expect(theilSen([])).toBeNull();
  expect(theilSen([[1, 2]])).toBeNull();
  expect(
    theilSen([
      [1, 2],
      [1, 3],
    ]),
  ).toBeNull();
  expect(median([3, 1, 2, 10])).toBe(2.5);
});
