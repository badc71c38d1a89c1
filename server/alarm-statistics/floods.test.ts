import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { floodsOf, isOver, windowMs } from './floods.ts';

const at = (index: number, raised: number) => ({ start: index * windowMs, raised });

test('a flood begins with more than ten alarms in ten minutes and ends with fewer than five', () => {
  const windows = [at(0, 10), at(1, 11), at(2, 5), at(3, 4), at(4, 7), at(6, 30), at(8, 12)];
  expect(floodsOf(windows, 1)).toEqual([
    { from: windowMs, to: 3 * windowMs, raised: 16 },
    { from: 6 * windowMs, to: 7 * windowMs, raised: 30 },
    { from: 8 * windowMs, to: 9 * windowMs, raised: 12 },
  ]);
});

test('divides the rate of a flood by the positions on duty', () => {
  const windows = [at(0, 22), at(1, 10), at(2, 9)];
  expect(floodsOf(windows, 2)).toEqual([{ from: 0, to: 2 * windowMs, raised: 32 }]);
  expect(floodsOf(windows, 3)).toEqual([]);
});

test('the floods agree with a check of every window, empty ones included', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 24 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      (counts, positions) => {
        let inFlood = false;
        const flooded = counts.map((raised) => {
          inFlood = inFlood ? raised / positions >= 5 : raised / positions > 10;
          return inFlood;
        });
        const windows = counts.map((raised, index) => at(index, raised)).filter(({ raised }) => raised > 0);
        const floods = floodsOf(windows, positions);
        const minutes = floods.reduce((sum, { from, to }) => sum + (to - from), 0) / windowMs;
        expect(minutes).toBe(flooded.filter(Boolean).length);
        for (const window of windows.filter((each) => isOver(each, positions)))
          expect(floods.some(({ from, to }) => window.start >= from && window.start < to)).toBe(true);
      },
    ),
  );
});
