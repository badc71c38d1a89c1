import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCsv } from './chart/NumbersView.tsx';
import { clusterPlaces } from './map/cluster.ts';

test('no device is lost or counted twice when marks are merged, and a mark shows its worst device', () => {
  const place = fc.record({
    id: fc.integer(),
    name: fc.string(),
    lat: fc.double({ min: 18, max: 53, noNaN: true }),
    lng: fc.double({ min: 73, max: 135, noNaN: true }),
    worst: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(place), fc.double({ min: 0.1, max: 5, noNaN: true }), (places, cell) => {
      const clusters = clusterPlaces(places, cell);
      expect(clusters.flatMap((cluster) => cluster.places)).toHaveLength(places.length);
      for (const cluster of clusters)
        expect(cluster.worst).toBe(Math.max(...cluster.places.map(({ worst }) => worst)));
    }),
  );
});

test('an exported table contains no formula', () => {
  expect(toCsv({ columns: ['name'], rows: [['=1+1'], ['a,"b"'], [-3]] })).toBe(
    '\uFEFFname\r\n\'=1+1\r\n"a,""b"""\r\n-3',
  );
  // Spreadsheets skip white space before a formula, and a carriage return alone ends a row.
  expect(toCsv({ columns: ['name'], rows: [['\t=1+1'], ['\r=1+1'], ['a\r=1+1']] })).toBe(
    '\uFEFFname\r\n\'\t=1+1\r\n"\'\r=1+1"\r\n"a\r=1+1"',
  );
});
