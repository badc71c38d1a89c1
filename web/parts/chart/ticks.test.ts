import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ticksOf } from './ticks.ts';

test('an axis has round steps, encloses zero and all values, and wastes less than a step at either end', () => {
  const value = fc
    .double({ min: -1e9, max: 1e9, noNaN: true })
    .filter((each) => Math.abs(each) > 1e-6 || each === 0);
  fc.assert(
    fc.property(value, value, fc.integer({ min: 2, max: 8 }), (one, other, about) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const { min, max, values } = ticksOf(low, high, { about });
      const span = Math.max(0, high) - Math.min(0, low) || 1;
      const step = values[1]! - values[0]!;
      const slack = 1e-6 * span;
      expect(values).toContain(0);
      expect(min).toBeLessThanOrEqual(low + slack);
      expect(max).toBeGreaterThanOrEqual(high - slack);
      expect(max - min).toBeLessThan(span + 2 * step + slack);
      expect(values.length).toBeLessThanOrEqual(about + 3);
      expect(values.length).toBeGreaterThanOrEqual(2);
    }),
  );
});

test('axis numbers have no floating-point noise, and counts are whole numbers', () => {
  expect(ticksOf(0, 0.3, { about: 3 }).values).toEqual([0, 0.1, 0.2, 0.3]);
  expect(ticksOf(0, 2, { about: 6, whole: true }).values).toEqual([0, 1, 2]);
  expect(ticksOf(0, 0, { about: 4, whole: true }).values).toEqual([0, 1]);
  expect(ticksOf(0, 37, { about: 5, top: 100 }).values).toEqual([0, 20, 40, 60, 80, 100]);
  expect(ticksOf(-3, 5, { about: 4 }).values).toEqual([-4, -2, 0, 2, 4, 6]);
});
