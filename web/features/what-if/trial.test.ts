import { expect, test } from 'vitest';
import { batchesOf, changedLines, type Episode, type Judged, type TrialLine, totalsOf } from './trial.ts';

const episode = (given: Partial<Episode>): Episode => ({
  ...{ at: '2026-11-20T00:00:00Z', ended_at: null, phase: 0, level: 2, severity: 2, value: 1, threshold: 1 },
  ...given,
});
const none = { count: 0, episodes: [] };
const judged = (given: Partial<Judged>): Judged => ({
  ...{ line_id: 1, readings: 10, first_reading: null, crosses: null, chart: null },
  ...{
    before: { raised: 3, alarms: 1, early_warnings: 2 },
    after: { raised: 1, alarms: 1, early_warnings: 0 },
  },
  ...{ remain: none, lowered: none, missed: none, added: none },
  limits: { before: { early: 1, alarm: 2, end: 0 }, after: { early: 1, alarm: 2, end: 0 } },
  ...given,
});

test('the totals add up the lines and name the most severe alarms first, then the newest', () => {
  const low = episode({ severity: 4, at: '2026-11-21T00:00:00Z' });
  const grave = episode({ severity: 1 });
  const newer = episode({ severity: 1, at: '2026-11-22T00:00:00Z' });
  const totals = totalsOf([
    judged({ missed: { count: 9, episodes: [low, grave] } }),
    judged({ line_id: 2, readings: 0, missed: { count: 1, episodes: [newer] } }),
  ]);
  expect(totals).toMatchObject({ before: { raised: 6 }, after: { raised: 2 }, empty: 1, graveMissed: 2 });
  expect(totals.counts.missed).toBe(10);
  expect(totals.named.missed.map(({ line_id, severity }) => [line_id, severity])).toEqual([
    [2, 1],
    [1, 1],
    [1, 4],
  ]);
});

test('a missed early warning is not severe, but an alarm that becomes an early warning is', () => {
  const early = { count: 1, episodes: [episode({ level: 1, severity: 2 })] };
  const alarm = { count: 1, episodes: [episode({})] };
  expect(totalsOf([judged({ missed: early })]).graveMissed).toBe(0);
  expect(totalsOf([judged({ lowered: alarm })]).graveMissed).toBe(1);
});

test('a tested limit is applied only to judged lines with another value, and not if it would cross its paired limit', () => {
  const line = (line_id: number, value: number) => ({ line_id, value }) as TrialLine;
  const lines = [line(1, 235), line(2, 250), line(3, 235), line(4, 235)];
  const found = changedLines(
    lines,
    [judged({}), judged({ line_id: 2 }), judged({ line_id: 3, crosses: 'ov_a' })],
    250,
  );
  expect([found.fit, found.crossing].map((each) => each.map(({ line_id }) => line_id))).toEqual([[1], [3]]);
});

test('splits lines into several calls', () => {
  expect(batchesOf([1, 2, 3], 2)).toEqual([[1, 2], [3]]);
  expect(batchesOf([], 2)).toEqual([]);
});
