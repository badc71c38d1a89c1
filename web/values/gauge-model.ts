import { restOf } from '#contract/limit-closeness.ts';
import type { LineLimits } from '#contract/lines.ts';

/** Position of a value against its limits: within, beyond the early limit, or beyond the alarm limit. */
type Standing = 'normal' | 'early' | 'alarm';
interface Gauge {
  standing: Standing;
  /** The violated limit, or the next alarm limit; null if the value has none. */
  limit: number | null;
  /** The value is below its lower limit. */
  low: boolean;
  /** Shares of the bar's length, 0 to 1: the filled part from `from` to `to`, and the marks of the limits. */
  from: number;
  to: number;
  marks: readonly { at: number; level: 1 | 2 }[];
}

/** Space beyond the outermost limit, to show how far a value exceeds it. */
const beyond = 0.2;
const clamp = (share: number) => Math.min(1, Math.max(0, share));

/**
 * How a value is drawn with its limits: from zero or, with limits on both sides, from the middle between
 * them.
 */
export const gaugeOf = (value: number, limits: LineLimits | undefined, rating: number | null): Gauge => {
  const { early = null, alarm = null, low_early: lowEarly = null, low_alarm: lowAlarm = null } = limits ?? {};
  const [top, bottom] = [alarm ?? early, lowAlarm ?? lowEarly];
  const above = (limit: number | null) => limit !== null && value > limit;
  const below = (limit: number | null) => limit !== null && value < limit;
  const isAlarm = above(alarm) || below(lowAlarm);
  const standing: Standing = isAlarm ? 'alarm' : above(early) || below(lowEarly) ? 'early' : 'normal';
  const low = below(lowAlarm) || below(lowEarly);
  const two = top !== null && bottom !== null;
  const start = two ? bottom - beyond * (top - bottom) : 0;
  const end = two ? top + beyond * (top - bottom) : Math.max(top ?? 0, rating ?? 0) * (1 + beyond);
  const share = (at: number) => (end > start ? clamp((at - start) / (end - start)) : 0);
  const rest = limits ? share(restOf(limits)) : 0;
  const marks = [
    { limit: lowAlarm, level: 2 as const },
    { limit: lowEarly, level: 1 as const },
    { limit: early, level: 1 as const },
    { limit: alarm, level: 2 as const },
  ].flatMap(({ limit, level }) => (limit === null ? [] : [{ at: share(limit), level }]));
  return {
    standing,
    low,
    limit: standing === 'early' ? (low ? lowEarly : early) : low ? lowAlarm : top,
    from: Math.min(rest, share(value)),
    to: Math.max(rest, share(value)),
    marks,
  };
};
