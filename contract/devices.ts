import * as z from 'zod';
import { endpoint, filter, flag, id, instant, integer, listBody, listOf, listReply } from './endpoint.ts';
import { type DeviceType, deviceNumberPattern } from './telemetry.ts';

const number = z.string({ error: 'device.number' }).regex(deviceNumberPattern, 'device.number');
export const deviceType = integer.pipe(z.int().min(1).max(7));
export const deviceStatus = z.enum(['online', 'offline']);
const contact = z.object({ name: z.string(), phone: z.string() });

/** Filters of the device list, shared with its export and its map. */
export const deviceFilters = {
  project_name: filter(z.string().trim().max(100)),
  project_id: filter(id),
  number: filter(z.string().trim().max(64)),
  status: filter(deviceStatus),
  type: filter(deviceType),
  bound: filter(flag),
};
export const deviceRow = z.object({
  device_id: z.int(),
  number: z.string(),
  name: z.string(),
  type: z.int(),
  model: z.string(),
  status: deviceStatus,
  bound: z.boolean(),
  project_id: z.int().nullable(),
  project_name: z.string(),
  part_name: z.string(),
  address: z.string(),
  last_seen: instant.nullable(),
  /** dBm; null when not told. */
  signal: z.number().nullable(),
  version: z.string(),
  registered_at: instant,
  expires_on: z.string().nullable(),
  lines: z.int(),
  lines_closed: z.int(),
  /** Unprocessed alarms and early warnings, active or not. */
  alarms: z.int(),
  /** Worst level among unprocessed active alarms: 0 none, 1 early warning, 2 alarm. */
  worst: z.int(),
});

/** Lines of each type: how many at most, and their figures until others are given. Source: domain reference §1.2, §1.3. */
export const linesOfType: Record<DeviceType, { most: number; poles: 1 | 3; ratedCurrent: number }> = {
  1: { most: 1, poles: 1, ratedCurrent: 40 },
  2: { most: 1, poles: 3, ratedCurrent: 63 },
  3: { most: 8, poles: 1, ratedCurrent: 40 },
  4: { most: 4, poles: 3, ratedCurrent: 63 },
  5: { most: 4, poles: 1, ratedCurrent: 40 },
  6: { most: 1, poles: 3, ratedCurrent: 63 },
  7: { most: 1, poles: 3, ratedCurrent: 63 },
};
const lineDraft = z.strictObject({
  name: z.string().trim().max(60).optional(),
  rated_current: z.number().positive().max(6300).optional(),
  switchable: z.boolean().optional(),
});

export const deviceEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/Device/get_device_list',
    permission: 'device.read',
    body: listBody(deviceFilters, ['number', 'name', 'type', 'status', 'last_seen', 'registered_at']),
    reply: listReply(deviceRow),
  }),
  /** What the filter shows as .xlsx, by device number. */
  export: endpoint({
    method: 'POST',
    path: '/Device/export',
    permission: 'device.read',
    stream: true,
    body: z.strictObject(deviceFilters),
    reply: z.unknown(),
  }),
  types: endpoint({
    method: 'POST',
    path: '/device_info/devideType',
    permission: 'device.read',
    body: z.strictObject({}),
    reply: z.array(z.object({ type: z.int(), count: z.int(), online: z.int() })),
  }),
  add: endpoint({
    method: 'POST',
    path: '/device/add_device',
    permission: 'device.create',
    log: 'device.add',
    secretReply: true,
    body: z.strictObject({
      number,
      name: z.string({ error: 'device.name' }).trim().min(1, 'device.name').max(60, 'device.name'),
      type: deviceType,
      project_id: filter(id),
      part_id: filter(id),
      address: z.string().trim().max(200).default(''),
      lines: z.array(lineDraft).max(16).optional(),
    }),
    reply: z.object({ device_id: z.int(), number: z.string(), secret: z.string() }),
  }),
  resetSecret: endpoint({
    method: 'POST',
    path: '/device/reset_secret',
    permission: 'device.secret',
    log: 'device.resetSecret',
    secretReply: true,
    body: z.strictObject({ device_id: id }),
    reply: z.object({ device_id: z.int(), number: z.string(), secret: z.string() }),
  }),
  detail: endpoint({
    method: 'POST',
    path: '/device/get_device_detail',
    permission: 'device.read',
    body: z.strictObject({ device_id: id }),
    reply: deviceRow.extend({
      imei: z.string(),
      imsi: z.string(),
      iccid: z.string(),
      hardware: z.string(),
      caps: z.array(z.string()),
      contacts: z.array(contact),
      project_contact: contact,
      upload_seconds: z.int(),
      net_ctrl: z.boolean(),
      lat: z.number().nullable(),
      lng: z.number().nullable(),
      offline_since: instant.nullable(),
      image_id: z.string().nullable(),
      time_zone: z.string(),
      region: z.string(),
      revision: z.int(),
      clock_skew_ms: z.int(),
      takeovers: z.int(),
      refused: z.array(z.object({ reason: z.string(), count: z.int() })),
      refused_last: z
        .object({ reason: z.string(), at: instant, topic: z.string(), excerpt: z.string() })
        .nullable(),
    }),
  }),
  remove: endpoint({
    method: 'POST',
    path: '/Device/remove_device',
    permission: 'device.bind',
    log: 'device.unbind',
    body: z.strictObject({ device_ids: listOf(id, 200) }),
    reply: z.object({
      results: z.array(z.object({ id: z.int(), result: z.enum(['done', 'skipped', 'denied']) })),
    }),
  }),
  logs: endpoint({
    method: 'POST',
    path: '/device_log/get_list',
    permission: 'device.read',
    body: listBody(
      {
        device_id: id,
        line_id: filter(id),
        action: filter(z.string().max(40)),
        state: filter(z.string().max(40)),
      },
      ['created_at'],
    ),
    reply: listReply(
      z.object({
        command_id: z.uuid(),
        number: z.int(),
        line_id: z.int(),
        line_name: z.string(),
        n: z.int(),
        action: z.string(),
        state: z.string(),
        reason: z.string().nullable(),
        cause: z.string(),
        operator: z.string(),
        address: z.string(),
        batch_id: z.uuid().nullable(),
        created_at: instant,
        expires_at: instant,
        sent_at: instant.nullable(),
        acknowledged_at: instant.nullable(),
        ended_at: instant.nullable(),
        evidence: z.record(z.string(), z.unknown()).nullable(),
        late: z.record(z.string(), z.unknown()).nullable(),
      }),
    ),
  }),
};
