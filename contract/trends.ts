import * as z from 'zod';
import { chosenLine, endpoint, filter, id } from './endpoint.ts';

const value = z.number().nullable();
/** Drift of the daily maximum of leakage (Theil–Sen slope). */
const leakage = z.object({
  /** mA per day. */
  slope: z.number(),
  /** Value of the fitted line on the last day, mA. */
  now: z.number(),
  limit: z.number(),
  /** Days of data used. */
  days: z.int(),
  /** The leakage rises significantly (Mann–Kendall, 95 %). */
  rising: z.boolean(),
  /** Days to the limit at this rate; null: it does not rise, or takes longer than ten years. */
  days_to_limit: value,
});
/**
 * Rise of the terminal temperature at the rated current: slope of temperature over squared current, times the
 * squared rating.
 */
const joint = z.object({
  /** K, for the last week and for the first week of the window. */
  now: z.number(),
  before: z.number(),
  rising: z.boolean(),
});
/** Arcs by the device's own counter, in periods of 24 hours until now. */
const arcs = z.object({
  last_day: z.int(),
  /** Days of data used. */
  days: z.int(),
  /** The arcs become significantly more frequent (Mann–Kendall, 95 %). */
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
  /** Rising leakage, a loosening joint, or more frequent arcs. */
  warns: z.boolean(),
};

/** Days of data that trends use. */
export const trendDays = 28;
export const mostTrendRows = 50;
export const trendEndpoints = {
  /** Lines of a device or project, lines with a warning first; at most `mostTrendRows`. */
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
    body: z.strictObject({ line_id: chosenLine }),
    reply: z.object({
      ...trendOfLine,
      rated_current: z.number(),
      /** Daily maxima of leakage with the fitted line, mA. */
      leakage_days: z.array(z.object({ at: z.int(), value: z.number(), fitted: value })),
      /** Temperature rise at the rated current by week, K; null: too little data, or almost constant load. */
      joint_weeks: z.array(z.object({ at: z.int(), rise: value, hours: z.int() })),
      /** Arcs counted in each hour of the last days; empty: the line has no arc detector, or no readings. */
      arc_hours: z.array(z.object({ at: z.int(), arcs: z.int() })),
    }),
  }),
};
