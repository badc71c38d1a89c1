/**
 * How well the alarms serve the people who answer them, measured as ISA-18.2 and IEC 62682 (clause 16.5, performance
 * metrics) do. What each figure means is said in `alarm-quality-words.ts`.
 */
import * as z from 'zod';
import { statisticsDays } from './alarm-statistics.ts';
import { alarmFilters } from './alarms.ts';
import { endpoint, integer } from './endpoint.ts';

export const windowMinutes = 10;
/** A flood begins with more alarms than this in ten minutes for one position, and ends with fewer than `floodEnds`. */
export const floodBegins = 10;
export const floodEnds = 5;
/** Active for longer than this, an alarm is stale. */
export const staleHours = 24;
export const worstCount = 10;
export const mostPositions = 99;

/** Up to `good` the figure is as recommended, up to `fair` still manageable. */
export interface Target {
  readonly good: number;
  readonly fair: number;
}
export type Grade = 'good' | 'fair' | 'poor';
/** Of one position, where a figure depends on how many share the work. */
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
/** Parts of a whole; the others are numbers of alarms. */
export const shareMetrics: ReadonlySet<QualityMetric> = new Set(['over_share', 'flood_share', 'worst_share']);
export const gradeOf = (value: number, { good, fair }: Target): Grade =>
  value <= good ? 'good' : value <= fair ? 'fair' : 'poor';

/** Shares of fewer alarms than this say little. */
export const fewestForShares = 100;

/** Recommended shares by severity, 1 critical … 4 low: about 80, 15 and 5 %, and under 1 % of the gravest. */
export const recommendedShares = { 1: 0.01, 2: 0.05, 3: 0.15, 4: 0.8 } as const;
/** Too many low ones are a matter of the rate, not of the distribution. */
export const gradeOfShare = (severity: number, share: number): Grade | null => {
  const recommended = recommendedShares[severity as 1 | 2 | 3];
  return severity >= 4 || recommended === undefined
    ? null
    : gradeOf(share, { good: recommended * 1.2, fair: recommended * 2 });
};

/** What to do about an alarm that comes too often. */
export const proposals = ['link', 'device', 'standing', 'few', 'steady', 'limit', 'cause'] as const;
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
  /** Empty where the alarm is about the whole device. */
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
  /** What counts is what happened: neither deleted nor explained by another alarm; shelved ones were announced, too. */
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
      /** As the alarm list takes it; `until` is not later than now. */
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
      /** The rate of the period of the same length before. */
      before: z.object({ raised: count, per_hour: z.number() }),
      peak_at: instant.nullable(),
      windows: count,
      windows_over: count,
      days: z.array(z.object({ day: z.string(), raised: count, over: count })),
      /** Of all: how many, for how long; and the longest of them. */
      floods: z.object({
        count,
        minutes: count,
        list: z.array(z.object({ from: instant, to: instant, minutes: count, raised: count })),
      }),
      /** Lines and types that chattered, and their alarms. */
      chattering: z.object({ sources: count, alarms: count }),
      /** At `until`. */
      standing: z.object({
        active: count,
        stale: count,
        list: z.array(z.object({ id: z.int(), raised_at: instant, severity: z.int(), ...place })),
      }),
      severities: z.array(z.object({ severity: z.int(), raised: count, share: z.number() })),
      /** The lines and types that raised most. */
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
