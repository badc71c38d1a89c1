import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSilenced, opensAt, type Sent } from './notices.rules.ts';

const minute = 60_000;
const zones = [
  'Asia/Shanghai',
  'Europe/Moscow',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Casablanca',
];
const clocks = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  ]),
);
/** What a clock on the wall shows. */
const wallClock = (at: number, zone: string) => clocks.get(zone)!.format(at);
const isOpen = (from: string, to: string, shown: string) =>
  from <= to ? from <= shown && shown < to : shown >= from || shown < to;
/** Looks at the clock every minute. A window that the clock jumps over opens where it lands. */
const firstOpening = (from: string, to: string, at: number, zone: string): number | null => {
  if (isOpen(from, to, wallClock(at, zone))) return null;
  for (let then = Math.floor(at / minute) * minute + minute; ; then += minute) {
    const shown = wallClock(then, zone);
    if (isOpen(from, to, shown) || (wallClock(then - minute, zone) < from && shown > from)) return then;
  }
};

const clockTime = fc
  .record({ hour: fc.integer({ min: 0, max: 23 }), minutes: fc.constantFrom(0, 1, 15, 30, 45, 59) })
  .map(({ hour, minutes }) => `${String(hour).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`);
/** Half of the moments are within two days of a change of the clocks. */
const changes = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-10-03T15:30:00Z',
].map((at) => Date.parse(at));
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
  fc
    .record({ near: fc.constantFrom(...changes), off: fc.integer({ min: -48 * 60, max: 48 * 60 }) })
    .map(({ near, off }) => near + off * minute),
);

describe('a time window', () => {
  it('a time window opens when the local clock of the project first shows a time within it', () => {
    fc.assert(
      fc.property(clockTime, clockTime, moment, fc.constantFrom(...zones), (from, to, at, zone) => {
        fc.pre(from !== to);
        const opening = opensAt({ from, to }, at, zone);
        const expected = firstOpening(from, to, at, zone);
        // Where the clock jumps over the opening, it opens as much later as the clock jumped at most.
        const isJumped = expected !== null && wallClock(expected, zone) > from;
        if (!isJumped || opening === null) expect(opening).toBe(expected);
        else expect([opening >= expected, opening <= expected + 60 * minute]).toEqual([true, true]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a silence period', () => {
  it('a silence period suppresses exactly the alarms that an earlier push reported', () => {
    const lines = fc.constantFrom(1, 2, 3);
    const levels = fc.constantFrom(1, 2);
    const sent = fc.record({ at: fc.integer({ min: 0, max: 120 }), lineId: lines, level: levels });
    const kinds = fc.constantFrom('raised', 'escalated', 'reminder');
    const alarm = fc.record({
      kind: kinds,
      severity: fc.integer({ min: 1, max: 4 }),
      level: levels,
      lineId: lines,
    });
    fc.assert(
      fc.property(
        fc.array(sent, { maxLength: 6 }),
        alarm,
        fc.constantFrom(0, 10, 60),
        (before, now, minutes) => {
          const inTime: Sent[] = [];
          for (const one of before) if (120 - one.at < minutes) inTime.push(one);
          // By the domain reference: a rise of level and the first critical alarm of a line break through.
          const knownOnLine = inTime.filter((one) => one.lineId === now.lineId);
          const rises = inTime.every((one) => one.level < now.level);
          const risesOnLine = knownOnLine.length > 0 && knownOnLine.every((one) => one.level < now.level);
          const isFirstCritical = now.severity === 1 && knownOnLine.every((one) => one.level < now.level);
          const breaksThrough =
            now.kind === 'escalated' || (now.kind === 'raised' && (rises || risesOnLine || isFirstCritical));
          const known = before.map((one) => ({ ...one, at: one.at * minute }));
          expect(isSilenced(minutes, known, now, 120 * minute)).toBe(inTime.length > 0 && !breaksThrough);
        },
      ),
      { numRuns: 5000 },
    );
  });
});
