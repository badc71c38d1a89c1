/**
 * Alarm performance metrics of ISA-18.2 and IEC 62682 (clause 16.5). `alarm-quality-words.ts` explains each
 * figure.
 */
import * as z from 'zod';
import { statisticsDays } from './alarm-statistics.ts';
import { alarmFilters } from './alarms.ts';
import { endpoint, integer } from './endpoint.ts';

export const windowMinutes = 10;
/**
 * A flood begins above this number of alarms in ten minutes per operator position, and ends below
 * `floodEnds`.
 */
export const floodBegins = 10;
export const floodEnds = 5;
/** An alarm that is active for longer than this is stale. */
export const staleHours = 24;
export const worstCount = 10;
const mostPositions = 99;

/** A figure up to `good` is as recommended; up to `fair` it is still manageable. */
interface Target {
  readonly good: number;
  readonly fair: number;
}
export type Grade = 'good' | 'fair' | 'poor';
/** Per operator position, if the figure depends on how many operators share the work. */
export const qualityTargets = {
  per_hour: { good: 6, fair: 12 },
  per_ten_minutes: { good: 1, fair: 2 },
  per_day: { good: 150, fair: 300 },
  peak: { good: 10, fair: 10 },
  over_share: { good: 0.01, fair: 0.01 },
  flood_share: { good: 0.01, fair: 0.01 },
  worst_share: { good: 0.01, fair: 0.05 },
  chattering: { good: 0, fair: 0 },
  stale: { good: 4, fair: 4 },
} as const satisfies Record<string, Target>;
export type QualityMetric = keyof typeof qualityTargets;
export const qualityMetrics = Object.keys(qualityTargets) as readonly QualityMetric[];
/** Metrics that are shares; the others are numbers of alarms. */
export const shareMetrics: ReadonlySet<QualityMetric> = new Set(['over_share', 'flood_share', 'worst_share']);
export const gradeOf = (value: number, { good, fair }: Target): Grade =>
  value <= good ? 'good' : value <= fair ? 'fair' : 'poor';

/** With fewer alarms than this, shares are not meaningful. */
export const fewestForShares = 100;

/**
 * Recommended shares by severity, 1 critical … 4 low: about 80, 15 and 5 %, and under 1 % of critical alarms.
 */
export const recommendedShares = { 1: 0.01, 2: 0.05, 3: 0.15, 4: 0.8 } as const;
/** Too many low-severity alarms are graded by the rate, not by the distribution. */
export const gradeOfShare = (severity: number, share: number | null): Grade | null => {
  const recommended = recommendedShares[severity as 1 | 2 | 3];
  return share === null || severity >= 4 || recommended === undefined
    ? null
    : gradeOf(share, { good: recommended * 1.2, fair: recommended * 2 });
};

/** What to do about a frequent alarm. */
const proposals = ['link', 'device', 'standing', 'few', 'steady', 'limit', 'cause'] as const;
export type Proposal = (typeof proposals)[number];

const count = z.int();
const instant = z.iso.datetime({ offset: true });
const body = z.strictObject({
  ...statisticsDays,
  project_id: alarmFilters.project_id,
  /** Operator positions that share the alarms. */
  positions: integer.pipe(z.int().min(1).max(mostPositions)).default(1),
});
const place = {
  line_id: z.int(),
  /** Empty if the alarm concerns the whole device. */
  line_name: z.string(),
  device_id: z.int(),
  device_number: z.string(),
  device_name: z.string(),
  project_id: z.int().nullable(),
  project_name: z.string(),
  typeNumber: z.int(),
};
const metric = z.number();

export const alarmQualityEndpoints = {
  /**
   * Counts all alarms that were raised, except deleted and suppressed ones; shelved ones were announced, so
   * they count.
   */
  quality: endpoint({
    method: 'POST',
    path: '/alarm_statistics/get_quality',
    permission: 'statistics.alarm',
    body,
    reply: z.object({
      zone: z.string(),
      first_day: z.string(),
      last_day: z.string(),
      from: instant,
      /** Same bounds as in the alarm list; `until` is never in the future. */
      to: instant,
      until: instant,
      hours: z.number(),
      positions: count,
      raised: count,
      metrics: z.object({
        per_hour: metric,
        per_ten_minutes: metric,
        per_day: metric,
        peak: metric,
        over_share: metric,
        flood_share: metric,
        worst_share: metric,
        chattering: metric,
        stale: metric,
      }),
      /** The rate in the preceding period of the same length. */
      before: z.object({ raised: count, per_hour: z.number() }),
      peak_at: instant.nullable(),
      windows: count,
      windows_over: count,
      days: z.array(z.object({ day: z.string(), raised: count, over: count })),
      /** All floods: their number and total duration, and the longest one. */
      floods: z.object({
        count,
        minutes: count,
        list: z.array(z.object({ from: instant, to: instant, minutes: count, raised: count })),
      }),
      /** Lines and types with chattering alarms, and the number of those alarms. */
      chattering: z.object({ sources: count, alarms: count }),
      /** At `until`. */
      standing: z.object({
        active: count,
        stale: count,
        list: z.array(z.object({ id: z.int(), raised_at: instant, severity: z.int(), ...place })),
      }),
      severities: z.array(z.object({ severity: z.int(), raised: count, share: z.number().nullable() })),
      /** The lines and types with the most alarms. */
      worst: z.array(
        z.object({
          ...place,
          raised: count,
          share: z.number(),
          early_warnings: count,
          chattering: count,
          active: count,
          median_s: z.number().nullable(),
          proposal: z.enum(proposals),
        }),
      ),
    }),
  }),
  /** The same figures as one .xlsx. */
  exportQuality: endpoint({
    method: 'POST',
    path: '/alarm_statistics/export_quality',
    permission: 'statistics.alarm',
    stream: true,
    body,
    reply: z.unknown(),
  }),
};
