import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveEvent } from '#contract/live.ts';
import {
  emptyQueue,
  expire,
  mostWaiting,
  type PopupWish,
  snooze,
  stormCount,
  take,
  viewOf,
  withoutAll,
} from './popup-queue.ts';

const all: PopupWish = { enabled: true, levels: [], typeNumbers: [], seconds: 10 };
const alarm = (given: Partial<LiveEvent['alarm']> & { id: number }): LiveEvent['alarm'] => ({
  kind: 'raised',
  device_id: 1,
  line_id: 1,
  project_id: 1,
  typeNumber: 301,
  level: 2,
  severity: 2,
  quiet: false,
  ...given,
});

test('the most severe device is first, and of equal severity the one that waits longest', () => {
  const first = take(emptyQueue, [alarm({ id: 1, device_id: 1 })], all, 1000);
  const queue = take(
    first,
    [alarm({ id: 2, device_id: 2 }), alarm({ id: 3, device_id: 3, severity: 1 })],
    all,
    2000,
  );
  expect(viewOf(queue).groups.map(({ deviceId }) => deviceId)).toEqual([3, 1, 2]);
});

test('handled alarms leave the queue; silent and unwanted ones never enter it', () => {
  const wish = { ...all, levels: [2] };
  const queue = take(
    emptyQueue,
    [
      alarm({ id: 1 }),
      alarm({ id: 2, quiet: true }),
      alarm({ id: 3, level: 1 }),
      alarm({ id: 4 }),
      alarm({ id: 4, kind: 'handled' }),
    ],
    wish,
    0,
  );
  expect([...queue.waiting.keys()]).toEqual([1]);
});

test('minor alarms leave after their time, severe ones stay', () => {
  const queue = take(emptyQueue, [alarm({ id: 1, severity: 3 }), alarm({ id: 2, severity: 1 })], all, 0);
  expect([...expire(queue, 10, 9_999).waiting.keys()]).toEqual([1, 2]);
  expect([...expire(queue, 10, 10_000).waiting.keys()]).toEqual([2]);
});

test('only a critical alarm ends a snooze', () => {
  const snoozed = snooze(take(emptyQueue, [alarm({ id: 1 })], all, 0), 300_000);
  expect(take(snoozed, [alarm({ id: 2 })], all, 1).snoozedUntil).toBe(300_000);
  expect(take(snoozed, [alarm({ id: 3, severity: 1 })], all, 1).snoozedUntil).toBe(0);
});

test('every waiting alarm is in exactly one group, and many are a storm', () => {
  const event = fc.record({
    id: fc.integer({ min: 1, max: 60 }),
    device_id: fc.integer({ min: 1, max: 9 }),
    severity: fc.integer({ min: 1, max: 4 }),
    kind: fc.constantFrom('raised' as const, 'escalated' as const, 'handled' as const, 'deleted' as const),
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const queue = take(emptyQueue, events.map(alarm), all, 0);
      const view = viewOf(queue);
      const ids = view.groups.flatMap((group) => [...group.ids]).sort((a, b) => a - b);
      expect(ids).toEqual([...queue.waiting.keys()].sort((a, b) => a - b));
      expect(view.storm).toBe(ids.length > stormCount);
      expect(view.total).toBe(ids.length);
    }),
  );
});

test('a full queue only counts further alarms, and resets the count when it is closed', () => {
  const many = Array.from({ length: mostWaiting + 30 }, (_, index) =>
    alarm({ id: index + 1, device_id: index, severity: index === mostWaiting + 5 ? 1 : 2 }),
  );
  const queue = take(emptyQueue, many, all, 0);
  expect(queue.waiting.size).toBe(mostWaiting);
  expect(viewOf(queue)).toMatchObject({ total: mostWaiting + 30, critical: 1, storm: true });
  expect(viewOf(withoutAll(queue))).toMatchObject({ total: 0, critical: 0 });
});

test('a critical alarm replaces a minor one when the queue is full, and comes first', () => {
  const storm = Array.from({ length: mostWaiting }, (_, id) => alarm({ id, device_id: id + 1, severity: 3 }));
  const queue = take(
    take(emptyQueue, storm, all, 0),
    [alarm({ id: 5000, device_id: 5000, severity: 1 })],
    all,
    1,
  );
  expect(queue.waiting.size).toBe(mostWaiting);
  const { groups, total, critical } = viewOf(queue);
  expect(groups[0]!.lead.id).toBe(5000);
  expect([total, critical]).toEqual([mostWaiting + 1, 1]);
});
