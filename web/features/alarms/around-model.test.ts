import { expect, it } from 'vitest';
import type { AlarmDetailed } from './alarms.query.ts';
import { aroundModel } from './around-model.ts';

const time = '2026-11-22T08:00:00.000Z';
const at = Date.parse(time);
const later = (seconds: number) => new Date(at + seconds * 1000).toISOString();
const words = {
  unit: 'mA',
  channel: 'Leakage current',
  event: 'value',
  early: 'early',
  alarm: 'alarm',
  step: (kind: string) => kind,
  command: (action: string) => `command ${action}`,
};
const alarm = (given: Partial<AlarmDetailed> = {}) =>
  ({
    time,
    cleared_time: later(60),
    level: 2,
    value: 41,
    threshold: 40,
    limits: { early: 15, alarm: 30 },
    around: {
      channel: 'IL',
      unit: 'mA',
      at: [at - 5000, at],
      values: [5, 41],
      bucket_s: null,
      comparable: true,
    },
    history: [
      { at: time, kind: 'raised', operator: null, data: {} },
      { at: later(2), kind: 'tripped', operator: null, data: {} },
    ],
    commands: [{ action: 'open', created_at: later(30) }],
    ...given,
  }) as AlarmDetailed;

it('draws the crossed limit as it was then, the other limit as it is now, and the value as a point', () => {
  const [panel] = aroundModel(alarm(), words).panels;
  expect(panel?.limits).toEqual([
    { name: 'early', value: 15, tone: 'early' },
    { name: 'alarm', value: 40, tone: 'alarm' },
  ]);
  expect(panel?.series[1]).toMatchObject({ shape: 'point', at: [at], values: [41] });
  const [early] = aroundModel(alarm({ level: 1, threshold: 12 }), words).panels;
  expect(early?.limits?.map(({ value }) => value)).toEqual([12, 30]);
});

it('draws neither limits nor the value over readings of another quantity', () => {
  const around = { ...alarm().around, comparable: false };
  const [panel] = aroundModel(alarm({ around }), words).panels;
  expect(panel?.limits).toEqual([]);
  expect(panel?.series.map(({ key }) => key)).toEqual(['value']);
});

it('marks the beginning, the end, the level changes and the commands once each', () => {
  expect(aroundModel(alarm(), words).marks?.map(({ name }) => name)).toEqual([
    'raised',
    'cleared',
    'tripped',
    'command open',
  ]);
  const standing = aroundModel(alarm({ cleared_time: null, history: [], commands: [] }), words);
  expect(standing.marks?.map(({ name }) => name)).toEqual(['raised']);
});

it('draws no gap between neighbouring quarters of an hour', () => {
  const around = { ...alarm().around, bucket_s: 900 };
  expect(aroundModel(alarm({ around }), words).panels[0]?.series[0]?.stepMs).toBe(900_000);
});
