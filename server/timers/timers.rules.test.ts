import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { describe, expect, test } from 'vitest';
import { daysOf, namedDays, nextRun, runsBetween, type TimerRule, withConflicts } from './timers.rules.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const zones = [
  'America/New_York',
  'Europe/Moscow',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Shanghai',
  'Asia/Tehran',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Pacific/Apia',
  'America/St_Johns',
];
/**
 * Five years with every irregularity: gaps at midnight, half hours, four changes in a year, a skipped day.
 */
const past = [Date.UTC(2010, 0, 1), Date.UTC(2015, 0, 1)] as const;
const coming = [Date.UTC(2026, 0, 1), Date.UTC(2031, 0, 1)] as const;

const formats = new Map<string, Intl.DateTimeFormat>();
/** Local time from the platform's calendar: yyyy-MM-dd HH:mm. */
const shown = (at: number, zone: string): string => {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(zone, format);
  }
  return format.format(at);
};

/** A slow check, minute by minute: the first minute that shows the time or a later one. */
const byLooking = (day: number, time: string, zone: string): number => {
  const wanted = `${new Date(day).toISOString().slice(0, 10)} ${time}`;
  const minutes = (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs;
  const begin = day + minutes - 27 * 3_600_000;
  // Local time moves forward or jumps; after a jump back a minute is shown a second time.
  for (let at = begin; at <= begin + 54 * 3_600_000; at += minuteMs) if (shown(at, zone) >= wanted) return at;
  throw new Error(`${wanted} never came in ${zone}`);
};

const calm = (day: number, zone: IANAZone): boolean =>
  new Set([-2, -1, 0, 1, 2, 3].map((offset) => zone.offset(day + offset * dayMs))).size === 1;

const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
const nightTimes = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 1, 15, 30, 59))
  .map(([hour, minute]) => `0${hour}:${String(minute).padStart(2, '0')}`);

describe.each(zones)('in %s', (name) => {
  const zone = IANAZone.create(name);
  test.each([
    ['2010 to 2014', past],
    ['2026 to 2030', coming],
  ] as const)('for the five years %s, each local occurrence comes exactly once', (_years, [from, to]) => {
    fc.assert(
      fc.property(
        fc.oneof(nightTimes, times),
        fc.oneof(fc.constant(127), fc.integer({ min: 1, max: 127 })),
        (time, days) => {
          const rule: TimerRule = { type: 'weekly', days, date: null, time };
          const runs = runsBetween(rule, zone, from, to);
          const expected = new Set<number>();
          for (let day = from - 2 * dayMs; day <= to + 2 * dayMs; day += dayMs) {
            const weekday = (new Date(day).getUTCDay() + 6) % 7;
            if (((days >> weekday) & 1) === 0) continue;
            const minutes = (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs;
            const at = calm(day, zone)
              ? day + minutes - zone.offset(day) * minuteMs
              : byLooking(day, time, name);
            if (at > from && at <= to) expected.add(at);
          }
          expect(runs).toEqual([...expected]);
        },
      ),
      { numRuns: 6, seed: 41 },
    );
  });
});

test('a skipped local time fires at the first instant after the gap', () => {
  const rule: TimerRule = { type: 'once', days: 0, date: '2026-03-29', time: '02:30' };
  expect(nextRun(rule, IANAZone.create('Europe/Berlin'), 0)).toBe(Date.parse('2026-03-29T03:00:00+02:00'));
  expect(nextRun({ ...rule, date: '2011-12-30', time: '12:00' }, IANAZone.create('Pacific/Apia'), 0)).toBe(
    Date.parse('2011-12-31T00:00:00+14:00'),
  );
});

test('a repeated local time fires at the first occurrence', () => {
  const rule: TimerRule = { type: 'once', days: 0, date: '2026-10-25', time: '02:30' };
  const first = Date.parse('2026-10-25T02:30:00+02:00');
  expect(nextRun(rule, IANAZone.create('Europe/Berlin'), 0)).toBe(first);
  expect(nextRun(rule, IANAZone.create('Europe/Berlin'), first)).toBeNull();
});

test('two timers of one line with opposite actions in one minute conflict, and the opening one wins', () => {
  const close = { lineId: 1, at: 60_000, action: 'close' as const };
  const marked = withConflicts([
    close,
    { ...close, action: 'open' },
    { ...close, lineId: 2 },
    { ...close, at: 120_000 },
  ]);
  expect(marked.map(({ conflict, wins }) => [conflict, wins])).toEqual([
    [true, false],
    [true, true],
    [false, false],
    [false, false],
  ]);
});

test('days are given by name and kept as bits', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 127 }), (days) => daysOf(namedDays(days)) === days));
});
