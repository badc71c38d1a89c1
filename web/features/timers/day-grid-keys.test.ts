import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeAfter } from './day-grid-keys.ts';

const keys = ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft', 'Home', 'End', 'Enter'];
const grid = fc
  .array(fc.integer({ min: 0, max: 5 }), { minLength: 7, maxLength: 7 })
  .filter((heights) => heights.some((height) => height > 0));

test('keys move from slot to slot, over days without any, and never out of the grid', () => {
  fc.assert(
    fc.property(grid, fc.array(fc.constantFrom(...keys), { maxLength: 30 }), (heights, pressed) => {
      let place: readonly [number, number] = [heights.findIndex((height) => height > 0), 0];
      for (const key of pressed) {
        place = placeAfter(key, place, heights) ?? place;
        expect(place[1]).toBeGreaterThanOrEqual(0);
        expect(place[1]).toBeLessThan(heights[place[0]]!);
      }
    }),
  );
});

test('the left key undoes the right key if both days have the slot', () => {
  expect(placeAfter('ArrowRight', [0, 1], [2, 0, 3])).toEqual([2, 1]);
  expect(placeAfter('ArrowLeft', [2, 1], [2, 0, 3])).toEqual([0, 1]);
  expect(placeAfter('ArrowRight', [0, 1], [2, 1])).toEqual([1, 0]);
  expect(placeAfter('ArrowLeft', [0, 1], [2, 1])).toBeNull();
});
