import type { LineLimits } from './lines.ts';

/** The limits of a channel at a position: limits of low voltage apply only to a closed line. */
export const limitsAt = (limits: LineLimits, state: 'closed' | 'open' | 'unknown'): LineLimits =>
  state === 'closed' ? limits : { ...limits, low_early: null, low_alarm: null };

interface Closeness {
  /** How far the value has gone from its normal value to the limit, in per cent; over 100: it is beyond. */
  percent: number;
  /** The limit that the value approaches: that of the alarm, or the early limit if there is no other. */
  limit: number;
  /** The value must not fall below this limit. */
  low: boolean;
}

/** The normal value: the middle between limits on both sides, else zero. */
export const restOf = ({ early, alarm, low_early, low_alarm }: LineLimits): number => {
  const [top, bottom] = [alarm ?? early, low_alarm ?? low_early];
  return top === null || bottom === null ? 0 : (top + bottom) / 2;
};

/** How close a value is to the limit that it approaches; null if there is no limit on that side. */
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
