import { minuteMs, quarterMs } from './energy.ts';
import type { Instant } from './rollups.store.ts';

/** How often the minutes of the present quarter of an hour are folded into it. */
const foldEveryMs = 5 * minuteMs;
const quarterOf = (at: number) => Math.floor(at / quarterMs) * quarterMs;

/** Which minutes a round folds into quarters of an hour and larger buckets, and which wait for a later round. */
export interface Folds {
  /** Only lines with readings since this time take part. */
  since: number;
  /** True: this round folds everything that waits. */
  areAllDue: boolean;
  /** Those of these minutes that this round folds. */
  now(minutes: readonly Instant[]): readonly Instant[];
  /** Minutes of these lines that earlier rounds may have left unfolded, if they are due now. */
  waiting(lineIds: readonly number[]): readonly Instant[];
}

/**
 * A round writes the added-up minutes before `until`. Only minutes of the quarter of the last fold may stay
 * unfolded. `folded` is stored, so every node knows from where to fold.
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
