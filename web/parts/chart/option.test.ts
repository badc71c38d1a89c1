import { expect, test } from 'vitest';
import { formatsOf } from '#web/i18n/format.ts';
import { lookOf } from './look.ts';
import type { CategoryModel, TimeModel } from './model.ts';
import { toCsv } from './NumbersView.tsx';
import { categoryNumbers, timeNumbers } from './numbers.ts';
import { estimatedSpans, timeOption } from './time-option.ts';
import { tooltipOf } from './tooltip.ts';

const look = lookOf('light', 100);
const formats = formatsOf('en-US');
const words = { time: 'Time', least: 'min', most: 'max', estimated: 'estimated', none: 'no data' };
const range = { from: 0, to: 100_000 };
const model: TimeModel = {
  panels: [
    {
      unit: 'mA',
      series: [
        {
          key: 'IL',
          name: 'Leakage',
          at: [0, 10_000, 20_000, 60_000],
          values: [1, 2, 3, 4],
          stepMs: 10_000,
          band: { low: [0, 1, 2, 3], high: [2, 3, 4, 5] },
          estimated: [false, true, true, false],
        },
      ],
      limits: [{ name: 'Limit', value: 30, tone: 'alarm' }],
    },
    { unit: 'A', series: [{ key: 'I', name: 'Current', at: [0, 20_000], values: [5, null] }] },
  ],
  marks: [
    { at: 30_000, name: 'trip' },
    { at: 200_000, name: 'outside' },
  ],
};
interface DrawnSeries {
  id: string;
  data: [number, number | null][] | Float64Array;
  markLine?: { data: { xAxis?: number; yAxis?: number }[] };
  markArea?: { data: [{ xAxis: number }, { xAxis: number }][] };
}

const pointsOf = ({ data }: DrawnSeries): (readonly [number, number | null])[] =>
  data instanceof Float64Array
    ? Array.from({ length: data.length / 2 }, (_, index) => {
        const [at, value] = data.subarray(2 * index);
        return [at!, Number.isNaN(value) ? null : value!];
      })
    : data;

test('draws the requested range, breaks the line at a gap, marks limits and events and shades estimated values', () => {
  const option = timeOption(model, { look, formats, words, range, columns: 500 }) as {
    xAxis: { min: number; max: number }[];
    yAxis: { name: string }[];
    series: DrawnSeries[];
  };
  expect(option.xAxis.map(({ min, max }) => [min, max])).toEqual([
    [0, 100_000],
    [0, 100_000],
  ]);
  expect(option.yAxis.map(({ name }) => name)).toEqual(['mA', 'A']);
  const of = (id: string) => option.series.find((series) => series.id === id)!;
  expect(pointsOf(of('IL'))).toContainEqual([20_001, null]);
  expect(of('IL').markArea?.data).toEqual([[{ xAxis: 10_000 }, { xAxis: 30_000 }]]);
  expect(of('marks-0').markLine?.data).toMatchObject([{ yAxis: 30 }, { xAxis: 30_000 }]);
  expect(pointsOf(of('IL-height')).filter(([, height]) => height !== null)).toEqual(
    [0, 10_000, 20_000, 60_000].map((at) => [at, 2]),
  );
});

test('the table and the file hold the numbers of the drawing, and mark estimated ones', () => {
  const numbers = timeNumbers(model, range, words);
  expect(numbers.columns).toEqual([
    'Time',
    'Leakage, mA',
    'Leakage, mA, min',
    'Leakage, mA, max',
    'Current, A',
    'estimated',
  ]);
  expect(numbers.rows[1]).toEqual([new Date(10_000), 2, 1, 3, null, 'estimated']);
  expect(numbers.rows).toHaveLength(4);
  expect(timeNumbers(model, { from: 0, to: 20_000 }, words).rows).toHaveLength(3);
  expect(toCsv({ columns: ['a,b', '=1'], rows: [['-x', null]] })).toBe('\uFEFF"a,b",\'=1\r\n\'-x,');
});

test('consecutive estimated points are one stretch', () => {
  const spans = estimatedSpans({
    key: '',
    name: '',
    at: [0, 1, 2, 9],
    values: [],
    estimated: [true, true, false, true],
    stepMs: 1,
  });
  expect(spans).toEqual([
    { from: 0, to: 2 },
    { from: 9, to: 10 },
  ]);
});

test('the numbers of bars say what is estimated and carry the unit of their axis', () => {
  const bars: CategoryModel = {
    heading: 'Day',
    labels: ['1', '2'],
    fullLabels: ['1 May', '2 May'],
    unit: 'kWh',
    second: { unit: '%' },
    series: [
      { key: 'energy', name: 'Energy', values: [1, 2], estimated: [false, true] },
      { key: 'share', name: 'Share', values: [10, null], second: true, shape: 'line' },
    ],
  };
  expect(categoryNumbers(bars, words)).toEqual({
    columns: ['Day', 'Energy, kWh', 'Share, %', 'estimated'],
    rows: [
      ['1 May', 1, 10, ''],
      ['2 May', 2, null, 'estimated'],
    ],
  });
});

test('a name with markup is text in a tooltip', () => {
  const made = tooltipOf('<b>x</b>', [{ name: '<img src=x>', value: '1', colour: '#fff' }]);
  expect(made.querySelector('img')).toBeNull();
  expect(made.textContent).toContain('<img src=x>');
});

test('the first of overlapping event names stays, and every event keeps its line', () => {
  const marks = [
    { at: 50_000, name: 'raised' },
    { at: 50_500, name: 'command' },
    { at: 90_000, name: 'cleared' },
  ];
  const { series } = timeOption({ ...model, marks }, { look, formats, words, range, columns: 500 }) as {
    series: { id: string; markLine?: { data: { xAxis?: number; label: { show?: boolean } }[] } }[];
  };
  const lines = series.find(({ id }) => id === 'marks-0')!.markLine!.data.filter(({ xAxis }) => xAxis);
  expect(lines.map(({ xAxis, label }) => [xAxis, label.show])).toEqual([
    [50_000, true],
    [50_500, false],
    [90_000, true],
  ]);
});

test('an axis that must include its limits gets them, and a single value is drawn as a point', () => {
  const [panel] = model.panels;
  const event = { key: 'event', name: 'Event', at: [30_000], values: [31], shape: 'point' as const };
  const option = timeOption(
    { panels: [{ ...panel!, series: [...panel!.series, event], reachesLimits: true }] },
    { look, formats, words, range, columns: 500 },
  ) as { series: (DrawnSeries & { symbol?: string })[] };
  const of = (id: string) => option.series.find((series) => series.id === id)!;
  expect(pointsOf(of('marks-0'))).toEqual([
    [0, 30],
    [0, null],
  ]);
  expect(of('event').symbol).toBe('circle');
  expect(pointsOf(of('event'))).toEqual([[30_000, 31]]);
});
