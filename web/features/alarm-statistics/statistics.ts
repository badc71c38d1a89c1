import * as z from 'zod';
import type { alarmStatisticsEndpoints } from '#contract/alarm-statistics.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { dayRangeShape } from '#web/parts/DayRange.tsx';
import { paths } from '#web/parts/paths.ts';
import { optionalOf, optionalText } from '#web/parts/url-state.ts';

export type Statistics = ReplyOf<typeof alarmStatisticsEndpoints.statistics>;
export const statisticsSearch = z.object({
  ...dayRangeShape,
  level: optionalOf(['1', '2']),
  severity: optionalOf(['1', '2', '3', '4']),
  typeNumber: optionalText,
});
type StatisticsSearch = z.output<typeof statisticsSearch>;

type Filter = Record<string, string | number | undefined>;
export type ListLink = (filter: Filter) => string;
/** Links from a figure to exactly the alarms that it counts, in the list of the project or of all. */
export const listLinkOf =
  (
    { from, to }: Statistics,
    { level, severity, typeNumber }: StatisticsSearch,
    projectId?: number,
  ): ListLink =>
  (filter) => {
    const search = { from, to, level, severity, typeNumber, ...filter };
    return projectId === undefined
      ? paths.alarmList(search)
      : paths.project('earlywarning', projectId, search);
  };
