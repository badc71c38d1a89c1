import { expect, test } from 'vitest';
import { datesFrom } from './NextDays.tsx';
import { bodyOf, workdays } from './timer-form.ts';
import { conflict, type TimerRule, weekdayOf, weekOf } from './timer-week.ts';
import type { Timer } from './timers.query.ts';

const never = { w1: false, w2: false, w3: false, w4: false, w5: false, w6: false, w7: false };
const rule = (given: Partial<TimerRule>): TimerRule => ({
  ...never,
  line_id: 1,
  type: 'weekly',
  time: '08:00',
  action: 'open',
  ...given,
});

test('two timers conflict if they switch one line in opposite ways in the same minute of a common day', () => {
  const opens = rule({ w1: true, w3: true });
  expect(conflict(opens, rule({ action: 'close', w3: true }))).toBe(true);
  expect(conflict(opens, rule({ action: 'close', w2: true }))).toBe(false);
  expect(conflict(opens, rule({ action: 'close', w3: true, time: '08:01' }))).toBe(false);
  expect(conflict(opens, rule({ action: 'close', w3: true, line_id: 2 }))).toBe(false);
  expect(conflict(opens, rule({ w3: true }))).toBe(false);
});

test('a once timer conflicts with a weekly one on its weekday', () => {
  expect(weekdayOf('2026-11-25')).toBe('w3');
  expect(weekdayOf('2026-11-29')).toBe('w7');
  const once = rule({ type: 'once', date: '2026-11-25', action: 'close' });
  expect(conflict(once, rule({ w3: true }))).toBe(true);
  expect(conflict(once, rule({ w4: true }))).toBe(false);
  expect(conflict(once, rule({ type: 'once', date: '2026-12-02' }))).toBe(false);
});

test('the week shows each timer on its days by time, and disabled ones without conflict', () => {
  const timer = (id: number, given: Partial<Timer>) =>
    ({ ...rule({}), timer_id: id, enabled: true, done: false, ...given }) as Timer;
  const week = weekOf([
    timer(1, { w1: true, time: '19:00' }),
    timer(2, { w1: true, time: '07:30', action: 'close' }),
    timer(3, { w1: true, time: '07:30', action: 'open', enabled: false }),
    timer(4, { w2: true, time: '07:30', action: 'open' }),
  ]);
  expect(week.w1.map((entry) => entry.timer.timer_id)).toEqual([2, 3, 1]);
  expect(week.w1.some((entry) => entry.conflict)).toBe(false);
  expect(week.w2).toHaveLength(1);
  expect(week.w7).toEqual([]);
});

test('fields of another timer type are not sent', () => {
  const weekly = bodyOf({ type: 'weekly', days: [...workdays], date: '2026-11-25', time: '08:00' });
  expect(weekly).toMatchObject({ w1: true, w5: true, w6: false });
  expect(weekly).not.toHaveProperty('date');
  expect(bodyOf({ type: 'once', days: [...workdays], date: '2026-11-25' })).toMatchObject({
    w1: false,
    date: '2026-11-25',
  });
});

test('seven dates follow each other across the end of a month', () => {
  expect(datesFrom('2026-02-26')).toEqual([
    '2026-02-26',
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
    '2026-03-03',
    '2026-03-04',
  ]);
});
