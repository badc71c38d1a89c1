import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { withdraw } from './jobs.store.ts';
import type { JobCaller } from './show.ts';

/**
 * Ends a job. Queued devices are not started; desired values that were not sent are withdrawn; sent ones end
 * with the device's answer. Returns the devices with withdrawn values.
 */
export const cancelJob = async (
  trx: Db,
  caller: JobCaller & { username: string },
  jobId: string,
  now: number,
): Promise<number[]> => {
  const job = await trx
    .selectFrom('device_jobs')
    .select(['id', 'user_id', 'cancelled_at'])
    .where('id', '=', jobId)
    .forUpdate()
    .executeTakeFirst();
  if (!job || (!caller.scope.all && job.user_id !== caller.userId)) return fault('thing.missing');
  const open = await trx
    .selectFrom('device_job_rows')
    .select('device_id')
    .where('job_id', '=', jobId)
    .where('state', 'in', ['queued', 'waiting'])
    .limit(1)
    .executeTakeFirst();
  if (job.cancelled_at !== null || !open) return fault('job.over');
  const at = new Date(now);
  await trx
    .updateTable('device_jobs')
    .set({ cancelled_at: at, cancelled_by: caller.username, queued: false })
    .where('id', '=', jobId)
    .execute();
  await trx
    .updateTable('device_job_rows')
    .set({ state: 'cancelled', reason: null })
    .where('job_id', '=', jobId)
    .where('state', '=', 'queued')
    .execute();
  return withdraw(trx, jobId, caller.username, at);
};
