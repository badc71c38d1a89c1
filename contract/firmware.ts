import * as z from 'zod';
import {
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
  nothing,
  onlyOneOf,
  selectionOf,
} from './endpoint.ts';
import { isUpload, type Upload } from './uploads.ts';

export const rolloutStates = ['running', 'paused', 'stopped', 'done'] as const;
/** In the order of an update; the last four are final. */
export const rolloutDeviceStates = [
  'waiting',
  'asked',
  'notified',
  'downloading',
  'downloaded',
  'verified',
  'updating',
  'updated',
  'failed',
  'rolled_back',
  'skipped',
] as const;
export type RolloutDeviceState = (typeof rolloutDeviceStates)[number];
export type RolloutState = (typeof rolloutStates)[number];

const mostFirmwareBytes = 64 * 1024 * 1024;
export const mostRolloutDevices = 20_000;
const versionText = z
  .string()
  .trim()
  .min(1)
  .regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,31}$/, 'firmware.version');
const macType = integer.pipe(z.int().min(1).max(7));
const hash = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[0-9a-f]{64}$/, 'firmware.sha256Form');
/** 64 bytes in base64. */
const signature = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9+/_-]{86}(==)?$/, 'firmware.signatureForm');
const password = z.string().min(1).max(200);
const percent = (least: number) => integer.pipe(z.int().min(least).max(100));

const version = z.object({
  version_id: z.int(),
  mac_type: z.int(),
  mac_name: z.string(),
  appVersion: z.string(),
  platformVersion: z.string(),
  /** The download address that devices get. */
  appUrl: z.string(),
  uploaded: z.boolean(),
  status: z.enum(['enabled', 'disabled']),
  size: z.int(),
  sha256: z.string(),
  signed_by: z.string(),
  notes: z.string(),
  created_by: z.string(),
  created_at: instant,
  /** Devices of the type, in the reader's scope: those that report this version, and all. */
  devices: z.int(),
  devices_of_type: z.int(),
  revision: z.int(),
});
export type FirmwareVersion = z.output<typeof version>;
const key = z.object({
  key_id: z.int(),
  name: z.string(),
  public_key: z.string(),
  added_by: z.string(),
  added_at: instant,
  revoked_at: instant.nullable(),
});
const rollout = z.object({
  rollout_id: z.int(),
  version_id: z.int(),
  mac_type: z.int(),
  mac_name: z.string(),
  appVersion: z.string(),
  state: z.enum(rolloutStates),
  /** Why it was paused or stopped by the server. */
  message: z.string().nullable(),
  canary_percent: z.int(),
  wave_percent: z.int(),
  per_minute: z.int(),
  step_minutes: z.int(),
  stop_percent: z.int(),
  wave: z.int(),
  waves: z.int(),
  total: z.int(),
  counts: z.partialRecord(z.enum(rolloutDeviceStates), z.int()),
  author: z.string(),
  created_at: instant,
  ended_at: instant.nullable(),
});
export type Rollout = z.output<typeof rollout>;
const rolloutDevice = z.object({
  device_id: z.int(),
  number: z.string(),
  name: z.string(),
  project_name: z.string().nullable(),
  wave: z.int(),
  state: z.enum(rolloutDeviceStates),
  percent: z.int().nullable(),
  from_version: z.string(),
  /** What the device reports now. */
  version: z.string(),
  message: z.string().nullable(),
  tries: z.int(),
  updated_at: instant,
});
export type RolloutDevice = z.output<typeof rolloutDevice>;

/** Which devices of the version's type: all in scope that report another version, or some of them. */
const target = {
  version_id: id,
  project_ids: narrowedTo(id, 1000),
  numbers: narrowedTo(z.string().trim().min(1).max(32), 1000),
  from_versions: narrowedTo(z.string().max(32), 50),
};

const versionFilters = { mac_type: filter(macType), status: filter(z.enum(['enabled', 'disabled'])) };
const rolloutFilters = { state: filter(z.enum(rolloutStates)), version_id: filter(id) };
const deviceFilters = { rollout_id: id, state: filter(z.enum(rolloutDeviceStates)) };

export const firmwareEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/version/get_list',
    permission: 'firmware.write',
    body: listBody(versionFilters, ['created_at', 'mac_type']),
    reply: listReply(version),
  }),
  export: exportOf('/version/export', 'firmware.write', versionFilters),
  /**
   * A version as a file (`file`) or as a link (`appUrl` with `size` and `sha256`). The signature covers
   * `firmwareStatement` (contract/telemetry.ts) and must be by a registered key.
   */
  add: endpoint({
    method: 'POST',
    path: '/version/add_version',
    permission: 'firmware.write',
    log: 'version.add',
    upload: true,
    uploadBytes: mostFirmwareBytes,
    body: z
      .strictObject({
        mac_type: macType,
        mac_name: z.string().trim().min(1).max(60),
        appVersion: versionText,
        platformVersion: versionText,
        file: z.custom<Upload>(isUpload, 'firmware.file').optional(),
        appUrl: filter(z.url({ protocol: /^https?$/, error: 'firmware.url' }).max(500)),
        size: filter(integer.pipe(z.int().min(1).max(mostFirmwareBytes))),
        sha256: filter(hash),
        signature,
        notes: z.string().trim().max(1000).default(''),
      })
      .check(onlyOneOf('file', 'appUrl'))
      .refine(({ file, appUrl }) => file !== undefined || appUrl !== undefined, {
        path: ['file'],
        error: 'firmware.file',
        // Also runs while other fields are invalid, so that all errors are reported at once.
        when: ({ value }) => value !== null && typeof value === 'object',
      }),
    reply: version,
  }),
  edit: endpoint({
    method: 'POST',
    path: '/version/edit_version',
    permission: 'firmware.write',
    log: 'version.edit',
    body: z.strictObject({
      version_id: id,
      revision: integer,
      mac_name: z.string().trim().min(1).max(60),
      platformVersion: versionText,
      notes: z.string().trim().max(1000),
      enabled: flag,
    }),
    reply: version,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/version/del_version',
    permission: 'firmware.write',
    log: 'version.delete',
    body: z.strictObject({ ids: selectionOf(id, 200) }),
    reply: z.object({ done: z.int() }),
    outcome: ({ done }) => (done > 0 ? 'done' : 'nothing'),
  }),
  /** The file for the devices: the token in the address allows fetching it, whole or in ranges. */
  file: endpoint({
    method: 'GET',
    path: '/version/file',
    permission: 'public',
    stream: true,
    body: z.strictObject({ token: z.string().regex(/^[A-Za-z0-9_-]{22,64}$/) }),
    reply: z.unknown(),
  }),
  keys: endpoint({
    method: 'POST',
    path: '/version/get_keys',
    permission: 'firmware.write',
    body: nothing,
    reply: z.object({ list: z.array(key) }),
  }),
  addKey: endpoint({
    method: 'POST',
    path: '/version/add_key',
    permission: 'firmware.write',
    log: 'version.addKey',
    body: z.strictObject({
      name: z.string().trim().min(1).max(60),
      /** 32 bytes in base64, or PEM. */
      public_key: z.string().trim().min(1).max(300),
      password,
    }),
    reply: key,
  }),
  revokeKey: endpoint({
    method: 'POST',
    path: '/version/revoke_key',
    permission: 'firmware.write',
    log: 'version.revokeKey',
    body: z.strictObject({ key_id: id, password }),
    reply: key,
  }),
  /** The effect of a rollout, before it begins. */
  preview: endpoint({
    method: 'POST',
    path: '/version/preview_rollout',
    permission: 'firmware.write',
    body: z.strictObject(target),
    reply: z.object({
      devices: z.int(),
      online: z.int(),
      /** Devices that are left out: already on the version, or in another unfinished rollout. */
      already: z.int(),
      busy: z.int(),
      /** Devices under a lock-out tag, or with a critical line. */
      tagged: z.int(),
      critical: z.int(),
      versions: z.array(z.object({ version: z.string(), devices: z.int() })),
    }),
  }),
  start: endpoint({
    method: 'POST',
    path: '/version/start_rollout',
    permission: 'firmware.write',
    log: 'version.rollout',
    body: z.strictObject({
      ...target,
      /** The number that the preview found: a rollout never reaches more devices than confirmed. */
      expected: integer.pipe(z.int().min(0)),
      canary_percent: percent(1).default(5),
      wave_percent: percent(1).default(25),
      per_minute: integer.pipe(z.int().min(1).max(600)).default(20),
      step_minutes: integer.pipe(z.int().min(1).max(240)).default(15),
      stop_percent: percent(0).default(10),
      password,
    }),
    reply: rollout,
    outcome: () => 'takingEffect',
  }),
  rollouts: endpoint({
    method: 'POST',
    path: '/version/get_rollouts',
    permission: 'firmware.write',
    body: listBody(rolloutFilters, ['created_at']),
    reply: listReply(rollout),
  }),
  exportRollouts: exportOf('/version/export_rollouts', 'firmware.write', rolloutFilters),
  rollout: endpoint({
    method: 'POST',
    path: '/version/get_rollout',
    permission: 'firmware.write',
    body: z.strictObject({ rollout_id: id }),
    reply: rollout,
  }),
  devices: endpoint({
    method: 'POST',
    path: '/version/get_rollout_devices',
    permission: 'firmware.write',
    body: listBody(deviceFilters, ['wave', 'updated_at']),
    reply: listReply(rolloutDevice),
  }),
  exportDevices: exportOf('/version/export_rollout_devices', 'firmware.write', deviceFilters),
  /** `stop` is final: updates under way continue, no others start. Resuming asks for the password. */
  change: endpoint({
    method: 'POST',
    path: '/version/change_rollout',
    permission: 'firmware.write',
    log: 'version.changeRollout',
    body: z.strictObject({
      rollout_id: id,
      act: z.enum(['pause', 'resume', 'stop']),
      password: z.string().max(200).optional(),
    }),
    reply: rollout,
  }),
};
