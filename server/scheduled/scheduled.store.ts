import type { Selectable } from 'kysely';
import { queueJobs, type ScheduledJobName, type ScheduledRow, scheduledJobs } from '#contract/scheduled.ts';
import type { Db, Tables } from '#database/connect.ts';

const queues: ReadonlySet<string> = new Set(queueJobs);

const shown = (
  name: ScheduledJobName,
  row: Selectable<Tables['scheduled_jobs']>,
  now: number,
): ScheduledRow => {
  const runs = row.held_until !== null && row.held_until.getTime() > now;
  return {
    name,
    kind: queues.has(name) ? 'queue' : 'timed',
    state: runs ? 'running' : row.asked_at ? 'asked' : 'idle',
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_ms: row.duration_ms,
    outcome: row.outcome,
    result: row.result,
    error: row.error,
    failures: row.failures,
    runs: row.runs,
    next_at: row.next_at?.toISOString() ?? null,
  };
};

/** The jobs registered by any node, in the order of the contract. */
export const scheduledRows = async (db: Db, now: number): Promise<ScheduledRow[]> => {
  const rows = new Map(
    (await db.selectFrom('scheduled_jobs').selectAll().execute()).map((row) => [row.name, row]),
  );
  return scheduledJobs.flatMap((name) => {
    const row = rows.get(name);
    return row ? [shown(name, row, now)] : [];
  });
};
