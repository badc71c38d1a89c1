import * as z from 'zod';
import { countFault, deviceSelection, deviceType, isCounted, isPreview } from './devices.ts';
import {
  type CallOutcome,
  chosenDevice,
  endpoint,
  filter,
  flag,
  id,
  instant,
  integer,
  onlyOneOf,
  outcomeOfRows,
  rowResult,
} from './endpoint.ts';

const value = z.union([z.number(), z.string().max(40)]);
const key = z.string().max(20);
const revision = filter(integer.pipe(z.int().min(0)));
const password = z.string().max(200).optional();
const settingState = z.enum(['none', 'pending', 'applied', 'conflict', 'rejected']);
const problem = { reason: z.string().nullable(), message: z.string().nullable() };

const hasPort = (address: string): boolean => {
  const [, port] = address.split(':');
  return port === undefined || (Number(port) > 0 && Number(port) < 65_536);
};

/** A value as desired and as reported; `drift`: the device reports another value than it confirmed. */
const standing = {
  desired: z.unknown(),
  reported: z.unknown(),
  state: settingState,
  drift: z.boolean(),
  ...problem,
  operator: z.string().nullable(),
  wished_at: instant.nullable(),
  sent_at: instant.nullable(),
  settled_at: instant.nullable(),
};
const settingRow = z.object({
  key: z.string(),
  /** 0: the device itself. */
  n: z.int(),
  line_id: z.int().nullable(),
  name: z.string(),
  meaning: z.string(),
  role: z.string(),
  unit: z.string(),
  min: z.number(),
  max: z.number(),
  step: z.number(),
  /** 0 switches it off, although it is below `min`. */
  zero_is_off: z.boolean(),
  choices: z.array(value).nullable(),
  default: value,
  /** Also shown as a percentage of this number, the line's nominal voltage. */
  percent_of: z.number().nullable(),
  ...standing,
});
/** A limit that the device does not keep: the server judges the line's readings by it. */
const platformLimit = settingRow
  .pick({ key: true, name: true, meaning: true, role: true, unit: true, min: true, max: true, step: true })
  .extend({
    zero_is_off: z.boolean(),
    /** Value of the line itself; null: it follows its project, the installation or the catalogue. */
    own: z.number().nullable(),
    /** Value in effect if the line has none of its own. */
    inherited: z.number().nullable(),
  });
const enableRow = z.object({
  key: z.string(),
  name: z.string(),
  meaning: z.string(),
  default: z.boolean(),
  read_only: z.boolean(),
  /** Switching it on asks for the password: a line may close later by itself. */
  energises: z.boolean(),
  /** The alarm type whose trip it enables; null: it is no protection. */
  trips: z.int().nullable(),
  ...standing,
});
/** Common fields of the lists of parameters and of enables. */
const about = {
  device_id: z.int(),
  type: z.int(),
  online: z.boolean(),
  /** Sent back with an edit: an edit of an older revision is refused, with the changes since. */
  revision: z.int(),
  /** The device's own revision of its settings; null: it has not reported any. */
  reported_revision: z.int().nullable(),
  reported_at: instant.nullable(),
  /** Why nothing is sent now although desired values wait; null if nothing blocks them. */
  waits: z.string().nullable(),
  waits_message: z.string().nullable(),
};
const settingsShown = z.object({
  ...about,
  device: z.array(settingRow),
  lines: z.array(
    z.object({
      line_id: z.int(),
      n: z.int(),
      name: z.string(),
      settings: z.array(settingRow),
      /** Changed by `/device/change_device_line`, with the revision of the line. */
      platform: z.array(platformLimit),
      revision: z.int(),
    }),
  ),
  custom: z.object({ ...standing }),
});
/**
 * `n` or `line_id` names a line. Without both the value is for the device itself; in a call for several devices a
 * parameter of lines is then set on every line.
 */
const wish = z.strictObject({
  key,
  value,
  n: filter(integer.pipe(z.int().min(0).max(64))),
  line_id: filter(id),
});
const wishes = z.array(wish).min(1, 'setting.none').max(400);
const staged = z.object({
  device_id: z.int(),
  revision: z.int(),
  settings: z.array(
    z.object({ kind: z.string(), n: z.int(), key: z.string(), value: z.unknown(), state: settingState }),
  ),
});
/** If the device already reports the value, there is nothing to confirm. */
const outcomeOfStaged = ({ settings }: z.output<typeof staged>): CallOutcome =>
  settings.some(({ state }) => state === 'pending') ? 'takingEffect' : 'done';
const change = z.object({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() });

export const deviceSettingEndpoints = {
  /**
   * The catalogue of the device's type: each parameter with its range, its desired value and the reported
   * value.
   */
  select: endpoint({
    method: 'POST',
    path: '/device/selectSetting',
    permission: 'device.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: settingsShown,
  }),
  one: endpoint({
    method: 'POST',
    path: '/device/get_device_set_one',
    permission: 'device.read',
    body: z.strictObject({ device_id: chosenDevice, line_id: filter(id), key }),
    reply: settingRow.extend({ revision: z.int() }),
  }),
  /**
   * Sets parameters of a device (`device_id`, with the `revision` that was read), or of many at once
   * (`device_ids`, `filter`), which starts a job (see `/device_job/get_job`). Values stay desired until the
   * device confirms, also while it is offline.
   */
  set: endpoint({
    method: 'POST',
    path: '/device/device_set',
    permission: 'device.configure',
    log: 'setting.set',
    secret: ['password'],
    body: z
      .strictObject({
        device_id: filter(id),
        ...deviceSelection,
        revision,
        settings: wishes,
        password,
      })
      .check(onlyOneOf('device_id', 'device_ids', 'filter'))
      .refine(isCounted, countFault),
    reply: z.object({
      staged: staged.nullable(),
      job_id: z.uuid().nullable(),
      total: z.int(),
      /** For a job: the devices that ended at once; those of a long job come later. */
      results: z.array(rowResult.extend({ message: z.string().optional() })),
    }),
    outcome: ({ staged: one, total, results }) => {
      if (one !== null) return outcomeOfStaged(one);
      const queued = total > results.length;
      return queued || outcomeOfRows({ results }) === 'done' ? 'takingEffect' : 'nothing';
    },
  }),
  /** The catalogue's values for a device that was never set. */
  first: endpoint({
    method: 'POST',
    path: '/device/first_device_set',
    permission: 'device.configure',
    log: 'setting.first',
    secret: ['password'],
    body: z.strictObject({ device_id: chosenDevice, revision, password }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  /** Resets all settings to the catalogue's values. */
  defaults: endpoint({
    method: 'POST',
    path: '/device_do/device_default',
    permission: 'device.configure',
    log: 'setting.defaults',
    secret: ['password'],
    body: z.strictObject({ device_id: chosenDevice, revision, password }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  limiterList: endpoint({
    method: 'POST',
    path: '/device/tpdhbConfigList',
    permission: 'device.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: settingsShown,
  }),
  limiterSet: endpoint({
    method: 'POST',
    path: '/device/setTPDHB',
    permission: 'device.configure',
    log: 'setting.limiter',
    secret: ['password'],
    body: z.strictObject({ device_id: chosenDevice, revision, settings: wishes, password }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  /**
   * A JSON object that is stored on the device unchanged. With `preview` nothing is stored: the answer shows
   * what would change.
   */
  custom: endpoint({
    method: 'POST',
    path: '/device/set_customize_console',
    permission: 'device.configure',
    log: 'setting.custom',
    writesWhen: (body) => !isPreview(body),
    secret: ['password'],
    body: z.strictObject({
      device_id: chosenDevice,
      revision,
      /** The object, or its text. */
      custom: z.unknown().optional(),
      preview: flag.default(false),
      password,
    }),
    reply: z.object({
      preview: z.boolean(),
      revision: z.int(),
      state: settingState,
      diff: z.array(change),
    }),
    outcome: ({ state }) => (state === 'pending' ? 'takingEffect' : 'done'),
  }),
  /** The server address that the device uses, the device's own address, and its upload interval. */
  service: endpoint({
    method: 'POST',
    path: '/device_service/set_device_service',
    permission: 'device.configure',
    log: 'setting.service',
    secret: ['password'],
    body: z.strictObject({
      device_id: chosenDevice,
      revision,
      server_address: z
        .string({ error: 'service.server' })
        .trim()
        .min(1, 'service.server')
        .max(200, 'service.address')
        .regex(
          /^(?=[^:]{1,190}(:|$))[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$/,
          'service.address',
        )
        .refine(hasPort, 'service.address'),
      device_address: z.string({ error: 'service.server' }).trim().min(1, 'service.server').max(60),
      upload_seconds: filter(integer),
      password,
    }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  enablesShown: endpoint({
    method: 'GET',
    path: '/device_do/device_use',
    permission: 'device.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: z.object({ ...about, enables: z.array(enableRow) }),
  }),
  enable: endpoint({
    method: 'POST',
    path: '/device_do/device_use',
    permission: 'device.configure',
    log: 'setting.enable',
    secret: ['password'],
    body: z.strictObject({
      device_id: chosenDevice,
      revision,
      enables: z.record(key, z.boolean({ error: 'setting.boolean' })),
      password,
    }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  netControlShown: endpoint({
    method: 'GET',
    path: '/device_do/setDeviceEnableNetCtrl',
    permission: 'device.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: z.object({ device_id: z.int(), enabled: z.boolean(), ...standing }),
  }),
  /** Meanings of a device type's values: channels, parameters and enables, in the caller's language. */
  explain: endpoint({
    method: 'POST',
    path: '/device_do/explainingVariableApi',
    permission: 'device.read',
    body: z.strictObject({ device_id: filter(id), type: filter(deviceType) }),
    reply: z.object({
      type: z.int(),
      type_name: z.string(),
      variables: z.array(
        z.object({
          kind: z.enum(['channel', 'parameter', 'enable']),
          key: z.string(),
          name: z.string(),
          unit: z.string(),
          meaning: z.string(),
        }),
      ),
    }),
  }),
};
