import * as z from 'zod';
import {
  type CallOutcome,
  chosenDevice,
  chosenProject,
  endpoint,
  exportOf,
  filter,
  flag,
  id,
  instant,
  integer,
  listBody,
  listReply,
  narrowedTo,
  onlyOneOf,
  outcomeOfRows,
  rowResult,
} from './endpoint.ts';
import { positionCounts } from './lines.ts';
import { isPersonName, isPhone, phoneFlaw, plainPhone } from './people.ts';
import { type DeviceType, deviceNumberPattern } from './telemetry.ts';
import { isUpload, type Upload } from './uploads.ts';

const number = z.string({ error: 'device.number' }).regex(deviceNumberPattern, 'device.number');
export const deviceType = integer.pipe(z.int().min(1).max(7));
const deviceStatus = z.enum(['online', 'offline']);
const contact = z.object({ name: z.string(), phone: z.string() });

/** Filters of the device list, shared with its export and its map. */
const deviceFilters = {
  project_name: filter(z.string().trim().max(100)),
  project_id: filter(id),
  number: filter(z.string().trim().max(64)),
  status: filter(deviceStatus),
  type: filter(deviceType),
  bound: filter(flag),
  category_id: filter(id),
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
  /** dBm; null when not reported. */
  signal: z.number().nullable(),
  version: z.string(),
  registered_at: instant,
  expires_on: z.string().nullable(),
  lines: z.int(),
  ...positionCounts,
  /** Unprocessed alarms and early warnings, active or not. */
  alarms: z.int(),
  /** Worst level among unprocessed active alarms: 0 none, 1 early warning, 2 alarm. */
  worst: z.int(),
});

export const mostOnMap = 5000;

/**
 * Rated currents that a line can have, A; other reported values are ignored. Source: domain reference §1.3.
 */
export const ratedCurrents = { least: 6, most: 630 } as const;
/**
 * Lines of each type: the maximum number, and the poles of each unless set. Source: domain reference §1.2,
 * §1.3.
 */
export const linesOfType: Record<DeviceType, { most: number; poles: 1 | 3 }> = {
  1: { most: 1, poles: 1 },
  2: { most: 1, poles: 3 },
  3: { most: 8, poles: 1 },
  4: { most: 4, poles: 3 },
  5: { most: 4, poles: 1 },
  6: { most: 1, poles: 3 },
  7: { most: 1, poles: 3 },
};
const lineDraft = z.strictObject({
  name: z.string().trim().max(60).optional(),
  rated_current: z.number().min(ratedCurrents.least).max(ratedCurrents.most).optional(),
  switchable: z.boolean().optional(),
});

const deviceName = z.string({ error: 'device.name' }).trim().min(1, 'device.name').max(60, 'device.name');
/** An act on up to this many devices is answered at once, device by device; more become a job. */
export const mostAtOnce = 200;
export const mostInJob = 100_000;
/**
 * Devices by id, or all that match a filter. With a filter `expected` is the confirmed number (the list's
 * `total`), and nothing is done if the number has changed.
 */
export const deviceSelection = {
  device_ids: narrowedTo(id, 5000, 'setting.devices'),
  filter: z.strictObject(deviceFilters).optional(),
  expected: filter(integer),
};
export type DeviceSelection = z.output<z.ZodObject<typeof deviceSelection>>;
/** Whether a body selects devices in exactly one of the two ways. */
export const selectsDevices = ({ device_ids, filter: all }: DeviceSelection): boolean =>
  (device_ids !== undefined) !== (all !== undefined);
export const selectionFault = { error: 'setting.devices', path: ['device_ids'] };
/** A date that a table and a spreadsheet can store. */
export const expiryDay = z.iso
  .date({ error: 'date.invalid' })
  .refine((text) => text >= '1900-01-01', 'date.invalid');
/** Prevents a user from acting on more devices than the screen showed. */
export const isCounted = ({ filter: all, expected }: DeviceSelection): boolean =>
  all === undefined || expected !== undefined;
export const countFault = { error: 'device.expected', path: ['expected'] };
const revision = integer.pipe(z.int().min(1));
const coordinate = (most: number) => z.number().min(-most).max(most);
/** Both coordinates, both null, or both absent: never only one. */
const isPoint = ({
  lat,
  lng,
}: {
  lat?: number | null | undefined;
  lng?: number | null | undefined;
}): boolean => (lat === undefined) === (lng === undefined) && (lat === null) === (lng === null);
/** An empty entry means no contact. */
const contactSlot = z
  .strictObject({
    name: z.string().trim().default(''),
    phone: z.string().trim().default(''),
  })
  .superRefine(({ name, phone }, context) => {
    if (name === '' && phone === '') return;
    if (!isPersonName(name)) context.addIssue({ code: 'custom', path: ['name'], message: 'contact.name' });
    if (!isPhone(phone)) context.addIssue({ code: 'custom', path: ['phone'], message: phoneFlaw() });
  })
  .transform(({ name, phone }) => ({ name, phone: plainPhone(phone) }));
/** The result of each device, or the job that continues by itself (see `/device_job/get_job`). */
const results = z.object({
  results: z.array(rowResult.extend({ message: z.string().optional() })),
  job_id: z.uuid().nullable(),
  total: z.int(),
});
const outcomeOfMany = (reply: z.output<typeof results>): CallOutcome =>
  reply.job_id === null ? outcomeOfRows(reply) : 'takingEffect';
const changed = z.object({ device_id: z.int(), revision: z.int() });
const brief = z.object({
  device_id: z.int(),
  number: z.string(),
  name: z.string(),
  type: z.int(),
  status: deviceStatus,
  project_id: z.int().nullable(),
  project_name: z.string(),
  imei: z.string(),
  imsi: z.string(),
  iccid: z.string(),
});
export const patrolReasons = [
  'offline_long',
  'never_seen',
  'weak_signal',
  'clock_wrong',
  'refused',
  'expiring',
  'expired',
] as const;
/** The editable fields of a device, as its form shows them. */
const deviceForm = z.object({
  device_id: z.int(),
  number: z.string(),
  type: z.int(),
  name: z.string(),
  model: z.string(),
  address: z.string(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  project_id: z.int().nullable(),
  part_id: z.int().nullable(),
  category_id: z.int().nullable(),
  contacts: z.array(contact),
  image_id: z.string().nullable(),
  imei: z.string(),
  imsi: z.string(),
  iccid: z.string(),
  expires_on: z.string().nullable(),
  upload_seconds: z.int(),
  revision: z.int(),
});
const importRow = z.strictObject({
  number: z.string().trim(),
  name: z.string().trim().optional(),
  type: z.union([z.number(), z.string().trim()]).optional(),
  project: z.string().trim().optional(),
  part: z.string().trim().optional(),
  address: z.string().trim().optional(),
  lines: z.union([z.number(), z.string().trim()]).optional(),
  expires_on: z.string().trim().optional(),
});
export const mostImported = 1000;
/** Whether a body requests a preview. */
export const isPreview = (body: unknown): boolean =>
  body !== null &&
  typeof body === 'object' &&
  'preview' in body &&
  [true, 1, '1', 'true'].includes(body.preview as never);

const commandFilters = {
  device_id: chosenDevice,
  line_id: filter(id),
  action: filter(z.string().max(40)),
  state: filter(z.string().max(40)),
};

/** Maximum number of codes on one sheet. */
export const mostPanelCodes = 200;

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
  /** Positions of the filtered devices: their own point, else their project's. */
  map: endpoint({
    method: 'POST',
    path: '/Device/map',
    permission: 'device.read',
    body: z.strictObject(deviceFilters),
    reply: z.object({
      /** There are more devices than listed. */
      truncated: z.boolean(),
      list: z.array(
        z.object({
          device_id: z.int(),
          number: z.string(),
          name: z.string(),
          status: deviceStatus,
          lat: z.number(),
          lng: z.number(),
          worst: z.int(),
        }),
      ),
    }),
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
      /** Absent: one line. */
      lines: z.array(lineDraft).min(1, 'selection.none').max(16).optional(),
    }),
    reply: z.object({ device_id: z.int(), number: z.string(), secret: z.string() }),
  }),
  resetSecret: endpoint({
    method: 'POST',
    path: '/device/reset_secret',
    permission: 'device.secret',
    log: 'device.resetSecret',
    secretReply: true,
    body: z.strictObject({ device_id: chosenDevice }),
    reply: z.object({ device_id: z.int(), number: z.string(), secret: z.string() }),
  }),
  detail: endpoint({
    method: 'POST',
    path: '/device/get_device_detail',
    permission: 'device.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: deviceRow.extend({
      imei: z.string(),
      imsi: z.string(),
      iccid: z.string(),
      hardware: z.string(),
      caps: z.array(z.string()),
      contacts: z.array(contact),
      project_contact: contact,
      upload_seconds: z.int(),
      /** The real reporting interval: configured or learned from the readings, whichever is longer. */
      interval_seconds: z.int(),
      net_ctrl: z.boolean(),
      lat: z.number().nullable(),
      lng: z.number().nullable(),
      offline_since: instant.nullable(),
      image_id: z.string().nullable(),
      time_zone: z.string(),
      region: z.string(),
      revision: z.int(),
      /** By how much the device's clock is fast; null while nobody knows it. */
      clock_skew_ms: z.int().nullable(),
      /** The address from which the device connects; '' while unknown. */
      network_address: z.string(),
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
    body: z
      .strictObject(deviceSelection)
      .refine(selectsDevices, selectionFault)
      .refine(isCounted, countFault),
    reply: results,
    outcome: outcomeOfMany,
  }),
  logs: endpoint({
    method: 'POST',
    path: '/device_log/get_list',
    permission: 'device.read',
    body: listBody(commandFilters, ['created_at']),
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
  exportLogs: exportOf('/device_log/export', 'device.read', commandFilters),
  /**
   * Edits a device; only given fields change. Moving it to another project (or none: `null`) needs the
   * permission to bind.
   */
  change: endpoint({
    method: 'POST',
    path: '/Device/change_device',
    permission: 'device.write',
    log: 'device.change',
    body: z
      .strictObject({
        device_id: chosenDevice,
        revision,
        name: deviceName.optional(),
        model: z.string().trim().max(60).optional(),
        address: z.string().trim().max(200).optional(),
        lat: coordinate(90).nullable().optional(),
        lng: coordinate(180).nullable().optional(),
        /** Null: none. */
        category_id: id.nullable().optional(),
        project_id: id.nullable().optional(),
        part_id: id.nullable().optional(),
        expires_on: expiryDay.nullable().optional(),
      })
      .refine(isPoint, { error: 'map.choose', path: ['lat'] }),
    reply: changed,
  }),
  /** Deletes devices: they can no longer connect; their history stays. */
  delete: endpoint({
    method: 'POST',
    path: '/device/del_device',
    permission: 'device.delete',
    log: 'device.delete',
    body: z
      .strictObject(deviceSelection)
      .refine(selectsDevices, selectionFault)
      .refine(isCounted, countFault),
    reply: results,
    outcome: outcomeOfMany,
  }),
  form: endpoint({
    method: 'POST',
    path: '/device/get_device_info_set',
    permission: 'device.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: deviceForm,
  }),
  contacts: endpoint({
    method: 'POST',
    path: '/device/edit_contact',
    permission: 'device.write',
    log: 'device.contacts',
    body: z.strictObject({
      device_id: chosenDevice,
      revision,
      contacts: z.array(contactSlot).max(3, 'contact.many'),
    }),
    reply: changed.extend({ contacts: z.array(contact) }),
  }),
  image: endpoint({
    method: 'POST',
    path: '/device/change_image',
    permission: 'device.write',
    log: 'device.image',
    body: z.strictObject({
      device_id: chosenDevice,
      revision,
      image_id: z.uuid({ error: 'upload.missing' }).nullable(),
    }),
    reply: changed,
  }),
  iccid: endpoint({
    method: 'POST',
    path: '/device/change_ICCID',
    permission: 'device.write',
    log: 'device.iccid',
    body: z.strictObject({
      device_id: chosenDevice,
      revision,
      iccid: z
        .string({ error: 'sim.iccid' })
        .trim()
        .toUpperCase()
        .regex(/^\d{6}[0-9A-Z]{13,14}$/, 'sim.iccid'),
    }),
    reply: changed,
  }),
  expiry: endpoint({
    method: 'POST',
    path: '/device/change_expiry',
    permission: 'device.write',
    log: 'device.expiry',
    body: z
      .strictObject({ ...deviceSelection, expires_on: expiryDay.nullable() })
      .refine(selectsDevices, selectionFault)
      .refine(isCounted, countFault),
    reply: results,
    outcome: outcomeOfMany,
  }),
  bind: endpoint({
    method: 'POST',
    path: '/Project/bind_device',
    permission: 'device.bind',
    log: 'device.bind',
    body: z
      .strictObject({
        project_id: chosenProject,
        part_id: filter(id),
        ...deviceSelection,
      })
      .refine(selectsDevices, selectionFault)
      .refine(isCounted, countFault),
    reply: results,
    outcome: outcomeOfMany,
  }),
  /**
   * A quick search for the text printed on a device or its SIM; `keyword` is part of the number, name, IMEI
   * or ICCID.
   */
  search: endpoint({
    method: 'POST',
    path: '/device_info/get_list',
    permission: 'device.read',
    body: listBody(
      {
        keyword: filter(z.string().trim().max(64)),
        number: filter(z.string().trim().max(64)),
        imei: filter(z.string().trim().max(32)),
        iccid: filter(z.string().trim().max(32)),
        type: filter(deviceType),
      },
      ['number'],
    ),
    reply: listReply(brief),
  }),
  info: endpoint({
    method: 'POST',
    path: '/device_info/get_device_info',
    permission: 'device.read',
    body: z.strictObject({
      device_id: filter(id),
      number: filter(z.string().trim().max(64)),
      imei: filter(z.string().trim().max(32)),
      iccid: filter(z.string().trim().max(32)),
    }),
    reply: brief,
  }),
  /** The contents of panel QR codes: the address of a device's lines, after sign-in. */
  codes: endpoint({
    method: 'POST',
    path: '/device_info/qrcodes',
    permission: 'device.read',
    body: z.strictObject({ device_id: filter(id), project_id: filter(id) }),
    reply: z.object({
      total: z.int(),
      /** Up to `mostPanelCodes`, by number. */
      list: z.array(z.object({ device_id: z.int(), number: z.string(), name: z.string(), url: z.url() })),
    }),
  }),
  /** Devices that need a visit, with the reason. */
  patrol: endpoint({
    method: 'POST',
    path: '/device_patrol/get_device_list',
    permission: 'device.read',
    body: listBody(
      {
        project_id: filter(id),
        number: filter(z.string().trim().max(64)),
        type: filter(deviceType),
        reason: filter(z.enum(patrolReasons)),
      },
      ['number'],
    ),
    reply: listReply(
      z.object({
        device_id: z.int(),
        number: z.string(),
        name: z.string(),
        type: z.int(),
        status: deviceStatus,
        project_id: z.int().nullable(),
        project_name: z.string(),
        address: z.string(),
        last_seen: instant.nullable(),
        /** `value`: hours offline, dBm, seconds of clock error, refused messages, days until expiry. */
        reasons: z.array(z.object({ reason: z.enum(patrolReasons), value: z.number().nullable() })),
      }),
    ).extend({ counts: z.record(z.string(), z.int()) }),
  }),
  /**
   * Adds many devices: from rows, from pasted text (one device per line, cells separated by tabs, commas or
   * semicolons) or from an .xlsx in the field `file`. Each row succeeds or fails by itself; each secret is
   * shown only in this answer. `preview` only validates.
   */
  import: endpoint({
    method: 'POST',
    path: '/device/import',
    permission: 'device.create',
    log: 'device.import',
    upload: true,
    secretReply: true,
    writesWhen: (body) => !isPreview(body),
    body: z
      .strictObject({
        rows: z.array(importRow).min(1, 'import.empty').max(mostImported).optional(),
        text: z.string().max(500_000).optional(),
        file: z.custom<Upload>(isUpload, 'upload.missing').optional(),
        project_id: filter(id),
        part_id: filter(id),
        type: filter(deviceType),
        preview: flag.default(false),
      })
      .check(onlyOneOf('rows', 'text', 'file')),
    reply: z.object({
      preview: z.boolean(),
      added: z.int(),
      results: z.array(
        z.object({
          row: z.int(),
          number: z.string(),
          result: z.enum(['done', 'refused']),
          device_id: z.int().nullable(),
          secret: z.string().nullable(),
          field: z.string().nullable(),
          message: z.string().nullable(),
        }),
      ),
      /** Columns of the list that are not imported, and why; `column` counts from 1. */
      unread: z.array(z.object({ column: z.int(), heading: z.string(), message: z.string() })),
    }),
    outcome: outcomeOfRows,
  }),
};
