import { expect, test } from 'vitest';
import { formatsOf } from '#web/i18n/format.ts';
import { type SceneRoom, sceneOf } from './category-scene.ts';
import { lookOf } from './look.ts';
import type { CategoryModel } from './model.ts';

const look = lookOf('light', 100);
const room: SceneRoom = {
  width: 600,
  height: 240,
  look,
  formats: formatsOf('en-US'),
  measure: (text) => 7 * text.length,
  hidden: new Set(),
};
const model: CategoryModel = {
  heading: 'Day',
  labels: ['1', '2', '3', '4'],
  unit: 'kWh',
  second: { unit: '%', max: 100 },
  series: [
    {
      key: 'own',
      name: 'Own',
      stack: 'all',
      values: [10, 20, null, 40],
      estimated: [false, true, false, false],
    },
    { key: 'rest', name: 'Rest', stack: 'all', values: [10, 0, 5, 40] },
    { key: 'share', name: 'Share', shape: 'line', second: true, values: [50, null, 100, 0] },
  ],
};
const barsOf = (key: string, scene = sceneOf(model, room)) => scene.bars.filter((bar) => bar.key === key);

test('stacked bars are as long as their values, and the stack ends at their sum on the axis', () => {
  const { plot, labels } = sceneOf(model, room);
  const perUnit = barsOf('own')[0]!.height / 10;
  expect(barsOf('own').map(({ height }) => height / perUnit)).toEqual(
    [10, 20, 40].map((each) => expect.closeTo(each, 9)),
  );
  expect(barsOf('rest').map(({ height }) => height / perUnit)).toEqual(
    [10, 0, 5, 40].map((each) => expect.closeTo(each, 9)),
  );
  // The value 80 on top of the last stack ends at the label 80 of the axis.
  const top = barsOf('rest')[3]!.y;
  expect(labels.find(({ text, align }) => text === '80' && align === 'right')?.y).toBeCloseTo(top, 6);
  expect(barsOf('own')[0]!.y + barsOf('own')[0]!.height).toBeCloseTo(plot.y + plot.height, 6);
});

test('an estimated bar is hatched, and so is the area behind an estimated part of a line', () => {
  expect(barsOf('own').map(({ fill }) => typeof fill)).toEqual(['string', 'object', 'string']);
  const line: CategoryModel = {
    ...model,
    series: [
      {
        key: 'load',
        name: 'Load',
        shape: 'line',
        values: [1, 2, 3, 4],
        estimated: [false, false, true, true],
      },
    ],
  };
  const scene = sceneOf(line, room);
  expect(scene.bars.map(({ index, x, width }) => [index, { x, width }])).toEqual(
    [2, 3].map((index) => {
      const { x, width } = scene.bandOf(index);
      return [index, { x, width }];
    }),
  );
});

test('a line breaks where a value is missing, and belongs to its own axis', () => {
  const { lines, plot } = sceneOf(model, room);
  const [share] = lines;
  expect(share?.points.map((point) => point?.[1] ?? null)).toEqual([
    expect.closeTo(plot.y + plot.height / 2, 6),
    null,
    expect.closeTo(plot.y, 6),
    expect.closeTo(plot.y + plot.height, 6),
  ]);
});

test('each point of the plot belongs to a category, also with horizontal bars', () => {
  for (const each of [model, { ...model, horizontal: true }]) {
    const { indexAt, bandOf, plot } = sceneOf(each, room);
    for (const index of model.labels.keys()) {
      const { x, y, width, height } = bandOf(index);
      expect(indexAt(x + width / 2, y + height / 2)).toBe(index);
    }
    expect(indexAt(plot.x - 1, plot.y)).toBeNull();
    expect(indexAt(plot.x + plot.width + 1, plot.y)).toBeNull();
  }
});

const belowOf = (scene: ReturnType<typeof sceneOf>) =>
  scene.labels.filter(({ y }) => y > scene.plot.y + scene.plot.height);

test('labels of hours do not overlap at the right edge either, and may be limited to the beginnings of days', () => {
  const labels = Array.from({ length: 30 * 24 }, (_, index) => `${Math.floor(index / 24) + 1} Nov`);
  const hours = {
    ...model,
    second: undefined,
    series: [{ key: 'load', name: 'Load', shape: 'line' as const, values: labels.map(() => 1) }],
  };
  for (const width of [320, 600, 1200, 1573, 1920]) {
    const full = labels.map((label, index) => `${label} 2026, ${index % 24}:00`);
    const below = belowOf(sceneOf({ ...hours, labels: full }, { ...room, width }));
    for (const [index, { x, text }] of below.entries()) {
      const before = below[index - 1];
      if (before)
        expect(x - room.measure(text) / 2).toBeGreaterThan(before.x + room.measure(before.text) / 2);
    }
    const labelled = Array.from({ length: 30 }, (_, day) => day * 24);
    const days = belowOf(sceneOf({ ...hours, labels, labelled }, { ...room, width }));
    expect(days.length).toBeGreaterThan(2);
    expect(new Set(days.map(({ text }) => text)).size).toBe(days.length);
  }
});

test('a year of days keeps its labels apart and within the chart, on a phone as on a wall', () => {
  for (const width of [300, 900, 3600]) {
    const labels = Array.from({ length: 366 }, (_, index) => `${index % 31} May`);
    const days = {
      ...model,
      second: undefined,
      labels,
      series: [{ key: 'day', name: 'Day', values: labels.map(() => 1) }],
    };
    const scene = sceneOf(days, { ...room, width });
    const below = scene.labels.filter(({ y }) => y > scene.plot.y + scene.plot.height);
    expect(below.length).toBeGreaterThan(2);
    for (const [index, { x, text }] of below.entries()) {
      const half = room.measure(text) / 2;
      expect(x - half).toBeGreaterThanOrEqual(0);
      expect(x + half).toBeLessThanOrEqual(width);
      const before = below[index - 1];
      if (before) expect(x - half).toBeGreaterThan(before.x + room.measure(before.text) / 2);
    }
  }
});

test('a label that is too long for its space ends with an ellipsis, and a hidden series gives its space to the others', () => {
  const long = {
    ...model,
    horizontal: true,
    labels: ['Residual current of the incoming line of building 7', '2', '3', '4'],
  };
  // At this height a bar has room for one line of text.
  const { labels, plot } = sceneOf(long, { ...room, height: 120 });
  const [name] = labels.filter(({ text }) => text.startsWith('Residual'));
  expect(name?.text).toMatch(/…$/);
  expect(room.measure(name!.text)).toBeLessThanOrEqual(plot.x);
  const without = sceneOf(model, { ...room, hidden: new Set(['rest']) });
  expect(barsOf('rest', without)).toEqual([]);
  expect(barsOf('own', without)[2]!.height).toBeGreaterThan(barsOf('own')[2]!.height);
});

test('names beside horizontal bars use the lines that their bars have room for, and never look the same', () => {
  const names = ['Превышение дифференциального тока (утечки)', 'Превышение дифференциального тока нейтрали'];
  const series = [{ key: 'count', name: 'Count', values: [1, 2] }];
  const read = (width: number, height: number) => {
    const wide = { ...model, second: undefined, horizontal: true, labels: names, series };
    const { labels, plot, bandOf } = sceneOf(wide, { ...room, width, height });
    const beside = labels.filter(({ x }) => x < plot.x);
    for (const { text, y } of beside) {
      expect(room.measure(text)).toBeLessThan(plot.x);
      expect([0, 1].some((index) => y > bandOf(index).y && y < bandOf(index).y + bandOf(index).height)).toBe(
        true,
      );
    }
    return [0, 1].map((index) => {
      const { y, height: tall } = bandOf(index);
      return beside
        .filter((label) => label.y > y && label.y < y + tall)
        .map(({ text }) => text)
        .join(' ');
    });
  };
  expect(read(600, 240)).toEqual(names);
  const [one, other] = read(400, 100);
  expect(one).not.toBe(other);
  expect(one).toMatch(/^Превышение.*….*утечки\)$/);
  expect(other).toMatch(/^Превышение.*….*нейтрали$/);
});

test('limits are drawn at their value, and a limit beyond the axis is left out', () => {
  const limits = [
    { name: 'Limit', value: 40, tone: 'alarm' as const },
    { name: 'Far', value: 9000, tone: 'early' as const },
  ];
  const { lines, labels } = sceneOf({ ...model, limits }, room);
  const at = labels.find(({ text, align }) => text === '40' && align === 'right')!.y;
  expect(lines.at(-1)?.points.map((point) => point?.[1])).toEqual([at, at]);
  expect(labels.filter(({ text }) => /Limit|Far/.test(text)).map(({ text }) => text)).toEqual([
    'Limit 40\u00a0kWh',
  ]);
});

test('a chart of size zero, or without values, contains no invalid coordinates', () => {
  const empty = { ...model, series: [{ key: 'none', name: 'None', values: [null, null, null, null] }] };
  for (const scene of [sceneOf(model, { ...room, width: 0, height: 0 }), sceneOf(empty, room)])
    for (const value of [...scene.bars, ...scene.labels, ...scene.dots].flatMap(Object.values))
      if (typeof value === 'number') expect(value).toSatisfy(Number.isFinite);
});
