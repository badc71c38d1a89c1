import { expect, test } from 'vitest';
import { measuredKWh } from './measured.ts';

test.each([
  ['readings without consumption', { kwh: 0, coverage: 1 }, 0],
  ['no reading', { kwh: 0, coverage: null }, null],
  ['no reading, though lines were to report', { kwh: 0, coverage: 0 }, null],
  ['a correction to nothing', { kwh: 0, coverage: 0, marks: ['corrected'] }, 0],
  ['a correction without readings', { kwh: 5, coverage: null }, 5],
])('a period with %s has the right energy', (_name, period, kwh) => {
  expect(measuredKWh(period)).toBe(kwh);
});
