import type { ReplyOf } from '#contract/endpoint.ts';
import type { trendEndpoints } from '#contract/trends.ts';
import { mannKendall, type Point, theilSen } from './robust.ts';

type Detail = ReplyOf<typeof trendEndpoints.detail>;
type LeakageTrend = NonNullable<Detail['leakage']>;
type JointTrend = NonNullable<Detail['joint']>;
type ArcTrend = NonNullable<Detail['arcs']>;

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** Fewer days give no result. */
const leastDays = 7;
/** Standard normal quantile for 95 %. */
const sure = 1.96;
const longestDays = 3650;

/** The extreme of a day or an hour. */
export interface Extreme {
  at: number;
  leakage: number | null;
  temperature: number | null;
  current: number | null;
}

const leakagePoints = (days: readonly Extreme[]): Point[] =>
  days.flatMap(({ at, leakage }): Point[] => (leakage === null ? [] : [[at / dayMs, leakage]]));
export const leakageFit = (days: readonly Extreme[]) => {
  const points = leakagePoints(days);
  return points.length < leastDays ? null : theilSen(points);
};

/** Drift of the daily maxima in mA per day, and the days until the limit at this rate. */
export const leakageTrend = (days: readonly Extreme[], limit: number): LeakageTrend | null => {
  const points = leakagePoints(days);
  const fit = leakageFit(days);
  if (!fit) return null;
  const now = fit.intercept + fit.slope * points.at(-1)![0];
  const rising = fit.slope > 0 && mannKendall(points.map(([, value]) => value)) >= sure;
  const left = rising ? Math.max(0, (limit - now) / fit.slope) : null;
  return {
    slope: fit.slope,
    now,
    limit,
    days: points.length,
    rising,
    days_to_limit: left === null || left > longestDays ? null : left,
  };
};

/** Minimum hours of a week for a slope. */
const leastHours = 48;
/**
 * The load must vary by this share of the squared rating; otherwise heating cannot be distinguished from the
 * weather.
 */
const leastSpread = 0.02;
/** A healthy joint varies less than this. */
const risingRatio = 1.3;
const risingKelvin = 5;

export interface Week {
  at: number;
  rise: number | null;
  hours: number;
}
const riseOf = (hours: readonly Extreme[], ratedCurrent: number): number | null => {
  const points = hours.flatMap(({ current, temperature }): Point[] =>
    current === null || temperature === null ? [] : [[current ** 2, temperature]],
  );
  if (points.length < leastHours) return null;
  const squares = points.map(([x]) => x).toSorted((a, b) => a - b);
  const spread = squares[Math.floor(squares.length * 0.9)]! - squares[Math.floor(squares.length * 0.1)]!;
  if (spread < leastSpread * ratedCurrent ** 2) return null;
  return (theilSen(points)?.slope ?? 0) * ratedCurrent ** 2;
};

/**
 * For each of the weeks before `now`: the temperature rise of the terminal above ambient at the rated
 * current, K.
 */
export const jointWeeks = (
  hours: readonly Extreme[],
  { now, weeks, ratedCurrent }: { now: number; weeks: number; ratedCurrent: number },
): Week[] =>
  Array.from({ length: weeks }, (_, index) => {
    const at = now - (weeks - index) * weekMs;
    const within = hours.filter((hour) => hour.at >= at && hour.at < at + weekMs);
    return { at, rise: riseOf(within, ratedCurrent), hours: within.length };
  });

/** A loosening contact has a higher resistance and heats more at the same current (P = R · I²). */
export const jointTrend = (weeks: readonly Week[]): JointTrend | null => {
  const known = weeks.flatMap(({ rise }) => (rise === null ? [] : [rise]));
  const [before, now] = [known[0], known.at(-1)];
  if (known.length < 2 || before === undefined || now === undefined) return null;
  return { now, before, rising: now - before >= risingKelvin && now >= before * risingRatio };
};

export interface ArcHour {
  at: number;
  arcs: number;
}
/** Arcs in each hour from the hourly maxima of the counter; after a restart the counter's value is added. */
export const arcHours = (counts: readonly { at: number; count: number }[]): ArcHour[] =>
  counts.slice(1).map(({ at, count }, index) => {
    const before = counts[index]!.count;
    return { at, arcs: count >= before ? count - before : count };
  });

/** Minimum number of days with readings, of the last seven, for a trend of arcs. */
const leastArcDays = 5;
const arcWindow = 7;

/** Whether arcs become more frequent: the counts of the last periods of 24 hours before `now`. */
export const arcTrend = (hours: readonly ArcHour[], now: number): ArcTrend | null => {
  const days = Array.from({ length: arcWindow }, (_, index) => {
    const from = now - (arcWindow - index) * dayMs;
    const within = hours.filter(({ at }) => at >= from && at < from + dayMs);
    return within.length === 0 ? null : within.reduce((sum, { arcs }) => sum + arcs, 0);
  });
  const known = days.filter((count) => count !== null);
  const last_day = days.at(-1) ?? null;
  if (known.length < leastArcDays || last_day === null) return null;
  return { last_day, days: known.length, rising: last_day > 0 && mannKendall(known) >= sure };
};
