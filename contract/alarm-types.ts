import * as z from 'zod';
import { endpoint, exportOf, filter, flag, id, integer, listReply, shortListFields } from './endpoint.ts';

const typeNumber = integer.pipe(z.int().min(100).max(999));
const alarmTypeStatus = z.enum(['enabled', 'disabled']);

const password = z.string().max(200).optional();
const deviceType = integer.pipe(z.int().min(1).max(7));
/** Revision of the thresholds of one level and type: 0 until one is set, then raised by each change. */
const thresholdRevision = z.int().min(0);

const alarmTypeRow = z.object({
  typeNumber: z.int(),
  /** In the caller's language. */
  name: z.string(),
  icon: z.string(),
  severity: z.int(),
  status: alarmTypeStatus,
  value_type: z.int(),
  unit: z.string(),
  device_types: z.array(z.int()),
  /** Whether the server evaluates the type itself. */
  core: z.boolean(),
  latched: z.boolean(),
  on_delay_s: z.number(),
  off_delay_s: z.number().nullable(),
  updated_at: z.iso.datetime({ offset: true }),
});
export type AlarmTypeRow = z.output<typeof alarmTypeRow>;
const filters = {
  status: filter(alarmTypeStatus),
  device_type: filter(deviceType),
  /** Part of the name in the caller's language, or the first digits of the number. */
  name: filter(z.string().trim().max(60)),
};

export const alarmTypeEndpoints = {
  /**
   * Thresholds of a device type, for one project or the whole installation. The nearest value applies: line,
   * device, project, installation, catalogue.
   */
  defaults: endpoint({
    method: 'POST',
    path: '/device_warning_type/get_defaults',
    permission: 'alarmType.read',
    body: z.strictObject({ project_id: filter(id), device_type: deviceType }),
    reply: z.object({
      project_id: z.int().nullable(),
      device_type: z.int(),
      revision: thresholdRevision,
      parameters: z.array(
        z.object({
          key: z.string(),
          unit: z.string(),
          role: z.string(),
          min: z.number(),
          max: z.number(),
          step: z.number(),
          zero_is_off: z.boolean(),
          /** Value set at this level; null: none. */
          value: z.number().nullable(),
          /** Value of the installation, when a project is requested. */
          inherited: z.number().nullable(),
        }),
      ),
    }),
  }),
  /** A weaker limit asks for the password. */
  setDefaults: endpoint({
    method: 'POST',
    path: '/device_warning_type/set_defaults',
    permission: 'alarmType.write',
    log: 'alarmType.setDefaults',
    secret: ['password'],
    body: z.strictObject({
      project_id: filter(id),
      device_type: deviceType,
      /** The named thresholds are set, or removed with null; the others do not change. */
      thresholds: z.record(z.string().max(20), z.number().nullable()),
      /**
       * The revision that was read: refused with 409 if another user has changed the thresholds meanwhile.
       */
      revision: thresholdRevision.optional(),
      password,
    }),
    reply: z.object({
      project_id: z.int().nullable(),
      device_type: z.int(),
      revision: thresholdRevision,
      thresholds: z.record(z.string(), z.number()),
      before: z.record(z.string(), z.number()),
    }),
  }),
  list: endpoint({
    method: 'POST',
    path: '/device_warning_type/get_list',
    permission: 'alarmType.read',
    body: z.strictObject({
      ...filters,
      ...shortListFields,
    }),
    reply: listReply(alarmTypeRow),
  }),
  export: exportOf('/device_warning_type/export', 'alarmType.read', filters),
  /** Switching a type off asks for the password. */
  setStatus: endpoint({
    method: 'POST',
    path: '/device_warning_type/set_status',
    permission: 'alarmType.write',
    log: 'alarmType.setStatus',
    secret: ['password'],
    body: z.strictObject({ typeNumber, enabled: flag, password }),
    reply: z.object({ typeNumber: z.int(), status: alarmTypeStatus }),
  }),
};
