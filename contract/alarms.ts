import * as z from 'zod';
import { deliveryRow } from './deliveries.ts';
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
  longId,
  narrowedTo,
  nothing,
  onlyOneOf,
  outcomeOfCount,
  selectionOf,
} from './endpoint.ts';
import { lineAges, lineState } from './lines.ts';

const alarmStatus = z.enum(['unprocessed', 'processed']);
export const alarmLevel = integer.pipe(z.int().min(1).max(2));
const typeNumber = integer.pipe(z.int().min(100).max(999));

const oneOrMore = <List extends z.ZodType>(list: List) =>
  z.preprocess((given) => (typeof given === 'number' ? [given] : given), list);

/** Filters of the alarm list; batches, exports and totals use the same ones. */
export const alarmFilters = {
  status: filter(alarmStatus),
  level: filter(alarmLevel),
  severity: filter(integer.pipe(z.int().min(1).max(4))),
  typeNumber: oneOrMore(narrowedTo(typeNumber, 100)),
  project_id: filter(id),
  project_name: filter(z.string().trim().max(100)),
  device_id: filter(id),
  number: filter(z.string().trim().max(64)),
  line_id: filter(id),
  from: filter(instant),
  to: filter(instant),
  /** Whether the condition is still active (a latched alarm is active until its reset). */
  active: filter(flag),
  /** True: alarms that their cause suppresses; no other view shows them. */
  suppressed: filter(flag),
  /** True: shelved alarms; no other view shows them. */
  shelved: filter(flag),
  work_order: filter(z.string().trim().max(20)),
};
export type AlarmFilter = z.output<ReturnType<typeof filterBody>>;
const filterBody = () => z.strictObject(alarmFilters);

/** Filters of the log. Log entries have no state and are not handled. */
const alarmLogFilters = z.object(alarmFilters).pick({
  level: true,
  typeNumber: true,
  project_id: true,
  project_name: true,
  device_id: true,
  number: true,
  line_id: true,
  from: true,
  to: true,
}).shape;

const value = z.number().nullable();
const alarmRow = z.object({
  id: z.int(),
  /** Rises with each step of its history. */
  revision: z.int(),
  work_order: z.string(),
  /**
   * 0: an outage of the whole project. Its value is the share of the devices, and the devices' alarms are its
   * consequences.
   */
  device_id: z.int(),
  device_number: z.string(),
  device_type: z.int(),
  project_id: z.int().nullable(),
  project_name: z.string(),
  part_name: z.string(),
  address: z.string(),
  line_id: z.int(),
  line_n: z.int(),
  line_name: z.string(),
  /** Device time, corrected; `received_at` is the server's. */
  time: instant,
  received_at: instant,
  last_time: instant,
  cleared_time: instant.nullable(),
  status: alarmStatus,
  active: z.boolean(),
  /** The value is normal again, but the alarm is latched until a reset. */
  reset_needed: z.boolean(),
  level: z.int(),
  severity: z.int(),
  typeNumber: z.int(),
  /** '', 'a', 'b', 'c' or 'n'. */
  phase: z.string(),
  /** For a sensor fault (805) that the server found: the channel of the line, as in telemetry; else ''. */
  channel: z.string(),
  source: z.enum(['device', 'server']),
  value_type: z.int(),
  /** Unit of value, peak and threshold; '' for states and ratios. */
  unit: z.string(),
  decimals: z.int(),
  value,
  peak: value,
  threshold: value,
  electricity_data: z.record(z.string(), z.unknown()).nullable(),
  original_data: z.record(z.string(), z.unknown()).nullable(),
  count: z.int(),
  /** The alarm comes from a device's backlog. */
  late: z.boolean(),
  suppressed_by: z.int().nullable(),
  /** How many alarms it suppresses as its consequences. */
  explains: z.int(),
  /**
   * The processed work order that this one continues, because the level rose or the alarm returned or
   * restarted.
   */
  follows: z.object({ id: z.int(), work_order: z.string() }).nullable(),
  /** The work order that continues this processed one; then `cleared_time` is the time of the hand-over. */
  followed_by: z.object({ id: z.int(), work_order: z.string() }).nullable(),
  /** Shelved until then, unless its level rises. */
  shelved: z.object({ until: instant, reason: z.string(), operator: z.string() }).nullable(),
  tags: z.array(z.string()),
  urged: z.int(),
  urged_at: instant.nullable(),
  processing_content: z.string().nullable(),
  processed_at: instant.nullable(),
  processed_by: z.string().nullable(),
  processed_channel: z.string().nullable(),
});
export type AlarmRow = z.output<typeof alarmRow>;

/** An occurrence that is not in the alarm lists: shorter than two seconds, or of a switched-off type. */
const alarmLogRow = z.object({
  device_id: z.int(),
  device_number: z.string(),
  project_id: z.int().nullable(),
  project_name: z.string(),
  part_name: z.string(),
  line_id: z.int(),
  line_n: z.int(),
  line_name: z.string(),
  time: instant,
  /** Null if no end was reported. */
  ended_time: instant.nullable(),
  level: z.int(),
  typeNumber: z.int(),
  phase: z.string(),
  value_type: z.int(),
  value,
  threshold: value,
  /**
   * Shorter than two seconds; of a switched-off type; found in readings that arrived late because the device
   * was offline.
   */
  reason: z.enum(['short', 'off', 'late']),
  /** The alarm that it briefly was; its details can still be opened. */
  alarm_id: z.int().nullable(),
});
export type AlarmLogRow = z.output<typeof alarmLogRow>;

const contact = z.object({ name: z.string(), phone: z.string() });
const detail = alarmRow.extend({
  project_address: z.string(),
  time_zone: z.string(),
  /** The device's contacts in the order in which they are called, then the project's contacts. */
  contacts: z.array(contact),
  /**
   * The readings of ten minutes before and after on the affected channel; empty if there is no such channel.
   */
  around: z.object({
    channel: z.string().nullable(),
    unit: z.string(),
    at: z.array(z.int()),
    values: z.array(value),
    /**
     * Null: raw readings. Otherwise these are no longer kept, and each value is the highest (for an
     * undervoltage the lowest) of this many seconds.
     */
    bucket_s: z.int().nullable(),
    /**
     * The values are of the quantity that the alarm judges, so the alarm's value and limits can be drawn over
     * them.
     */
    comparable: z.boolean(),
  }),
  /** The line's own limits of this type as they are now, in the unit of the alarm; null: the type has none. */
  limits: z.object({ early: value, alarm: value }),
  /** The previous alarms of the same type on the same line, and how they were handled. */
  earlier: z.array(
    z.object({
      id: z.int(),
      work_order: z.string(),
      level: z.int(),
      time: instant,
      cleared_time: instant.nullable(),
      processing_content: z.string().nullable(),
      processed_by: z.string().nullable(),
    }),
  ),
  line_state: z
    .object({
      /** Null: the line has no switch. */
      state: lineState.nullable(),
      ...lineAges,
      /** The upload interval of the device, s. */
      interval_seconds: z.int(),
      trip: z.int().nullable(),
      values: z.record(z.string(), value),
    })
    .nullable(),
  /** Commands to the line (or its whole device) from an hour before to an hour after. */
  commands: z.array(
    z.object({
      command_id: z.uuid(),
      action: z.string(),
      state: z.string(),
      reason: z.string().nullable(),
      operator: z.string(),
      created_at: instant,
      ended_at: instant.nullable(),
    }),
  ),
  /** What happened to the alarm and who did it, oldest first. */
  history: z.array(
    z.object({
      at: instant,
      kind: z.string(),
      operator: z.string().nullable(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  /** The deliveries: who was notified, through which channel, when, and with what result. */
  deliveries: z.array(deliveryRow),
  /** Alarms that this one suppresses as its consequences. */
  consequences: z.array(
    z.object({
      id: z.int(),
      typeNumber: z.int(),
      level: z.int(),
      time: instant,
      active: z.boolean(),
      device_id: z.int(),
      device_number: z.string(),
    }),
  ),
});

const handlingContent = z
  .string({ error: 'alarm.content' })
  .trim()
  .min(2, 'alarm.content')
  .max(500, 'alarm.content');
export const batchLimit = 10_000;
/** ISA-18.2: a shelved alarm returns by itself. */
const longestShelvingMinutes = 480;
/**
 * Entries beyond this number are counted as 'more': users do not page that far, and counting them would cost
 * more than the pages.
 */
export const alarmLogCounted = 10_000;

const shelvingReason = z
  .string({ error: 'alarm.shelvingReason' })
  .trim()
  .min(2, 'alarm.shelvingReason')
  .max(200, 'alarm.shelvingReason');

const results = z.object({
  results: z.array(
    z.object({
      id: z.int(),
      result: z.enum(['done', 'skipped', 'denied']),
      /**
       * Reason of a failure: 'processed', 'unprocessed', 'active', 'ended', 'recently', 'unshelved',
       * 'missing'.
       */
      reason: z.string().optional(),
    }),
  ),
  done: z.int(),
  skipped: z.int(),
  denied: z.int(),
});
export type AlarmResults = z.output<typeof results>;

/** Alarms by id, or all that match a filter; `expected` is the number that the user confirmed. */
const selection = {
  ids: narrowedTo(longId, batchLimit, 'alarm.selection'),
  filter: filterBody().optional(),
  expected: integer.optional(),
};
const oneOf = (given: { ids?: unknown; filter?: unknown }) =>
  (given.ids === undefined) !== (given.filter === undefined);
const selectionFault = { error: 'alarm.selection', path: ['ids'] };

export const alarmEndpoints = {
  /**
   * Default order: unprocessed alarms first (by severity, then active, then newest), then processed ones by
   * time.
   */
  list: endpoint({
    method: 'POST',
    path: '/device_warning/WarningList',
    permission: 'alarm.read',
    body: listBody(alarmFilters, ['time']),
    reply: listReply(alarmRow),
  }),
  /** The list's rows as an .xlsx, newest first. */
  export: endpoint({
    method: 'POST',
    path: '/device_warning/export',
    permission: 'alarm.read',
    stream: true,
    body: filterBody(),
    reply: z.unknown(),
  }),
  /**
   * Short alarms, alarms found in late readings, and serious ones of switched-off types; newest first.
   * Counted up to `alarmLogCounted`.
   */
  log: endpoint({
    method: 'POST',
    path: '/device_warning/event_list',
    permission: 'alarm.read',
    body: listBody(alarmLogFilters, ['time']),
    reply: listReply(alarmLogRow).extend({ more: z.boolean() }),
  }),
  exportLog: exportOf('/device_warning/export_event_list', 'alarm.read', alarmLogFilters),
  detail: endpoint({
    method: 'POST',
    path: '/device_warning/getDetatil',
    permission: 'alarm.read',
    body: z.strictObject({ id: longId }),
    reply: detail,
  }),
  /** Who was notified of an alarm, through which channel, when, and with what result. */
  exportDeliveries: exportOf('/device_warning/export_alarm_deliveries', 'alarm.read', { id: longId }),
  handle: endpoint({
    method: 'POST',
    path: '/device_warning/handle',
    permission: 'alarm.handle',
    log: 'alarm.handle',
    body: z.strictObject({
      id: longId,
      content: handlingContent,
      /** The revision that the user saw: an alarm that has changed since is not handled. */
      revision: integer.pipe(z.int().min(0)).optional(),
      /** When the text was written, if the console was offline then. */
      written_at: instant.optional(),
    }),
    reply: results,
    outcome: outcomeOfCount,
  }),
  batchHandle: endpoint({
    method: 'POST',
    path: '/device_warning/batchHandle',
    permission: 'alarm.handle',
    log: 'alarm.batchHandle',
    body: z.strictObject({ ...selection, content: handlingContent }).refine(oneOf, selectionFault),
    reply: results,
    outcome: outcomeOfCount,
  }),
  /** Reminds the contacts of unprocessed alarms. */
  urge: endpoint({
    method: 'POST',
    path: '/device_warning/toPush',
    permission: 'alarm.urge',
    log: 'alarm.urge',
    body: z
      .strictObject({ id: filter(longId), ...selection })
      .check(onlyOneOf('id', 'ids', 'filter'))
      .refine((given) => given.id !== undefined || oneOf(given), selectionFault),
    reply: results,
    outcome: outcomeOfCount,
  }),
  /**
   * Shelves unprocessed, active alarms: for a time they are hidden from the live lists and nobody is
   * notified.
   */
  shelve: endpoint({
    method: 'POST',
    path: '/device_warning/shelve',
    permission: 'alarm.handle',
    log: 'alarm.shelve',
    body: z.strictObject({
      ids: selectionOf(longId, batchLimit, 'alarm.selection'),
      minutes: integer.pipe(z.int().min(5).max(longestShelvingMinutes)),
      reason: shelvingReason,
    }),
    reply: results,
    outcome: outcomeOfCount,
  }),
  unshelve: endpoint({
    method: 'POST',
    path: '/device_warning/unshelve',
    permission: 'alarm.handle',
    log: 'alarm.unshelve',
    body: z.strictObject({ ids: selectionOf(longId, batchLimit, 'alarm.selection') }),
    reply: results,
    outcome: outcomeOfCount,
  }),
  /** Removes processed, cleared alarms from the lists; the rows and their history stay. */
  remove: endpoint({
    method: 'POST',
    path: '/device_warning/del_war',
    permission: 'alarm.delete',
    log: 'alarm.delete',
    body: z
      .strictObject({ id: filter(longId), ...selection })
      .check(onlyOneOf('id', 'ids', 'filter'))
      .refine((given) => given.id !== undefined || oneOf(given), selectionFault),
    reply: results,
    outcome: outcomeOfCount,
  }),
  census: endpoint({
    method: 'POST',
    path: '/device_warning/warin_census',
    permission: 'alarm.read',
    body: z.strictObject({
      project_id: filter(id),
      device_id: filter(id),
      line_id: filter(id),
      from: filter(instant),
      to: filter(instant),
    }),
    reply: z.object({
      total: z.int(),
      unprocessed: z.int(),
      processed: z.int(),
      alarms: z.int(),
      early_warnings: z.int(),
      active: z.int(),
      /** Shelved alarms are not included in the other counts. */
      shelved: z.int(),
      urged: z.int(),
      /** From 0 to 1, as everywhere; null if no alarm was raised. */
      handling_rate: z.number().nullable(),
    }),
  }),
  spread: endpoint({
    method: 'POST',
    path: '/device_warning/warin_type_spread',
    permission: 'alarm.read',
    body: z.strictObject({
      project_id: filter(id),
      device_id: filter(id),
      from: filter(instant),
      to: filter(instant),
    }),
    reply: z.object({
      types: z.array(
        z.object({ typeNumber: z.int(), count: z.int(), unprocessed: z.int(), active: z.int() }),
      ),
    }),
  }),
  /** Whether alarms come faster than an operator can look at them (ISA-18.2), and from where. */
  flood: endpoint({
    method: 'POST',
    path: '/device_warning/flood',
    permission: 'alarm.read',
    body: nothing,
    reply: z.object({
      active: z.boolean(),
      since: instant.nullable(),
      /** New alarms of the last ten minutes. */
      count: z.int(),
      groups: z.array(
        z.object({
          project_id: z.int().nullable(),
          project_name: z.string(),
          count: z.int(),
          critical: z.int(),
          devices: z.array(z.object({ device_id: z.int(), number: z.string(), count: z.int() })),
        }),
      ),
    }),
  }),
  /** Counts for the bell: unprocessed alarms by level, and the newest ones for its preview. */
  tips: endpoint({
    method: 'POST',
    path: '/device_warning/get_news_tips',
    permission: 'alarm.read',
    body: nothing,
    reply: z.object({
      unprocessed: z.int(),
      alarms: z.int(),
      early_warnings: z.int(),
      critical: z.int(),
      newest: z.array(
        z.object({
          id: z.int(),
          typeNumber: z.int(),
          level: z.int(),
          severity: z.int(),
          time: instant,
          project_name: z.string(),
          device_number: z.string(),
          line_name: z.string(),
        }),
      ),
    }),
  }),
};
