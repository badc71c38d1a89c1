import type * as z from 'zod';
import type { statisticsHead } from '#contract/statistics.ts';
import type { Range } from './range.ts';
import { firstFigures } from './sums.ts';
import type { Target } from './target.ts';

export const instantOf = (at: number): string => new Date(at).toISOString();

/** The target and the period of the figures. */
export const headOf = (
  target: Target,
  range: Range,
  by: z.output<typeof statisticsHead>['by'] = range.by,
): z.output<typeof statisticsHead> => {
  const first = firstFigures(target.lines);
  return {
    kind: target.kind,
    id: target.id,
    name: target.name,
    project_id: target.project_id,
    time_zone: target.zone,
    path: target.path,
    from: instantOf(range.from),
    to: instantOf(range.to),
    first_day: range.first_day,
    last_day: range.last_day,
    by,
    running: range.running,
    data_from: first === null ? null : instantOf(first),
    rebuilding: target.rebuilding,
  };
};
