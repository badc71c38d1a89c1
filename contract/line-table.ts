import * as z from 'zod';
import { endpoint, exportOf, filter, flag, id, integer, listReply } from './endpoint.ts';
import { lineAges, lineLimits, lineState } from './lines.ts';

const value = z.number().nullable();
/** Maximum number of compared lines in a project; the table shows when there are more. */
export const mostLinesCompared = 5000;
/** The table loads this many rows at once and scrolls through them without paging. */
export const lineTablePage = 1000;

/** A line as the table of a project shows it. */
const lineTableRow = z.object({
  line_id: z.int(),
  n: z.int(),
  name: z.string(),
  alias: z.string(),
  model: z.string(),
  device_id: z.int(),
  device_number: z.string(),
  device_name: z.string(),
  device_type: z.int(),
  part_name: z.string(),
  online: z.boolean(),
  interval_seconds: z.int(),
  switchable: z.boolean(),
  critical: z.boolean(),
  state: lineState,
  ...lineAges,
  trip: z.int().nullable(),
  lock: z.int().nullable(),
  /** Lock-out tags on the line, its device or its project. */
  tags: z.int(),
  /** Active alarms and early warnings, and the highest level of them (0: none). */
  alarms: z.int(),
  worst: z.int(),
  rated_current: value,
  voltage: value,
  current: value,
  /** The highest current of its phases, per cent of the rated one. */
  share: value,
  power: value,
  leakage: value,
  /** The highest temperature of its sensors. */
  temperature: value,
  /** The channel that is closest to its limit; null: no measured channel has a limit. */
  closest: z
    .object({
      channel: z.string(),
      value: z.number(),
      limits: lineLimits,
      /** Per cent of the way from the normal value to the limit; over 100: beyond it. */
      percent: z.number(),
      limit: z.number(),
      low: z.boolean(),
    })
    .nullable(),
});
export type LineTableRow = z.output<typeof lineTableRow>;

const lineTableFilters = {
  project_id: id,
  device_id: filter(id),
  /** Part of the name, alias or model of a line, or of the name or number of its device. */
  text: filter(z.string().trim().max(100)),
  /** Closed and open need a fresh report; 'meter' is a line without a switch. */
  state: filter(z.enum(['closed', 'open', 'unknown', 'meter'])),
  /** 'any': early warnings too. */
  alarm: filter(z.enum(['any', 'alarm'])),
  tripped: filter(flag),
  /** Position or values are older than twice the upload interval, or were never reported. */
  stale: filter(flag),
  tagged: filter(flag),
};
const sorts = [
  'closeness',
  'device',
  'name',
  'current',
  'share',
  'power',
  'leakage',
  'temperature',
  'voltage',
] as const;
export type LineTableSort = (typeof sorts)[number];

export const lineTableEndpoints = {
  /** The lines of a project; without `sort` those closest to a limit come first. */
  table: endpoint({
    method: 'POST',
    path: '/device_line/get_project_lines',
    permission: 'line.read',
    body: z.strictObject({
      ...lineTableFilters,
      page: integer.pipe(z.int().min(1).max(1_000_000)).default(1),
      limit: integer.pipe(z.int().min(1).max(lineTablePage)).default(lineTablePage),
      sort: z.enum(sorts.flatMap((field) => [field, `-${field}` as const])).optional(),
    }),
    reply: listReply(lineTableRow).extend({
      /** The project has more lines than are compared. */
      truncated: z.boolean(),
    }),
  }),
  exportTable: exportOf('/device_line/export_project_lines', 'line.read', lineTableFilters),
};
