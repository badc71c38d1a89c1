import * as z from 'zod';
import { endpoint, exportOf, flag, id, instant, integer, narrowedTo, shortListFields } from './endpoint.ts';
import { positionCauses } from './telemetry.ts';

export const lineState = z.enum(['closed', 'open', 'unknown']);
const value = z.number().nullable();
/**
 * Lines by position, of those with a switch. Open and closed need a fresh report; all others are unknown, with any
 * last report.
 */
export const positionCounts = {
  lines_open: z.int(),
  lines_closed: z.int(),
  lines_unknown: z.int(),
  /** Of the unknown: those that were closed when they last reported. */
  lines_last_closed: z.int(),
  /** The oldest last report of the unknown; null: none is unknown, or none of these ever reported. */
  position_at: instant.nullable(),
};
/** What a channel is judged by, in its own unit; null: no such limit. */
export const lineLimits = z.object({ early: value, alarm: value, low_early: value, low_alarm: value });
export type LineLimits = z.infer<typeof lineLimits>;
export const lineRow = z.object({
  line_id: z.int(),
  device_id: z.int(),
  n: z.int(),
  name: z.string(),
  alias: z.string(),
  model: z.string(),
  rated_current: value,
  /** A rating, A, that fits what the energy register counts, where the line's own rating is too low for it. */
  proposed_rated_current: value,
  poles: z.int(),
  switchable: z.boolean(),
  critical: z.boolean(),
  /** The limits the server judges its readings by, where they are not the catalogue's. */
  thresholds: z.record(z.string(), z.number()),
  /** The limits in effect, by the channels of `values` that are judged as they are. */
  limits: z.record(z.string(), lineLimits),
  revision: z.int(),
  /** What the device reports, never what was asked. */
  state: lineState,
  /** When it last reported the state: readings that come without a position keep none fresh. */
  observed_at: instant.nullable(),
  /** When the device last opened or closed the line, and by what; null if it never reported it. */
  switched_at: instant.nullable(),
  switched_by: z.enum(positionCauses).nullable(),
  /** The state is older than twice the upload interval: shown dimmed with its age. */
  stale: z.boolean(),
  /** When the values below were measured, and whether they are that old. */
  values_at: instant.nullable(),
  values_stale: z.boolean(),
  commanded: lineState.nullable(),
  commanded_at: instant.nullable(),
  commanded_by: z.string().nullable(),
  acknowledged: lineState.nullable(),
  acknowledged_at: instant.nullable(),
  pending: z
    .object({ command_id: z.uuid(), action: z.string(), state: z.string(), expires_at: instant })
    .nullable(),
  trip: z.int().nullable(),
  lock: z.int().nullable(),
  voltage: value,
  current: value,
  power: value,
  leakage: value,
  energy: value,
  temperatures: z.record(z.string(), value),
  /** Every stored channel by its name in the channel dictionary. */
  values: z.record(z.string(), value),
  tags: z.array(
    z.object({
      tag_id: z.int(),
      on: z.enum(['line', 'device', 'project']),
      reason: z.string(),
      owner: z.string(),
      set_at: instant,
    }),
  ),
  alarms: z.array(z.object({ id: z.int(), typeNumber: z.int(), level: z.int() })),
});

export const maxSeriesPoints = 2000;
/** Points of a line's last hour, one a minute. */
export const sparkMinutes = 60;
/** What is shown of it: the load, or what a line measures instead. */
export const sparkQuantities = ['P', 'I', 'IL', 'T'] as const;
/** Figures of a minute, hour or day, by the quantity of the channel dictionary that they sum up. */
export const rollupChannels = {
  P: ['power_min', 'power_avg', 'power_max'],
  I: ['current_max'],
  U: ['voltage_min', 'voltage_max'],
  IL: ['leakage_max'],
  T: ['temperature_max'],
  E: ['energy_kwh'],
} as const;

const seriesAsked = {
  line_id: id,
  from: instant,
  to: instant,
  channels: narrowedTo(z.string().max(20), 40),
};

export const lineEndpoints = {
  /**
   * Renames a line (`old_name` as the list shows it), and sets what the server itself keeps of it: alias, model, limits where
   * the device keeps none (null: the catalogue's again), and whether the load is critical. A weaker limit asks for the
   * password.
   */
  change: endpoint({
    method: 'POST',
    path: '/device/change_device_line',
    permission: 'line.rename',
    log: 'line.change',
    secret: ['password'],
    body: z.strictObject({
      line_id: id,
      revision: integer.pipe(z.int().min(1)).optional(),
      old_name: z.string().max(200).optional(),
      name: z.string().trim().min(1, 'line.name').max(60, 'line.name').optional(),
      alias: z.string().trim().max(60).optional(),
      model: z.string().trim().max(60).optional(),
      critical: flag.optional(),
      thresholds: z.record(z.string().max(20), z.number().nullable()).optional(),
      password: z.string().max(200).optional(),
    }),
    reply: z.object({ line_id: z.int(), name: z.string(), revision: z.int() }),
  }),
  /** The nominal voltage, V, that a device is judged by, and the one that its readings fit where that is another one. */
  nominalVoltage: endpoint({
    method: 'POST',
    path: '/device_line/nominal_voltage',
    permission: 'line.read',
    body: z.strictObject({ device_id: id }),
    reply: z.object({
      device_id: z.int(),
      nominal_voltage: z.number(),
      proposed_voltage: z.int().nullable(),
      /** Devices of the project with the same proposal; null where the caller may not take it for the project. */
      project_devices: z.int().nullable(),
    }),
  }),
  /** Takes the proposal for the device or its whole project, or declines it. All limits that depend on it move along. */
  setNominalVoltage: endpoint({
    method: 'POST',
    path: '/device_line/set_nominal_voltage',
    permission: 'device.configure',
    log: 'line.nominalVoltage',
    secret: ['password'],
    body: z.strictObject({
      device_id: id,
      /** The proposal as it was read. */
      volts: integer.pipe(z.int().min(100).max(480)),
      take: z.enum(['device', 'project', 'neither']),
      password: z.string().max(200).optional(),
    }),
    reply: z.object({ device_id: z.int(), nominal_voltage: z.number() }),
  }),
  list: endpoint({
    method: 'POST',
    path: '/device_line/get_list',
    permission: 'line.read',
    body: z.strictObject({ device_id: id, ...shortListFields }),
    reply: z.object({ total: z.int().optional(), list: z.array(lineRow) }),
  }),
  /** The last hour of all lines of a device, oldest minute first; null: nothing was measured in that minute. */
  sparks: endpoint({
    method: 'POST',
    path: '/device_line/get_sparks',
    permission: 'line.read',
    body: z.strictObject({ device_id: id }),
    reply: z.object({
      from: instant,
      lines: z.array(
        z.object({
          line_id: z.int(),
          quantity: z.enum(sparkQuantities),
          values: z.array(value).length(sparkMinutes),
        }),
      ),
    }),
  }),
  detail: endpoint({
    method: 'POST',
    path: '/device_line/get_device_line_details',
    permission: 'line.read',
    body: z.strictObject({ line_id: id }),
    reply: lineRow,
  }),
  /** Raw readings by device time, newest first; every stored channel. */
  log: endpoint({
    method: 'POST',
    path: '/device_line/get_line_log',
    permission: 'line.read',
    body: z.strictObject({
      line_id: id,
      from: instant,
      to: instant,
      cursor: z.string().max(100).optional(),
      limit: integer.pipe(z.int().min(1).max(1000)).default(200),
    }),
    reply: z.object({
      list: z.array(
        z.object({
          at: instant,
          received_at: instant,
          state: lineState,
          trip: z.int().nullable(),
          lock: z.int().nullable(),
          energy: value,
          late: z.boolean(),
          values: z.record(z.string(), value),
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
  }),
  /** Alarms of a line per day, level and type over the last `days` days, oldest first, in the project's zone. */
  alarmTrend: endpoint({
    method: 'POST',
    path: '/device_line/warin_type_trend',
    permission: 'line.read',
    body: z.strictObject({ line_id: id, days: integer.pipe(z.int().min(1).max(92)).default(30) }),
    reply: z.object({
      days: z.array(
        z.object({
          day: z.string(),
          alarms: z.int(),
          early_warnings: z.int(),
          processed: z.int(),
          types: z.array(z.object({ typeNumber: z.int(), count: z.int() })),
        }),
      ),
    }),
  }),
  /**
   * Series for a chart, at most `maxSeriesPoints`: raw channels where the range is short, else the figures of minutes,
   * hours or days (`rollupChannels`). `channels` are names of the channel dictionary; of a rollup the figures of their
   * quantities come. Gaps are left out, never bridged.
   */
  series: endpoint({
    method: 'POST',
    path: '/device_line/get_series',
    permission: 'line.read',
    body: z.strictObject(seriesAsked),
    reply: z.object({
      resolution: z.enum(['raw', 'minute', 'hour', 'day']),
      step_s: z.int(),
      channels: z.array(z.string()),
      at: z.array(z.int()),
      values: z.record(z.string(), z.array(value)),
      /** Those of `at` whose energy is an estimate over a gap. */
      estimated: z.array(z.int()),
    }),
  }),
  /** The same figures as a table. */
  exportSeries: exportOf('/device_line/export_series', 'line.read', seriesAsked),
};
