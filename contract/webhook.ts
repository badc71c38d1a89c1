/** What a webhook receives. The body is signed; see `docs/OPERATING.md`. */
import * as z from 'zod';
import { deliveryKinds } from './deliveries.ts';
import { instant } from './endpoint.ts';

const webhookAlarm = z.strictObject({
  alarm_id: z.int(),
  work_order: z.string(),
  /**
   * Code of the alarm type, its name in the rule's language, 1 early warning or 2 alarm, 1 critical to 4 low.
   */
  typeNumber: z.int(),
  type: z.string(),
  level: z.int(),
  severity: z.int(),
  /** 'a', 'b', 'c', 'n', or empty if the alarm concerns no single phase. */
  phase: z.string(),
  /** Value in `unit`; null if the type has no value. */
  value: z.number().nullable(),
  peak: z.number().nullable(),
  threshold: z.number().nullable(),
  unit: z.string(),
  project_id: z.int().nullable(),
  project_name: z.string(),
  address: z.string(),
  /** 0 for an outage of the whole project. */
  device_id: z.int(),
  device_number: z.string(),
  device_name: z.string(),
  line_id: z.int(),
  /** 0: the device as a whole. */
  line_n: z.int(),
  line_name: z.string(),
  /** When the alarm began (corrected device clock), when the server received it, and when it ended. */
  time: instant,
  received_time: instant,
  cleared_time: instant.nullable(),
  active: z.boolean(),
  status: z.enum(['unprocessed', 'processed']),
  /** The device stored the alarm while it was offline. */
  late: z.boolean(),
});
export type WebhookAlarm = z.output<typeof webhookAlarm>;

/**
 * The most severe alarm's fields at the top level (none in a test), and every alarm of this message in
 * `list`.
 */
export const webhookBody = z.strictObject({
  ...webhookAlarm.partial().shape,
  /** The id is the same in each attempt, so that a receiver can recognise repetitions. */
  delivery_id: z.int(),
  attempt: z.int(),
  kind: z.enum(deliveryKinds),
  title: z.string(),
  text: z.string(),
  created_time: instant,
  /** Address of the alarm in the console; empty if the installation has no public address. */
  url: z.string(),
  alarms: z.int(),
  list: z.array(webhookAlarm),
});
export type WebhookBody = z.output<typeof webhookBody>;
