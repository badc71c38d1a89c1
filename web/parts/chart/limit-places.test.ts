import { expect, test } from 'vitest';
import { limitPlaces } from './limit-places.ts';
import type { Limit, TimePanel } from './model.ts';

const range = { from: 0, to: 100_000 };
const at = Array.from({ length: 101 }, (_, index) => index * 1000);
const panelOf = (valueAt: (share: number) => number | null, limits: readonly Limit[]): TimePanel => ({
  unit: 'A',
  series: [{ key: 'I', name: 'Current', at, values: at.map((time) => valueAt(time / range.to)) }],
  limits,
  reachesLimits: true,
  fromZero: true,
});
const alarm: Limit = { name: 'alarm', value: 14, tone: 'alarm' };
const early: Limit = { name: 'early warning', value: 10, tone: 'early' };
const placesIn = (panel: TimePanel) =>
  limitPlaces(panel, ({ name, value }) => `${name} ${value} A`, { range, columns: 600, fontSize: 12 });

test.each<[string, (share: number) => number | null, string | null]>([
  ['far below it', () => 2, 'insideEndTop'],
  ['above it at the end', (share) => (share > 0.5 ? 15 : 1), 'insideEndBottom'],
  ['through it at the end', (share) => (share > 0.5 ? 10 + 4 * share : 1), 'insideStartTop'],
  ['through it at both ends', (share) => (Math.abs(share - 0.5) > 0.25 ? 14 : 1), 'insideMiddleTop'],
  ['along all of it', () => 14, null],
  ['nowhere, without readings', () => null, 'insideEndTop'],
])('the name of a limit keeps clear of a curve that runs %s', (_where, valueAt, place) => {
  expect(placesIn(panelOf(valueAt, [alarm]))).toEqual([place]);
});

test('the name of a limit keeps clear of a limit next to it', () => {
  const close: Limit = { ...early, value: 13.5 };
  expect(placesIn(panelOf(() => 2, [alarm, close]))).toEqual(['insideEndTop', 'insideEndBottom']);
});

test('the names of two limits keep clear of each other', () => {
  const above = (share: number) => (share > 0.3 ? 15 : 1);
  expect(placesIn(panelOf(above, [alarm, { ...early, value: 11 }]))).toEqual([
    'insideEndBottom',
    'insideEndBottom',
  ]);
});
