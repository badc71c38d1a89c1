import { DateTime } from 'luxon';
import type { alarmStatisticsEndpoints } from '#contract/alarm-statistics.ts';
import { longestStatisticsDays, statisticsRanges } from '#contract/alarm-statistics.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { fault } from '#server/core/fault.ts';

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
  const today = DateTime.fromMillis(now, { zone }).startOf('day');
  const dayOf = (text: string) => DateTime.fromISO(text, { zone }).startOf('day');
  const last = last_day === undefined ? today : dayOf(last_day);
  const first =
    first_day === undefined ? last.minus({ days: statisticsRanges[range] - 1 }) : dayOf(first_day);
  if (first > last) fault('request.invalid', { fields: { last_day: 'range.order' } });
  const end = last.plus({ days: 1 });
  const length = Math.round(end.diff(first, 'days').days);
  if (length > longestStatisticsDays)
    fault('request.invalid', { fields: { last_day: 'range.long' }, with: { days: longestStatisticsDays } });
  return {
    firstDay: first.toFormat(dayFormat),
    lastDay: last.toFormat(dayFormat),
    from: first.toJSDate(),
    to: end.toJSDate(),
    days: Array.from({ length }, (_, index) => first.plus({ days: index }).toFormat(dayFormat)),
    before: first.minus({ days: length }).toJSDate(),
  };
};
