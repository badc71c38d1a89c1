import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** Times in the zone of the project, which may differ from the reader's. */
export const zonedFormats = (language: string, timeZone: string) => {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone });
  const clock = format({ hour: '2-digit', minute: '2-digit', hour12: false });
  const dayMonth = format({ day: '2-digit', month: '2-digit' });
  const month = format({ month: 'short', year: 'numeric' });
  const day = format({ dateStyle: 'medium' });
  const moment = format({ dateStyle: 'short', timeStyle: 'short', hour12: false });
  const exact = format({ dateStyle: 'short', timeStyle: 'medium', hour12: false });
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
  return {
    clock: (at: string) => clock.format(new Date(at)),
    dayMonth: (at: string) => dayMonth.format(new Date(at)),
    month: (at: string) => month.format(new Date(at)),
    day: (at: string) => day.format(new Date(at)),
    moment: (at: string) => moment.format(new Date(at)),
    exact: (at: string) => exact.format(new Date(at)),
    /** '2026-11-22'. */
    calendar: (at: string) => calendar.format(new Date(at)),
    /** Local time of the zone as if it were UTC: milliseconds, to the minute. */
    wallClock: (at: string) => {
      const shown = new Map(wall.formatToParts(new Date(at)).map(({ type, value }) => [type, Number(value)]));
      const of = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0;
      return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
    },
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
