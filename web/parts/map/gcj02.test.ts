import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromGcj02, toGcj02 } from './gcj02.ts';

/** Source: the examples of the packages coordtransform and gcoord, and their results. */
test.each([
  [
    { lng: 116.404, lat: 39.915 },
    { lng: 116.41024449916938, lat: 39.91640428150164 },
  ],
  [
    { lng: 116.403988, lat: 39.914266 },
    { lng: 116.41023249, lat: 39.91567029 },
  ],
])('%j of WGS-84 is where other implementations put it', (wgs, gcj) => {
  const found = toGcj02(wgs);
  expect(found.lng).toBeCloseTo(gcj.lng, 6);
  expect(found.lat).toBeCloseTo(gcj.lat, 6);
});

const inChina = fc.record({
  lng: fc.double({ min: 73, max: 136, noNaN: true }),
  lat: fc.double({ min: 3, max: 54, noNaN: true }),
});

test('there and back again is the same point to a centimetre, and the shift is some hundred metres', () => {
  fc.assert(
    fc.property(inChina, (point) => {
      const shifted = toGcj02(point);
      const back = fromGcj02(shifted);
      expect(Math.abs(back.lat - point.lat)).toBeLessThan(1e-7);
      expect(Math.abs(back.lng - point.lng)).toBeLessThan(1e-7);
      expect(Math.abs(shifted.lat - point.lat)).toBeLessThan(0.02);
      expect(Math.abs(shifted.lng - point.lng)).toBeLessThan(0.02);
    }),
    { numRuns: 2000 },
  );
});

test('outside of China nothing is shifted', () => {
  for (const point of [
    { lat: 55.9, lng: 82.9 },
    { lat: 51.5, lng: -0.1 },
    { lat: -33.9, lng: 151.2 },
  ]) {
    expect(toGcj02(point)).toEqual(point);
    expect(fromGcj02(point)).toEqual(point);
  }
});
