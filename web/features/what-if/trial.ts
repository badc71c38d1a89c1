/** One what-if: the change, the lines, and the results so far. */
import * as z from 'zod';
import { isGrave as isGraveAlarm } from '#contract/alarm-traits.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { longestReplayDays, mostReplayLines, type whatIfEndpoints } from '#contract/what-if.ts';
import { optionalNumber, optionalText } from '#web/parts/url-state.ts';

export const trialDays = ['7', '14', '30'] as const;
export const trialSearch = z.object({
  project_id: optionalNumber,
  device_id: optionalNumber,
  line_id: optionalNumber,
  type: optionalNumber,
  key: optionalText,
  value: optionalNumber,
  days: z.enum(trialDays).catch(`${longestReplayDays}`),
  /** The line that the chart shows. */
  line: optionalNumber,
});

export type TrialLines = ReplyOf<typeof whatIfEndpoints.lines>;
export type TrialLine = TrialLines['lines'][number];
export type Judged = ReplyOf<typeof whatIfEndpoints.replay>['lines'][number];
export type Episode = Judged['missed']['episodes'][number];
export interface Trial {
  typeNumber: number;
  key: string;
  value: number;
  days: number;
}

export const placeKinds = ['missed', 'lowered', 'added', 'remain'] as const;
export type Fate = (typeof placeKinds)[number];

/** Groups of lines for one call each. */
export const batchesOf = (lineIds: readonly number[], size = mostReplayLines): number[][] =>
  Array.from({ length: Math.ceil(lineIds.length / size) }, (_, index) =>
    lineIds.slice(index * size, (index + 1) * size),
  );

/** Critical and high: a missed alarm of these must not be overlooked. */
export const isGrave = ({ severity, level }: Episode): boolean => level >= 2 && isGraveAlarm({ severity });

export interface Found extends Episode {
  line_id: number;
}
export interface Totals {
  before: Judged['before'];
  after: Judged['after'];
  counts: Record<Fate, number>;
  /** Most severe first, then newest. */
  named: Record<Fate, Found[]>;
  graveMissed: number;
  empty: number;
}
const sum = (judged: readonly Judged[], pick: (line: Judged) => number): number =>
  judged.reduce((all, line) => all + pick(line), 0);
const countsOf = (judged: readonly Judged[], when: 'before' | 'after') => ({
  raised: sum(judged, (line) => line[when].raised),
  alarms: sum(judged, (line) => line[when].alarms),
  early_warnings: sum(judged, (line) => line[when].early_warnings),
});
export const totalsOf = (judged: readonly Judged[]): Totals => {
  const of = <Value>(make: (fate: Fate) => Value) =>
    Object.fromEntries(placeKinds.map((fate) => [fate, make(fate)])) as Record<Fate, Value>;
  const named = of((fate) =>
    judged
      .flatMap((line) => line[fate].episodes.map((episode) => ({ ...episode, line_id: line.line_id })))
      .sort((one, other) => one.severity - other.severity || Date.parse(other.at) - Date.parse(one.at)),
  );
  return {
    before: countsOf(judged, 'before'),
    after: countsOf(judged, 'after'),
    counts: of((fate) => sum(judged, (line) => line[fate].count)),
    named,
    graveMissed: [...named.missed, ...named.lowered].filter(isGrave).length,
    empty: judged.filter(({ readings }) => readings === 0).length,
  };
};

/** Lines to which a value can be applied: it differs from theirs, and crosses none of their other limits. */
export const changedLines = (
  lines: readonly TrialLine[],
  judged: readonly Judged[],
  value: number,
): { fit: TrialLine[]; crossing: TrialLine[] } => {
  const crosses = new Set(judged.filter((line) => line.crosses !== null).map(({ line_id }) => line_id));
  const known = new Set(judged.map(({ line_id }) => line_id));
  const others = lines.filter((line) => line.value !== value && known.has(line.line_id));
  return {
    fit: others.filter(({ line_id }) => !crosses.has(line_id)),
    crossing: others.filter(({ line_id }) => crosses.has(line_id)),
  };
};
