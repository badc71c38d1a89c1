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
/** Time from raising to handling, over the handled alarms. */
const handling = { median_s: seconds, p90_s: seconds };

/** Days that a preset reaches back, today included. */
export const statisticsRanges = { week: 7, month: 30, quarter: 91 } as const;
/** The longest range in days. */
export const longestStatisticsDays = 732;

const { project_id, device_id, level, severity, typeNumber } = alarmFilters;
/** Filter for the days of the statistics. */
export const statisticsDays = {
  /** Used if no days are given. */
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
  /** Counts alarms that are neither deleted nor explained by another alarm. Shelving an alarm improves no rate. */
  statistics: endpoint({
    method: 'POST',
    path: '/alarm_statistics/get_statistics',
    permission: 'statistics.alarm',
    body,
    reply: z.object({
      zone: z.string(),
      first_day: z.string(),
      last_day: z.string(),
      /** Same bounds as in the alarm list. */
      from: z.iso.datetime({ offset: true }),
      to: z.iso.datetime({ offset: true }),
      total: z.object({
        ...figures,
        ...handling,
        active: count,
        handling_rate: z.number().nullable(),
        /**
         * Number raised in the preceding range of the same length, and the growth since; null: none were
         * raised then.
         */
        before: count,
        growth: z.number().nullable(),
      }),
      /** Today until now, yesterday until the same time, and yesterday as a whole; for every range. */
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
      /** The projects with the most alarms. */
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
          /** Share of all alarms in the range. */
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
