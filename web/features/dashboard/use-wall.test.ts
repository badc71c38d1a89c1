import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { wallFactor } from './use-wall.ts';

test('a wall display is drawn larger in proportion to its pixels, a desk screen and a phone are not', () => {
  expect(wallFactor(3840, 2160)).toBe(2);
  expect(wallFactor(1920, 1080)).toBe(1);
  expect(wallFactor(2200, 1300)).toBe(1);
  expect(wallFactor(390, 844)).toBe(1);
});

test('a layout for the smaller screen fits the larger one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 320, max: 8000 }), fc.integer({ min: 320, max: 5000 }), (width, height) => {
      const factor = wallFactor(width, height);
      expect(factor).toBeGreaterThanOrEqual(1);
      if (factor > 1) {
        expect(factor * 1920).toBeLessThanOrEqual(width);
        expect(factor * 1080).toBeLessThanOrEqual(height);
      }
    }),
  );
});
