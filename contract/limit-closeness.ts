import type { LineLimits } from './lines.ts';

/**
 * What a channel is judged by at a position: too little voltage says nothing about a line that is not closed.
 */
export const limitsAt = (limits: LineLimits, state: 'closed' | 'open' | 'unknown'): LineLimits =>
  state === 'closed' ? limits : { ...limits, low_early: null, low_alarm: null };

export interface Closeness {
  /** How much of the way from rest to the limit the value has gone; over 100: it is beyond. */
  percent: number;
  /** The limit that it goes to: that of the alarm, or the early one where there is no other. */
  limit: number;
  /** The limit is one that the value must not fall below. */
  low: boolean;
}

/** Where a value is at rest: in the middle between limits on both sides, else at zero. */
export const restOf = ({ early, alarm, low_early, low_alarm }: LineLimits): number => {
  const [top, bottom] = [alarm ?? early, low_alarm ?? low_early];
  return top === null || bottom === null ? 0 : (top + bottom) / 2;
};

/** How near a value is to the limit that it moves towards; null where no limit is judged on that side. */
export const closenessOf = (
  value: number,
  limits: LineLimits,
  state: 'closed' | 'open' | 'unknown',
): Closeness | null => {
  const rest = restOf(limits);
  const { early, alarm, low_early, low_alarm } = limitsAt(limits, state);
  const [top, bottom] = [alarm ?? early, low_alarm ?? low_early];
  if (value >= rest && top !== null && top > rest)
    return { percent: (100 * (value - rest)) / (top - rest), limit: top, low: false };
  if (bottom === null || rest <= bottom) return null;
  return value < rest
    ? { percent: (100 * (rest - value)) / (rest - bottom), limit: bottom, low: true }
    : null;
};
