import * as z from 'zod';
import { endpoint, filter, id } from './endpoint.ts';

const value = z.number().nullable();
/** Drift of the daily maximum of leakage (Theil–Sen slope). */
const leakage = z.object({
  /** mA per day. */
  slope: z.number(),
  /** Of the fitted line at the last day, mA. */
  now: z.number(),
  limit: z.number(),
  /** Days of data behind it. */
  days: z.int(),
  /** It rises by more than chance (Mann–Kendall, 95 %). */
  rising: z.boolean(),
  /** Until the limit at this rate; null: it does not rise, or not within ten years. */
  days_to_limit: value,
});
/** Rise of the terminal temperature at the rated current: slope of temperature over current squared, times the rating squared. */
const joint = z.object({
  /** K, of the last week and of the first of the window. */
  now: z.number(),
  before: z.number(),
  rising: z.boolean(),
});
/** Arcs by the device's own counter, in days of 24 hours up to now. */
const arcs = z.object({
  last_day: z.int(),
  /** Days of data behind it. */
  days: z.int(),
  /** They grow more frequent by more than chance (Mann–Kendall, 95 %). */
  rising: z.boolean(),
});
const trendOfLine = {
  line_id: z.int(),
  line_n: z.int(),
  line_name: z.string(),
  device_id: z.int(),
  device_number: z.string(),
  device_name: z.string(),
  leakage: leakage.nullable(),
  joint: joint.nullable(),
  /** Null: no arc detector, no arc, or too little data. */
  arcs: arcs.nullable(),
  /** Rising leakage, a joint that loosens, arcs that grow more frequent. */
  warns: z.boolean(),
};

/** Days that trends look back. */
export const trendDays = 28;
export const mostTrendRows = 50;
export const trendEndpoints = {
  /** Lines of a device or project, those with a warning first; at most `mostTrendRows`. */
  list: endpoint({
    method: 'POST',
    path: '/trend/get_list',
    permission: 'line.read',
    body: z
      .strictObject({ project_id: filter(id), device_id: filter(id) })
      .refine(({ project_id, device_id }) => project_id !== undefined || device_id !== undefined, {
        path: ['project_id'],
      }),
    reply: z.object({
      /** Lines with enough data for at least one trend. */
      lines: z.int(),
      warnings: z.int(),
      list: z.array(z.object(trendOfLine)),
    }),
  }),
  /** The trends of one line with the data behind them. */
  detail: endpoint({
    method: 'POST',
    path: '/trend/get_detail',
    permission: 'line.read',
    body: z.strictObject({ line_id: id }),
    reply: z.object({
      ...trendOfLine,
      rated_current: z.number(),
      /** Daily maxima of leakage with the fitted line, mA. */
      leakage_days: z.array(z.object({ at: z.int(), value: z.number(), fitted: value })),
      /** Rise at the rated current of each week, K; null: too little data, or a load that hardly changed. */
      joint_weeks: z.array(z.object({ at: z.int(), rise: value, hours: z.int() })),
      /** Arcs counted in each hour of the last days; empty: the line has no arc detector, or no reading. */
      arc_hours: z.array(z.object({ at: z.int(), arcs: z.int() })),
    }),
  }),
};
