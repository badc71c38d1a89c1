import { expect, test } from 'vitest';
import { sparkPath } from './spark-path.ts';

const box = { width: 4, height: 10 };

test('a gap stays a gap, and a single minute is a dot', () => {
  expect(sparkPath([0, 10, null, 5, null], { low: 0, high: 10 }, box)).toBe('M0.0 10.0L1.0 0.0M3.0 5.0h0');
});

test('constant values are drawn in the middle, and no values as nothing', () => {
  expect(sparkPath([7, 7], { low: 7, high: 7 }, box)).toBe('M0.0 5.0L4.0 5.0');
  expect(sparkPath([null, null], { low: 0, high: 1 }, box)).toBe('');
});
