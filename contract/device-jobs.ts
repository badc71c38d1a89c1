import * as z from 'zod';
import { endpoint, exportOf, filter, flag, instant, listBody, listReply } from './endpoint.ts';

export const jobKinds = ['bind', 'unbind', 'delete', 'expiry', 'settings'] as const;
/** Queued: its turn has not come. Waiting: desired, until the device confirms. The others are ends. */
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
  /** Devices where it was done: `done` and `applied`. */
  succeeded: z.int(),
  /** Nothing is left that could still happen. */
  done: z.boolean(),
  /** By whom and when; what was done by then stays done. */
  cancelled: z.object({ operator: z.string(), at: instant }).nullable(),
  may_cancel: z.boolean(),
});

/** One act over many devices that goes on by itself. Those who see everything see every job, others their own. */
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
  /** Every device of a job and what became of it, also those that are done. */
  exportJob: exportOf('/device_job/export_job', 'device.read', { job_id: z.uuid() }),
  /** Ends a job, by its author or role 1. A message on its way to a device is not called back. */
  cancel: endpoint({
    method: 'POST',
    path: '/device_job/cancel',
    permission: 'device.read',
    log: 'device.cancelJob',
    body: z.strictObject({ job_id: z.uuid() }),
    reply: job,
  }),
};
