import { minuteMs, quarterMs } from './energy.ts';
import type { Instant } from './rollups.store.ts';

/** Of minutes that were added up, the quarter under way is folded this often. */
const foldEveryMs = 5 * minuteMs;
const quarterOf = (at: number) => Math.floor(at / quarterMs) * quarterMs;

/** Which minutes a round folds into quarters and so on, and which wait for a later round. */
export interface Folds {
  /** Lines with readings from here on take part. */
  since: number;
  /** Nothing waits after this round. */
  areAllDue: boolean;
  /** Of these added-up minutes, those that do not wait. */
  now(minutes: readonly Instant[]): readonly Instant[];
  /** What may wait of these lines since earlier rounds, if it is due. */
  waiting(lineIds: readonly number[]): readonly Instant[];
}

/**
 * A round writes the added-up minutes before `until`. Only those of the quarter in which the last fold ended may
 * wait, so that a later round, of any node, knows what to fold: `folded` is stored.
 */
export const foldsOf = ({
  since,
  until,
  folded,
  mayWait,
}: {
  since: number;
  until: number;
  folded: number | null;
  mayWait: boolean;
}): Folds => {
  const quarter = quarterOf(folded ?? since);
  const areAllDue =
    !mayWait || folded === null || until - folded >= foldEveryMs || quarterOf(until) !== quarter;
  return {
    since: Math.min(since, folded ?? since),
    areAllDue,
    now: (minutes) => (areAllDue ? minutes : minutes.filter(({ bucket }) => bucket < quarter)),
    waiting: (lineIds) =>
      areAllDue && folded !== null ? lineIds.map((lineId) => ({ lineId, bucket: quarter })) : [],
  };
};
