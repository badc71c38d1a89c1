import { isFresh } from '#contract/freshness.ts';

interface Reported {
  at: Date | null;
  position: number | null;
  position_at: Date | null;
  interval_seconds: number;
}

/** When a line was last measured and its position last observed, and whether these are stale. */
export const agesOf = ({ at, position, position_at, interval_seconds }: Reported, now: number) => {
  // A line with only a reported position has a row without a reading.
  const measured = at !== null && at.getTime() > 0 ? at : null;
  const observed = position === null ? measured : position_at;
  const isStale = (of: Date | null) => !isFresh(of?.getTime() ?? null, now, interval_seconds);
  return {
    observed_at: observed?.toISOString() ?? null,
    stale: isStale(observed),
    values_at: measured?.toISOString() ?? null,
    values_stale: isStale(measured),
  };
};
