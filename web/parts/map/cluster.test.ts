import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clusterPlaces, type Place } from './cluster.ts';

const placesOf = (): fc.Arbitrary<Place[]> =>
  fc
    .array(
      fc.record({
        lat: fc.double({ min: -60, max: 60, noNaN: true }),
        lng: fc.double({ min: -179, max: 179, noNaN: true }),
        worst: fc.integer({ min: 0, max: 2 }),
      }),
      { maxLength: 60 },
    )
    .map((list) => list.map((place, id) => ({ ...place, id, name: `place ${id}` })));

test('each place is in exactly one mark, which lies on its worst place', () => {
  fc.assert(
    fc.property(placesOf(), fc.double({ min: 0.01, max: 90, noNaN: true }), (places, apart) => {
      const clusters = clusterPlaces(places, apart);
      expect(clusters.flatMap((cluster) => cluster.places.map(({ id }) => id)).sort((a, b) => a - b)).toEqual(
        places.map(({ id }) => id),
      );
      for (const { key, lat, lng, worst, places: members } of clusters) {
        expect(worst).toBe(Math.max(...members.map((member) => member.worst)));
        expect(members.find(({ id }) => id === key)).toMatchObject({ lat, lng, worst });
      }
    }),
  );
});

test('no two marks overlap on a Mercator map', () => {
  const northOf = (lat: number) => (Math.asinh(Math.tan((lat * Math.PI) / 180)) * 180) / Math.PI;
  fc.assert(
    fc.property(placesOf(), fc.double({ min: 0.01, max: 90, noNaN: true }), (places, apart) => {
      const clusters = clusterPlaces(places, apart);
      for (const one of clusters)
        for (const other of clusters)
          if (one.key !== other.key)
            expect(
              Math.max(Math.abs(one.lng - other.lng), Math.abs(northOf(one.lat) - northOf(other.lat))),
            ).toBeGreaterThanOrEqual(apart);
    }),
  );
});

test('a town is one mark from afar, coloured by its worst place, and splits when zoomed in', () => {
  const town = [
    { id: 1, name: 'School', lat: 39.9, lng: 116.3, worst: 0 },
    { id: 2, name: 'Mall', lat: 39.95, lng: 116.4, worst: 2 },
    { id: 3, name: 'Hotel', lat: 39.99, lng: 116.5, worst: 1 },
  ];
  expect(clusterPlaces(town, 3)).toMatchObject([{ key: 2, worst: 2, lat: 39.95, lng: 116.4 }]);
  expect(clusterPlaces(town, 0.05).map(({ worst }) => worst)).toEqual([2, 1, 0]);
});
