import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Datum, fromDatum, toDatum } from './datum.ts';

/** Source: the example of the packages coordtransform and gcoord, with their result. */
test('a point of GCJ-02 is in BD-09 where other implementations put it', () => {
  const found = toDatum('bd09', fromDatum('gcj02', { lng: 116.404, lat: 39.915 }));
  expect(found.lng).toBeCloseTo(116.41036949371029, 6);
  expect(found.lat).toBeCloseTo(39.92133699351021, 6);
});

test.each<Datum>(['wgs84', 'gcj02', 'bd09'])(
  'a point of a map in %s is shown where it was chosen',
  (datum) => {
    const inMainland = fc.record({
      lng: fc.double({ min: 100, max: 115, noNaN: true }),
      lat: fc.double({ min: 28, max: 38, noNaN: true }),
    });
    fc.assert(
      fc.property(inMainland, (point) => {
        const back = toDatum(datum, fromDatum(datum, point));
        // A centimetre.
        expect(Math.abs(back.lat - point.lat)).toBeLessThan(1e-7);
        expect(Math.abs(back.lng - point.lng)).toBeLessThan(1e-7);
      }),
      { numRuns: 1000 },
    );
  },
);
