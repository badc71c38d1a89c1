import * as z from 'zod';
import {
  chosenDevice,
  chosenLine,
  endpoint,
  exportOf,
  flag,
  instant,
  integer,
  listReply,
  narrowedTo,
  shortListFields,
} from './endpoint.ts';
import { positionCauses } from './telemetry.ts';

export const lineState = z.enum(['closed', 'open', 'unknown']);
const value = z.number().nullable();
/**
 * When a line was last observed and last measured. A fact older than twice the upload interval of its device is
 * stale: it is shown dimmed with its age.
 */
export const lineAges = {
  /** When the device last reported the position; readings without a position do not update it. */
  observed_at: instant.nullable(),
  stale: z.boolean(),
  /** When the values were measured. */
  values_at: instant.nullable(),
  values_stale: z.boolean(),
};
/**
 * Lines with a switch, by position. Open and closed need a fresh report; all others are unknown, whatever
 * they last reported.
 */
export const positionCounts = {
  lines_open: z.int(),
  lines_closed: z.int(),
  lines_unknown: z.int(),
  /** Unknown lines that were closed in their last report. */
  lines_last_closed: z.int(),
  /** The oldest last report among the unknown lines; null: none is unknown, or none of them ever reported. */
  position_at: instant.nullable(),
};
/** Limits of a channel in its own unit; null: no such limit. */
export const lineLimits = z.object({ early: value, alarm: value, low_early: value, low_alarm: value });
export type LineLimits = z.infer<typeof lineLimits>;
const lineRow = z.object({
  line_id: z.int(),
  device_id: z.int(),
  n: z.int(),
  name: z.string(),
  alias: z.string(),
  model: z.string(),
  rated_current: value,
  /** A rating, A, that fits the energy register, if the line's own rating is too low for it. */
  proposed_rated_current: value,
  poles: z.int(),
  switchable: z.boolean(),
  critical: z.boolean(),
  /** The limits that apply to the line's readings, if they differ from the catalogue's. */
  thresholds: z.record(z.string(), z.number()),
  /** The limits in effect, by channel of `values`. */
  limits: z.record(z.string(), lineLimits),
  revision: z.int(),
  /** The position that the device reports, never the commanded one. */
  state: lineState,
  ...lineAges,
  /** When the device last opened or closed the line, and by what; null if it never reported it. */
  switched_at: instant.nullable(),
  switched_by: z.enum(positionCauses).nullable(),
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
/** Points of a line's last hour, one per minute. */
export const sparkMinutes = 60;
/** The quantity of the small chart: the load, or what the line measures instead. */
export const sparkQuantities = ['P', 'I', 'IL', 'T'] as const;
/** Figures of a minute, hour or day, by the quantity of the channel dictionary that they summarise. */
export const rollupChannels = {
  P: ['power_min', 'power_avg', 'power_max'],
  I: ['current_max'],
  U: ['voltage_min', 'voltage_max'],
  IL: ['leakage_max'],
  T: ['temperature_max'],
  E: ['energy_kwh'],
} as const;

const seriesAsked = {
  line_id: chosenLine,
  from: instant,
  to: instant,
  channels: narrowedTo(z.string().max(20), 40),
};

export const lineEndpoints = {
  /**
   * Renames a line (`old_name` is the name in the list), and sets what the server keeps about it: alias,
   * model, limits that the device does not keep (null: the catalogue's), and whether the load is critical. A
   * weaker limit asks for the password.
   */
  change: endpoint({
    method: 'POST',
    path: '/device/change_device_line',
    permission: 'line.rename',
    log: 'line.change',
    secret: ['password'],
    body: z.strictObject({
      line_id: chosenLine,
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
  /** The nominal voltage, V, in effect for a device, and the one that fits its readings if that differs. */
  nominalVoltage: endpoint({
    method: 'POST',
    path: '/device_line/nominal_voltage',
    permission: 'line.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: z.object({
      device_id: z.int(),
      nominal_voltage: z.number(),
      proposed_voltage: z.int().nullable(),
      /**
       * Devices of the project with the same proposal; null if the caller may not accept it for the project.
       */
      project_devices: z.int().nullable(),
    }),
  }),
  /**
   * Accepts the proposal for the device or its whole project, or declines it. All limits that depend on it
   * change too.
   */
  setNominalVoltage: endpoint({
    method: 'POST',
    path: '/device_line/set_nominal_voltage',
    permission: 'device.configure',
    log: 'line.nominalVoltage',
    secret: ['password'],
    body: z.strictObject({
      device_id: chosenDevice,
      /** The proposed voltage that was read. */
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
    body: z.strictObject({ device_id: chosenDevice, ...shortListFields }),
    reply: listReply(lineRow),
  }),
  /** The last hour of all lines of a device, oldest minute first; null: nothing was measured in that minute. */
  sparks: endpoint({
    method: 'POST',
    path: '/device_line/get_sparks',
    permission: 'line.read',
    body: z.strictObject({ device_id: chosenDevice }),
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
    body: z.strictObject({ line_id: chosenLine }),
    reply: lineRow,
  }),
  /** Raw readings by device time, newest first; every stored channel. */
  log: endpoint({
    method: 'POST',
    path: '/device_line/get_line_log',
    permission: 'line.read',
    body: z.strictObject({
      line_id: chosenLine,
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
    body: z.strictObject({ line_id: chosenLine, days: integer.pipe(z.int().min(1).max(92)).default(30) }),
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
   * Series for a chart, at most `maxSeriesPoints`: raw channels for a short range, else figures of minutes,
   * hours or days (`rollupChannels`). `channels` are names of the channel dictionary; for rollups the figures
   * of their quantities are returned. Gaps are left out, never bridged.
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
      /** Entries of `at` whose energy is estimated over a gap. */
      estimated: z.array(z.int()),
      /** Hours, because readings and minutes before this time are no longer kept; null: they are not needed. */
      kept_from: instant.nullable(),
    }),
  }),
  /** The same series as a table. */
  exportSeries: exportOf('/device_line/export_series', 'line.read', seriesAsked),
};
