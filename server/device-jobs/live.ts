import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Live } from '#server/core/live.ts';

const everyMs = 250;

/** Reports a job's progress to its author, at most four times a second. */
export const jobLive = ({ db, bus, live, clock }: { db: Db; bus: Bus; live: Live; clock: Clock }): void => {
  const soon = new Set<string>();
  const report = async (jobId: string): Promise<void> => {
    soon.delete(jobId);
    if (live.size() === 0) return;
    const { rows } = await sql<{ user_id: number; total: number; succeeded: number; open: number }>`
      select job.user_id, job.total, count(*) filter (where row.state in ('done', 'applied')) as succeeded,
        count(*) filter (where row.state in ('queued', 'waiting')) as open
      from device_jobs job join device_job_rows row on row.job_id = job.id
      where job.id = ${jobId} group by job.id`.execute(db);
    for (const { user_id, total, succeeded, open } of rows)
      live.send(
        'job',
        { job_id: jobId, total, succeeded, done: open === 0 },
        { projectId: null, partId: null, userIds: [user_id] },
      );
  };
  bus.on('job.changed', ({ jobId }) => {
    if (soon.has(jobId)) return;
    soon.add(jobId);
    clock.after(everyMs, () => {
      report(jobId).catch(() => {}); // the database is down: consoles load again when it is back
    });
  });
};
