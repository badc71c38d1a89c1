import * as z from 'zod';
import {
  countFault,
  deviceSelection,
  deviceType,
  isCounted,
  isPreview,
  selectionFault,
  selectsDevices,
} from './devices.ts';
import {
  type CallOutcome,
  endpoint,
  filter,
  flag,
  id,
  instant,
  integer,
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

/** A value as desired and as the device reports it; `drift` when it reports another than it confirmed. */
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
export const settingRow = z.object({
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
  /** 0 switches it off, though it lies below `min`. */
  zero_is_off: z.boolean(),
  choices: z.array(value).nullable(),
  default: value,
  /** Also shown as a percentage of this number, the line's nominal voltage. */
  percent_of: z.number().nullable(),
  ...standing,
});
export const enableRow = z.object({
  key: z.string(),
  name: z.string(),
  meaning: z.string(),
  default: z.boolean(),
  read_only: z.boolean(),
  /** Switching it on asks for the password: a line may close later by itself. */
  energises: z.boolean(),
  ...standing,
});
/** What both the list of parameters and that of enables begin with. */
const about = {
  device_id: z.int(),
  type: z.int(),
  online: z.boolean(),
  /** Given back with an edit: one against an older revision is refused with what has changed. */
  revision: z.int(),
  /** The device's own revision of its settings; null: it has not reported any. */
  reported_revision: z.int().nullable(),
  reported_at: instant.nullable(),
  /** Why nothing is sent now although desired values wait; null if nothing blocks them. */
  waits: z.string().nullable(),
  waits_message: z.string().nullable(),
};
export const settingsShown = z.object({
  ...about,
  device: z.array(settingRow),
  lines: z.array(z.object({ line_id: z.int(), n: z.int(), name: z.string(), settings: z.array(settingRow) })),
  custom: z.object({ ...standing }),
});
/** `n` of a line, or `line_id`; neither: the device itself, and of several devices every line of a line's parameter. */
const wish = z.strictObject({
  key,
  value,
  n: filter(integer.pipe(z.int().min(0).max(64))),
  line_id: filter(id),
});
const wishes = z.array(wish).min(1, 'setting.none').max(400);
export const staged = z.object({
  device_id: z.int(),
  revision: z.int(),
  settings: z.array(
    z.object({ kind: z.string(), n: z.int(), key: z.string(), value: z.unknown(), state: settingState }),
  ),
});
/** The device that reports a value already has nothing to confirm. */
const outcomeOfStaged = ({ settings }: z.output<typeof staged>): CallOutcome =>
  settings.some(({ state }) => state === 'pending') ? 'takingEffect' : 'done';
const change = z.object({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() });

export const deviceSettingEndpoints = {
  /**
   * The catalogue of the device's type: each parameter with its range, the desired value and what the device reports.
   */
  select: endpoint({
    method: 'POST',
    path: '/device/selectSetting',
    permission: 'device.read',
    body: z.strictObject({ device_id: id }),
    reply: settingsShown,
  }),
  one: endpoint({
    method: 'POST',
    path: '/device/get_device_set_one',
    permission: 'device.read',
    body: z.strictObject({ device_id: id, line_id: filter(id), key }),
    reply: settingRow.extend({ revision: z.int() }),
  }),
  /**
   * Sets parameters of a device (`device_id`, with the `revision` seen), or of many at once (`device_ids`, `filter`):
   * then a job that is followed by `/device_job/get_job`. Kept until the device confirms, also while it is away.
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
      .refine(
        ({ device_id, ...others }) => device_id === undefined || !selectsDevices(others),
        selectionFault,
      )
      .refine(isCounted, countFault),
    reply: z.object({
      staged: staged.nullable(),
      job_id: z.uuid().nullable(),
      total: z.int(),
      /** Of a job: the rows that ended at once; those of a long one come later. */
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
    body: z.strictObject({ device_id: id, revision, password }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  /** Back to the catalogue's values from any setting. */
  defaults: endpoint({
    method: 'POST',
    path: '/device_do/device_default',
    permission: 'device.configure',
    log: 'setting.defaults',
    secret: ['password'],
    body: z.strictObject({ device_id: id, revision, password }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  limiterList: endpoint({
    method: 'POST',
    path: '/device/tpdhbConfigList',
    permission: 'device.read',
    body: z.strictObject({ device_id: id }),
    reply: settingsShown,
  }),
  limiterSet: endpoint({
    method: 'POST',
    path: '/device/setTPDHB',
    permission: 'device.configure',
    log: 'setting.limiter',
    secret: ['password'],
    body: z.strictObject({ device_id: id, revision, settings: wishes, password }),
    reply: staged,
    outcome: outcomeOfStaged,
  }),
  /** A JSON object kept on the device as it is. With `preview` nothing is kept: the answer is what would change. */
  custom: endpoint({
    method: 'POST',
    path: '/device/set_customize_console',
    permission: 'device.configure',
    log: 'setting.custom',
    writesWhen: (body) => !isPreview(body),
    secret: ['password'],
    body: z.strictObject({
      device_id: id,
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
  /** Where the device connects to, its own address there, and how often it reports. */
  service: endpoint({
    method: 'POST',
    path: '/device_service/set_device_service',
    permission: 'device.configure',
    log: 'setting.service',
    secret: ['password'],
    body: z.strictObject({
      device_id: id,
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
    body: z.strictObject({ device_id: id }),
    reply: z.object({ ...about, enables: z.array(enableRow) }),
  }),
  enable: endpoint({
    method: 'POST',
    path: '/device_do/device_use',
    permission: 'device.configure',
    log: 'setting.enable',
    secret: ['password'],
    body: z.strictObject({
      device_id: id,
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
    body: z.strictObject({ device_id: id }),
    reply: z.object({ device_id: z.int(), enabled: z.boolean(), ...standing }),
  }),
  /** What the values of a device type mean: channels, parameters and enables, in the caller's language. */
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
