import * as z from 'zod';
import { endpoint, filter, id, instant, narrowedTo } from './endpoint.ts';
import { positionCauses } from './telemetry.ts';

/** `device_id` 0 and a `line_id` below 0: an outage of the whole project. */
const alarm = z.object({
  id: z.int(),
  /** 'suppressed': it proved to be a consequence of another alarm, and leaves the lists. */
  kind: z.enum([
    'raised',
    'escalated',
    'repeated',
    'suppressed',
    'cleared',
    'followed',
    'handled',
    'urged',
    'deleted',
    'shelved',
    'unshelved',
    'reset',
  ]),
  device_id: z.int(),
  line_id: z.int(),
  project_id: z.int().nullable(),
  typeNumber: z.int(),
  level: z.int(),
  severity: z.int(),
  quiet: z.boolean(),
  /**
   * For a 'raised': type of the alarm that suppressed it until now. It is not new then, but nobody has been
   * notified of it yet.
   */
  held_back_by: z.int().optional(),
});

/** The longest time between two heartbeats. */
export const heartbeatMs = 10_000;

/**
 * Events of the live stream and their data. `alarm` reports a new or escalated alarm, `alarm_update` every
 * other change of an alarm; `hello` comes first and says whether the stream resumed without a gap.
 */
export const liveEvents = {
  hello: z.object({ resumed: z.boolean() }),
  /**
   * Comes at least every `heartbeatMs`, with the server's time. Without it the console shows that it is
   * disconnected.
   */
  heartbeat: z.object({ at: instant }),
  alarm,
  alarm_update: alarm,
  device_state: z.object({ device_id: z.int(), online: z.boolean(), at: instant }),
  /** A position change, as the device reported it. */
  line_state: z.object({
    device_id: z.int(),
    line_id: z.int(),
    state: z.enum(['closed', 'open', 'unknown']),
    observed_at: instant,
    switched_by: z.enum(positionCauses),
  }),
  /** Values of a line, only for the devices in `?device=`. */
  reading: z.object({
    device_id: z.int(),
    line_id: z.int(),
    at: instant,
    state: z.enum(['closed', 'open', 'unknown']),
    trip: z.int().nullable(),
    lock: z.int().nullable(),
    energy: z.number().nullable(),
    voltage: z.number().nullable(),
    current: z.number().nullable(),
    power: z.number().nullable(),
    leakage: z.number().nullable(),
    values: z.record(z.string(), z.number().nullable()),
  }),
  command: z.object({
    command_id: z.uuid(),
    device_id: z.int(),
    line_id: z.int(),
    action: z.string(),
    state: z.string(),
    reason: z.string().nullable(),
    batch_id: z.uuid().nullable(),
    at: instant,
  }),
  /** A timer came due. */
  timer_run: z.object({
    timer_id: z.int(),
    device_id: z.int(),
    line_id: z.int(),
    due_at: instant,
    action: z.enum(['open', 'close']),
    outcome: z.enum(['fired', 'skipped', 'missed']),
    reason: z.string().nullable(),
  }),
  /** A lock-out tag was set or removed, or its review is due. */
  tag: z.object({
    tag_id: z.int(),
    kind: z.enum(['set', 'removed', 'review']),
    line_id: z.int().nullable(),
    device_id: z.int().nullable(),
    project_id: z.int().nullable(),
  }),
  /** The desired or known settings of a device changed. */
  settings: z.object({ device_id: z.int() }),
  /** Progress of one of the user's own jobs over many devices. */
  job: z.object({ job_id: z.uuid(), total: z.int(), succeeded: z.int(), done: z.boolean() }),
  /** Progress of a firmware rollout, for users who may see it. */
  rollout: z.object({ rollout_id: z.int(), state: z.string() }),
  message: z.object({ unread: z.int() }),
  /**
   * A session of the user ended, and the stream ends with it. A console whose session goes on connects again.
   */
  session: z.object({}),
  /** The server stops now to replace its data with a backup, and is back by itself. */
  restoring: z.object({ at: instant }),
};
export type LiveEventName = keyof typeof liveEvents;
export type LiveEvent = { [Name in LiveEventName]: z.input<(typeof liveEvents)[Name]> };

export const liveEndpoints = {
  live: endpoint({
    method: 'GET',
    path: '/live',
    permission: 'signedIn',
    stream: true,
    /** `since`: id of the last event that the console received, for a stream that takes the place of another. */
    body: z.strictObject({ device: narrowedTo(id, 50), since: filter(z.string().trim().max(60)) }),
    reply: z.unknown(),
  }),
};
