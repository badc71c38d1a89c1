import { expect, it } from 'vitest';
import type { AlarmRow } from '#contract/alarms.ts';
import { sectionsOf } from './queue-sections.ts';

const row = (id: number, given: Partial<AlarmRow>) =>
  ({ id, device_id: 1, project_id: 1, severity: 3, level: 1, status: 'unprocessed', ...given }) as AlarmRow;

it('an event names its first alarm, in any order of the rows', () => {
  const rows = [
    row(1, { time: '2026-11-22T08:00:40Z' }),
    row(2, { time: '2026-11-22T08:00:00Z' }),
    row(3, { time: '2026-11-22T08:00:20Z', device_id: 2 }),
    row(4, { time: '2026-11-22T06:00:00Z' }),
  ];
  const [event, single] = sectionsOf(rows, 'storm');
  expect(event?.rows.map(({ id }) => id)).toEqual([1, 3, 2]);
  expect(event?.firstOut).toBe(2);
  expect(single?.firstOut).toBeNull();
});

it('of two alarms of the same moment the more severe is first', () => {
  const time = '2026-11-22T08:00:00Z';
  const [event] = sectionsOf([row(1, { time, severity: 3 }), row(2, { time, severity: 1 })], 'storm');
  expect(event?.firstOut).toBe(2);
});

it('without grouping, the list is one section in the order of the server', () => {
  const rows = [row(5, {}), row(2, {})];
  expect(sectionsOf(rows, undefined)).toEqual([{ key: 'all', group: null, rows, firstOut: null }]);
});
