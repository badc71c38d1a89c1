import * as z from 'zod';
import { endpoint, exportOf, filter, flag, instant, listBody, listReply } from './endpoint.ts';

export const jobKinds = ['bind', 'unbind', 'delete', 'expiry', 'settings'] as const;
/** 'queued': not begun yet. 'waiting': desired, until the device confirms. The others are final. */
export const jobRowStates = [
  'queued',
  'waiting',
  'done',
  'applied',
  'conflict',
  'rejected',
  'superseded',
  'skipped',
  'denied',
  'cancelled',
] as const;
export type JobRowState = (typeof jobRowStates)[number];

const job = z.object({
  job_id: z.uuid(),
  kind: z.enum(jobKinds),
  operator: z.string(),
  created_at: instant,
  total: z.int(),
  /** Devices by state. */
  counts: z.record(z.string(), z.int()),
  /** Devices that were completed: `done` and `applied`. */
  succeeded: z.int(),
  /** Every device of the job has its final state. */
  done: z.boolean(),
  /** Who cancelled it and when; completed devices are not undone. */
  cancelled: z.object({ operator: z.string(), at: instant }).nullable(),
  may_cancel: z.boolean(),
});

/**
 * One act over many devices that continues by itself. Users who see everything see every job, others only
 * their own.
 */
export const deviceJobEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/device_job/get_list',
    permission: 'device.read',
    body: listBody({ running: filter(flag) }, ['created_at']),
    reply: listReply(job),
  }),
  job: endpoint({
    method: 'POST',
    path: '/device_job/get_job',
    permission: 'device.read',
    body: z.strictObject({ job_id: z.uuid() }),
    reply: job.extend({
      /** Devices that are not done, each with the reason; those still in the queue are only counted. */
      unfinished: z.array(
        z.object({
          device_id: z.int(),
          number: z.string(),
          state: z.enum(jobRowStates),
          reason: z.string().nullable(),
          message: z.string().nullable(),
        }),
      ),
    }),
  }),
  /** Every device of a job and its result, also completed ones. */
  exportJob: exportOf('/device_job/export_job', 'device.read', { job_id: z.uuid() }),
  /** Ends a job, by its author or role 1. A message already sent to a device cannot be recalled. */
  cancel: endpoint({
    method: 'POST',
    path: '/device_job/cancel',
    permission: 'device.read',
    log: 'device.cancelJob',
    body: z.strictObject({ job_id: z.uuid() }),
    reply: job,
  }),
};
