import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { accountOf } from '#server/core/account.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { Fault } from '#server/core/fault.ts';
import { createRounds } from '#server/core/rounds.ts';
import { type JobActs, type JobRow, jobStore } from './jobs.store.ts';

export interface DeviceJobs {
  start(): void;
  stop(): Promise<void>;
}
interface DeviceJobsDeps extends CoreDeps {
  acts: JobActs;
}
/** Devices per transaction: few enough to cancel in between, many enough to be fast. */
const atOnce = 200;
const retryMs = 1000;

/**
 * Processes the queues of all jobs, in turn. The effect on some devices and their job rows are one
 * transaction: a killed process leaves nothing half done, and any node continues.
 */
export const createDeviceJobs = ({ db, bus, clock, log, acts }: DeviceJobsDeps): DeviceJobs => {
  let leave = () => {};
  let failed: string | null = null;

  const turn = async (): Promise<boolean> => {
    const others = new Set<string>();
    const jobMoved = (jobId: string) => others.add(jobId);
    const worked = await db.transaction().execute(async (trx) => {
      const now = clock.now();
      const job = await trx
        .selectFrom('device_jobs')
        .select(['id', 'kind', 'user_id', 'parameters'])
        .where('queued', '=', true)
        .orderBy('served_at', (order) => order.asc().nullsFirst())
        .orderBy('created_at')
        .limit(1)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst();
      if (!job) return null;
      failed = job.id;
      const queued = await trx
        .selectFrom('device_job_rows')
        .select(['device_id', 'project_id'])
        .where('job_id', '=', job.id)
        .where('state', '=', 'queued')
        .orderBy('device_id')
        .limit(atOnce + 1)
        .execute();
      const ids = queued.slice(0, atOnce).map((row) => row.device_id);
      const askedIn = new Map(queued.map((row) => [row.device_id, row.project_id]));
      const act = acts[job.kind];
      const author = await accountOf(trx, job.user_id);
      const rows = author?.permissions.has(act.permission)
        ? await attempt(trx, ids, () =>
            act.run(trx, { id: job.id, parameters: job.parameters, author, now, askedIn, jobMoved }, ids),
          )
        : denied(ids, 'permission.denied');
      await jobStore(trx).setRows(job.id, rows);
      await trx
        .updateTable('device_jobs')
        .set({ served_at: new Date(now), queued: queued.length > ids.length })
        .where('id', '=', job.id)
        .execute();
      return { jobId: job.id, changes: act.changes, rows };
    });
    failed = null;
    if (!worked) return false;
    const { jobId, changes, rows } = worked;
    for (const { deviceId, state } of rows) {
      if (state === 'denied' || state === 'skipped') continue;
      if (changes === 'settings') bus.emit('settings.requested', { deviceId });
      else bus.emit('device.changed', { deviceId, what: changes });
    }
    for (const moved of others.add(jobId)) bus.emit('job.changed', { jobId: moved });
    return true;
  };

  const rounds = createRounds({
    name: 'device jobs',
    clock,
    log,
    async round() {
      try {
        return (await turn()) ? clock.now() : null;
      } catch (error) {
        // Another job is processed before this one is retried.
        if (failed !== null)
          await db
            .updateTable('device_jobs')
            .set({ served_at: new Date(clock.now() + retryMs) })
            .where('id', '=', failed)
            .execute();
        throw error;
      }
    },
  });
  return {
    start() {
      leave = bus.on('job.changed', ({ begun }) => {
        if (begun) rounds.wake();
      });
      rounds.start();
    },
    async stop() {
      leave();
      await rounds.stop();
    },
  };
};

const denied = (ids: readonly number[], reason: string): JobRow[] =>
  ids.map((deviceId) => ({ deviceId, state: 'denied', reason }));

/** A refusal of the whole group fails each device and rolls back what was written for the group. */
const attempt = async (trx: Db, ids: readonly number[], run: () => Promise<JobRow[]>): Promise<JobRow[]> => {
  await sql`savepoint turn`.execute(trx);
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await sql`rollback to savepoint turn`.execute(trx);
    return denied(ids, error.code);
  }
};
