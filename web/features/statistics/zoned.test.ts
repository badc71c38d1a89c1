import { expect, test } from 'vitest';
import { zonedFormats } from './zoned.ts';

const minuteMs = 60_000;
/** What the zone's clock shows, by the platform alone. */
const shownIn = (timeZone: string, at: number): number => {
  const shown = new Date(at).toLocaleString('sv-SE', { timeZone });
  return Date.parse(`${shown.replace(' ', 'T').slice(0, 16)}Z`);
};

test.each(['Asia/Shanghai', 'Asia/Kathmandu', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe'])(
  'the clock of %s is right on every day of a year, and around its changes',
  (timeZone) => {
    const { wallClock } = zonedFormats('en-US', timeZone);
    const wrong: string[] = [];
    const end = Date.parse('2027-01-01T00:00Z');
    for (let at = Date.parse('2026-01-01T00:00Z'); at < end; at += 105 * minuteMs + 1234) {
      const time = new Date(at).toISOString();
      if (wallClock(time) !== shownIn(timeZone, at)) wrong.push(time);
    }
    expect(wrong).toEqual([]);
  },
);
