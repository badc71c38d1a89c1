import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { moved, scaled, within } from './gestures.ts';

const range = fc
  .tuple(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: 10_000, max: 1e10 }))
  .map(([from, length]) => ({ from, to: from + length }));

test('a range stays within its bounds and keeps its length if there is room', () => {
  fc.assert(
    fc.property(range, range, (given, bounds) => {
      const held = within(given, bounds);
      expect(held.from).toBeGreaterThanOrEqual(bounds.from);
      expect(held.to).toBeLessThanOrEqual(bounds.to);
      expect(held.to - held.from).toBe(Math.min(given.to - given.from, bounds.to - bounds.from));
    }),
  );
});

test('zooming keeps the time under the pointer, and moving keeps the length', () => {
  const { from, to } = scaled({ from: 0, to: 100 }, 0.5, 20);
  expect([from, to]).toEqual([10, 60]);
  expect((20 - from) / (to - from)).toBeCloseTo(0.2);
  expect(moved({ from: 0, to: 100 }, 0.5)).toEqual({ from: 50, to: 150 });
});
