import { DateTime } from 'luxon';
import type { alarmStatisticsEndpoints } from '#contract/alarm-statistics.ts';
import { longestStatisticsDays, statisticsRanges } from '#contract/alarm-statistics.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { fault } from '#server/core/fault.ts';
import { firstAfter, firstOf } from '#server/core/zone.ts';

type Asked = Pick<BodyOf<typeof alarmStatisticsEndpoints.statistics>, 'range' | 'first_day' | 'last_day'>;
export interface DayRange {
  firstDay: string;
  lastDay: string;
  from: Date;
  /** The beginning of the day after the last. */
  to: Date;
  days: readonly string[];
  /** Beginning of the preceding range with as many days. */
  before: Date;
}
const dayFormat = 'yyyy-MM-dd';

/** The requested days in a time zone: a preset until today, or from one day to another. */
export const rangeOf = ({ range, first_day, last_day }: Asked, zone: string, now: number): DayRange => {
  const today = firstOf('day', DateTime.fromMillis(now, { zone }));
  const dayOf = (text: string) => firstOf('day', DateTime.fromISO(text, { zone }));
  const last = last_day === undefined ? today : dayOf(last_day);
  const first =
    first_day === undefined ? firstAfter('day', last, 1 - statisticsRanges[range]) : dayOf(first_day);
  if (first > last) fault('request.invalid', { fields: { last_day: 'range.order' } });
  const end = firstAfter('day', last);
  const length = Math.round(end.diff(first, 'days').days);
  if (length > longestStatisticsDays)
    fault('request.invalid', { fields: { last_day: 'range.long' }, with: { days: longestStatisticsDays } });
  return {
    firstDay: first.toFormat(dayFormat),
    lastDay: last.toFormat(dayFormat),
    from: first.toJSDate(),
    to: end.toJSDate(),
    days: Array.from({ length }, (_, index) => firstAfter('day', first, index).toFormat(dayFormat)),
    before: firstAfter('day', first, -length).toJSDate(),
  };
};
