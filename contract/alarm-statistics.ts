import * as z from 'zod';
import { alarmFilters } from './alarms.ts';
import { endpoint } from './endpoint.ts';

const count = z.int();
const seconds = z.number().nullable();
const figures = {
  raised: count,
  alarms: count,
  early_warnings: count,
  processed: count,
};
/** Time from being raised to being handled, of those that were handled. */
const handling = { median_s: seconds, p90_s: seconds };

/** Days that a preset reaches back, today included. */
export const statisticsRanges = { week: 7, month: 30, quarter: 91 } as const;
export type StatisticsRange = keyof typeof statisticsRanges;
/** The longest range in days. */
export const longestStatisticsDays = 732;

const { project_id, device_id, level, severity, typeNumber } = alarmFilters;
/** The days that statistics are of. */
export const statisticsDays = {
  /** Holds where no days are given. */
  range: z.enum(['week', 'month', 'quarter']).default('month'),
  /** Days of the project's time zone, both included. */
  first_day: z.iso.date().optional(),
  last_day: z.iso.date().optional(),
};
const body = z.strictObject({
  ...statisticsDays,
  project_id,
  device_id,
  level,
  severity,
  typeNumber,
});

export const alarmStatisticsEndpoints = {
  /** What counts is what the alarm list shows: neither deleted nor suppressed nor shelved. */
  statistics: endpoint({
    method: 'POST',
    path: '/alarm_statistics/get_statistics',
    permission: 'statistics.alarm',
    body,
    reply: z.object({
      zone: z.string(),
      first_day: z.string(),
      last_day: z.string(),
      /** The range as the alarm list takes it. */
      from: z.iso.datetime({ offset: true }),
      to: z.iso.datetime({ offset: true }),
      total: z.object({
        ...figures,
        ...handling,
        active: count,
        handling_rate: z.number().nullable(),
        /** Raised in the range of the same length before, and the growth to it; null: there was nothing before. */
        before: count,
        growth: z.number().nullable(),
      }),
      /** Today up to now against yesterday up to the same time, and yesterday whole, for every range. */
      two_days: z.object({
        today: count,
        yesterday_same_time: count,
        yesterday: count,
        growth: z.number().nullable(),
      }),
      days: z.array(z.object({ day: z.string(), ...figures })),
      types: z.array(z.object({ typeNumber: z.int(), ...figures, ...handling })),
      severities: z.array(z.object({ severity: z.int(), ...figures, ...handling })),
      /** Alarms by hour of the week: 24 for each day from Monday to Sunday. */
      week: z.array(count).length(168),
      /** The first of many, by how many they raised. */
      projects: z.array(
        z.object({ project_id: z.int().nullable(), project_name: z.string(), ...figures, ...handling }),
      ),
      devices: z.array(
        z.object({
          device_id: z.int(),
          device_number: z.string(),
          device_name: z.string(),
          project_id: z.int().nullable(),
          project_name: z.string(),
          ...figures,
          /** Of all in the range. */
          share: z.number(),
          /** The type that it raised most often. */
          typeNumber: z.int(),
        }),
      ),
    }),
  }),
  /** The same numbers as one .xlsx; of projects and devices up to `exportedRows` each. */
  export: endpoint({
    method: 'POST',
    path: '/alarm_statistics/export',
    permission: 'statistics.alarm',
    stream: true,
    body,
    reply: z.unknown(),
  }),
};
export const exportedRows = 1000;
