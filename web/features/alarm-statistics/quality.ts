import * as z from 'zod';
import type { alarmQualityEndpoints } from '#contract/alarm-quality.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { dayRangeShape } from '#web/parts/DayRange.tsx';
import { paths } from '#web/parts/paths.ts';
import { optionalText } from '#web/parts/url-state.ts';
import type { ListLink } from './statistics.ts';

export type Quality = ReplyOf<typeof alarmQualityEndpoints.quality>;
export type Source = Quality['worst'][number] | Quality['standing']['list'][number];
export const qualitySearch = z.object({ ...dayRangeShape, positions: optionalText });

/** Links from a figure to the alarms that it counts, in the list of the project or of all. */
export const qualityListLinkOf =
  ({ from, to }: Quality, projectId?: number): ListLink =>
  (filter) => {
    const search = { from, to, ...filter };
    return projectId === undefined
      ? paths.alarmList(search)
      : paths.project('earlywarning', projectId, search);
  };
