import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { momentFormats } from '#contract/moments.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** A wall clock to the minute, in milliseconds as if it were UTC. */
type WallClock = (at: number) => number;
/**
 * The same clock, which asks the slow one only twice a day of UTC: if it is as far from UTC at the end of the day as
 * at its beginning, it is so in between. On other days clocks are changed.
 */
const steadyClock = (slow: WallClock): WallClock => {
  const offsets = new Map<number, number | null>();
  const offsetOn = (day: number): number | null => {
    const known = offsets.get(day);
    if (known !== undefined) return known;
    const [begun, ended] = [day * dayMs, (day + 1) * dayMs];
    const offset = slow(begun) - begun;
    const found = slow(ended) - ended === offset ? offset : null;
    offsets.set(day, found);
    return found;
  };
  return (at) => {
    const offset = offsetOn(Math.floor(at / dayMs));
    return offset === null ? slow(at) : Math.floor(at / minuteMs) * minuteMs + offset;
  };
};

/** Times in the zone of the project, which may differ from the reader's. */
export const zonedFormats = (language: string, timeZone: string) => {
  const { clock, dayMonth, month, day, minute, second } = momentFormats(language, timeZone);
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone });
  const wall = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  const wallClock = steadyClock((at) => {
    const shown = new Map(wall.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  });
  return {
    ...{ clock, dayMonth, month, day },
    moment: minute,
    exact: second,
    /** '2026-11-22'. */
    calendar: (at: string) => calendar.format(new Date(at)),
    /** Local time of the zone as if it were UTC: milliseconds, to the minute. */
    wallClock: (at: string) => wallClock(Date.parse(at)),
  };
};
export type ZonedFormats = ReturnType<typeof zonedFormats>;

export const useZoned = (timeZone: string): ZonedFormats => {
  const { i18n } = useTranslation();
  return useMemo(() => zonedFormats(i18n.language, timeZone), [i18n.language, timeZone]);
};

/** The label of a bucket on an axis, and in full. */
export const labelOf = (formats: ZonedFormats, by: string, at: string): string =>
  by === 'month' ? formats.month(at) : by === 'day' ? formats.dayMonth(at) : formats.clock(at);
export const fullLabelOf = (formats: ZonedFormats, by: string, at: string): string =>
  by === 'month' ? formats.month(at) : by === 'day' ? formats.day(at) : formats.moment(at);
