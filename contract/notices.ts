import * as z from 'zod';
import { alarmLevel } from './alarms.ts';
import { deliveryRow, noticeChannels } from './deliveries.ts';
import {
  endpoint,
  exportOf,
  filter,
  flag,
  id,
  instant,
  integer,
  listBody,
  listOf,
  listReply,
  longId,
  narrowedTo,
  nothing,
  outcomeOfCount,
  selectionOf,
} from './endpoint.ts';
import { languages } from './languages.ts';

const clockTime = z.preprocess(
  (given) => (given === '' ? null : given),
  z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .nullable(),
);
const typeNumber = integer.pipe(z.int().min(100).max(999));
const silence = integer.pipe(z.literal([0, 10, 20, 30, 40, 50, 60]));
const webhookUrl = z.preprocess(
  (given) => (given === '' ? null : given),
  z
    .url({ protocol: /^https?$/, error: 'notice.webhook' })
    .max(500)
    .nullable(),
);

/** The estimate of a rule counts the alarms of this many days. */
export const estimateDays = 30;

const fields = {
  name: z.string().trim().max(60).default(''),
  channel: z.enum(noticeChannels),
  /** Contacts of the device, else of its project: reached through the account with their phone number. */
  to_contacts: flag.default(false),
  user_ids: listOf(id, 200).default([]),
  /** Empty: all projects, which only users who see everything may choose. */
  project_ids: listOf(id, 1000).default([]),
  /** Empty: all. */
  typeNumbers: listOf(typeNumber, 100).default([]),
  levels: listOf(alarmLevel, 2).default([]),
  silence_minutes: silence.default(0),
  /** HH:MM in the project's zone; may cross midnight; both null: always. */
  window_from: clockTime.default(null),
  window_to: clockTime.default(null),
  enabled: flag.default(true),
  webhook_url: webhookUrl.default(null),
  /** Key of the signature; if it is left out of an edit, it does not change. */
  webhook_secret: z.string().max(200).optional(),
};
const noticeRow = z.object({
  id: z.int(),
  name: z.string(),
  channel: z.enum(noticeChannels),
  to_contacts: z.boolean(),
  users: z.array(z.object({ id: z.int(), name: z.string() })),
  projects: z.array(z.object({ id: z.int(), name: z.string() })),
  typeNumbers: z.array(z.int()),
  levels: z.array(z.int()),
  silence_minutes: z.int(),
  window_from: z.string().nullable(),
  window_to: z.string().nullable(),
  status: z.enum(['enabled', 'disabled']),
  /** Without its credentials; if it is sent back unchanged, the address does not change. */
  webhook_url: z.string().nullable(),
  has_secret: z.boolean(),
  /** Address and key were encrypted with another key file: nothing is sent until they are given again. */
  webhook_unreadable: z.boolean(),
  owner: z.string(),
  updated_at: instant,
});
export type NoticeRow = z.output<typeof noticeRow>;

const popupSettings = z.object({
  enabled: z.boolean(),
  /** Empty: all. */
  levels: z.array(z.int()),
  typeNumbers: z.array(z.int()),
  sound: z.enum(['off', 'soft', 'loud']),
  /** How long a pop-up of severity 3 and 4 stays; others stay until they are opened. */
  seconds: z.int(),
});

/**
 * Values of a WeChat template message, by the key of the template's field (`thing1`, `time2`, `keyword3` …).
 * `alarm` is level and type, `place` is project, device and line.
 */
export const wechatParts = [
  'alarm',
  'level',
  'type',
  'place',
  'project',
  'device',
  'line',
  'value',
  'time',
  'work_order',
] as const;
export type WechatPart = (typeof wechatParts)[number];
const wechatKey = z.string().regex(/^[a-z_]{1,24}\d{1,2}$/, 'notice.wechatFields');
export const wechatFields = z
  .partialRecord(z.enum(wechatParts), wechatKey)
  .refine(
    (fields) =>
      (fields.alarm !== undefined || fields.level !== undefined) &&
      (fields.place !== undefined || fields.line !== undefined) &&
      new Set(Object.values(fields)).size === Object.values(fields).length,
    { error: 'notice.wechatFields' },
  );
export type WechatFields = z.output<typeof wechatFields>;
/** The template keys used before 2023. */
export const wechatFieldsUnset: WechatFields = { alarm: 'keyword1', place: 'keyword2', time: 'keyword3' };

const listFilters = {
  channel: filter(z.enum(noticeChannels)),
  status: filter(z.enum(['enabled', 'disabled'])),
  project_id: filter(id),
};

const deliveriesAsked = { id, delivery_ids: narrowedTo(longId, 500) };

export const noticeEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/device_warning/warning_timing_list',
    permission: 'notice.read',
    body: listBody(listFilters, ['id']),
    reply: listReply(noticeRow),
  }),
  export: exportOf('/device_warning/export_warning_timing', 'notice.read', listFilters),
  /** Accounts that the caller may name in a rule: people with a common project, by name. */
  recipients: endpoint({
    method: 'POST',
    path: '/device_warning/notice_recipients',
    permission: 'notice.read',
    body: z.strictObject({
      search: filter(z.string().trim().max(60)),
      limit: filter(integer.pipe(z.int().min(1).max(100))),
    }),
    reply: z.object({
      list: z.array(z.object({ id: z.int(), name: z.string(), role: z.int(), role_name: z.string() })),
      /** There are more accounts than listed; a part of the name narrows the list. */
      more: z.boolean(),
    }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/device_warning/add_warning_timing',
    permission: 'notice.write',
    log: 'notice.add',
    secret: ['webhook_secret', 'webhook_url'],
    body: z.strictObject(fields),
    reply: noticeRow,
  }),
  /**
   * Whom a rule would notify and how often, estimated from the alarms of the last `estimateDays`. Writes
   * nothing.
   */
  estimate: endpoint({
    method: 'POST',
    path: '/device_warning/estimate_warning_timing',
    permission: 'notice.write',
    body: z.strictObject({
      channel: fields.channel,
      to_contacts: fields.to_contacts,
      user_ids: fields.user_ids,
      project_ids: fields.project_ids,
      typeNumbers: fields.typeNumbers,
      levels: fields.levels,
    }),
    reply: z.object({
      /** Number of accounts; 0 for a webhook. */
      people: z.int(),
      alarms: z.int(),
    }),
  }),
  edit: endpoint({
    method: 'POST',
    path: '/device_warning/edit_warning_timing',
    permission: 'notice.write',
    log: 'notice.edit',
    secret: ['webhook_secret', 'webhook_url'],
    body: z.strictObject({ id, ...fields }),
    reply: noticeRow,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/device_warning/del_waring_timing',
    permission: 'notice.write',
    log: 'notice.delete',
    body: z.strictObject({ ids: selectionOf(id, 1000) }),
    reply: z.object({
      results: z.array(z.object({ id: z.int(), result: z.enum(['done', 'denied']) })),
      done: z.int(),
      denied: z.int(),
    }),
    outcome: outcomeOfCount,
  }),
  /**
   * Sends a test to every recipient of a rule now, regardless of time window and silence period; its
   * deliveries are returned at once.
   */
  test: endpoint({
    method: 'POST',
    path: '/device_warning/test_warning_timing',
    permission: 'notice.write',
    log: 'notice.test',
    body: z.strictObject({ id }),
    reply: z.object({ delivery_ids: z.array(z.int()) }),
  }),
  /** Deliveries by id, or the newest ones of a rule. */
  deliveries: endpoint({
    method: 'POST',
    path: '/device_warning/deliveries',
    permission: 'notice.read',
    body: z.strictObject(deliveriesAsked),
    reply: z.object({ list: z.array(deliveryRow) }),
  }),
  exportDeliveries: exportOf('/device_warning/export_deliveries', 'notice.read', deliveriesAsked),
  popup: endpoint({
    method: 'POST',
    path: '/device_warning/bullet_frame',
    permission: 'alarm.read',
    body: nothing,
    reply: popupSettings,
  }),
  setPopup: endpoint({
    method: 'POST',
    path: '/device_warning/change_frame',
    permission: 'alarm.read',
    log: 'notice.popup',
    body: z.strictObject({
      enabled: flag,
      levels: listOf(alarmLevel, 2).default([]),
      typeNumbers: listOf(typeNumber, 100).default([]),
      sound: z.enum(['off', 'soft', 'loud']).default('soft'),
      seconds: integer.pipe(z.int().min(3).max(120)).default(10),
    }),
    reply: popupSettings,
  }),
  /** The installation's notification channels. */
  ways: endpoint({
    method: 'POST',
    path: '/device_warning/notice_settings',
    permission: 'alarmType.write',
    body: nothing,
    reply: z.object({
      wechat: z.object({
        app_id: z.string(),
        has_secret: z.boolean(),
        /** The secret was encrypted with another key file: nothing is sent until it is given again. */
        secret_unreadable: z.boolean(),
        template_id: z.string(),
        fields: wechatFields,
        base_url: z.string(),
      }),
      /** The private key of Web Push was encrypted with another key file. */
      push_key_unreadable: z.boolean(),
      private_targets: z.boolean(),
      language: z.enum(languages),
    }),
  }),
  setWays: endpoint({
    method: 'POST',
    path: '/device_warning/set_notice_settings',
    permission: 'alarmType.write',
    log: 'notice.settings',
    secret: ['app_secret'],
    body: z.strictObject({
      app_id: z.string().trim().max(64).default(''),
      /** If left out, it does not change. */
      app_secret: z.string().trim().max(128).optional(),
      template_id: z.string().trim().max(128).default(''),
      /** The field keys of the account's template. */
      fields: wechatFields.default(wechatFieldsUnset),
      base_url: z
        .url({ protocol: /^https?$/ })
        .max(200)
        .default('https://api.weixin.qq.com'),
      /** Whether webhooks may go to addresses of private networks. */
      private_targets: flag.default(false),
      language: z.enum(languages).default('zh-CN'),
    }),
    reply: nothing,
  }),
  /**
   * Makes new Web Push keys when the private key cannot be read. It ends the push notifications of every
   * console; the users get a message to turn them on again.
   */
  renewPushKeys: endpoint({
    method: 'POST',
    path: '/device_warning/renew_push_keys',
    permission: 'alarmType.write',
    log: 'push.renewKeys',
    body: nothing,
    reply: z.object({ users: z.int() }),
  }),
};
