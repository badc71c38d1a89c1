import type { Db } from '#database/connect.ts';
import type { Sample } from '#server/core/health.ts';
import { type BackupPlan, observe } from './health.store.ts';
import { problemsOf } from './problems.ts';

const seconds = (at: string | Date | null): number | null =>
  at === null ? null : new Date(at).getTime() / 1000;

/** The values of `/metrics` about the whole product, from the database. */
export const productSamples = async (db: Db, now: number, plan: BackupPlan): Promise<Sample[]> => {
  const seen = await observe(db, now, plan);
  const jobs = await db
    .selectFrom('scheduled_jobs')
    .select(['name', 'ended_at', 'duration_ms', 'failures'])
    .execute();
  const one = (name: string, help: string, value: number | null, labels = {}): Sample[] =>
    value === null ? [] : [{ name, help, value, labels }];
  const { database, work, backups } = seen;
  return [
    ...problemsOf(seen, now).flatMap(({ code, subject }) =>
      one('problem', 'something is wrong with the product: 1', 1, { code, subject }),
    ),
    ...one('nodes', 'nodes that reported within a minute', seen.nodes.filter(({ gone }) => !gone).length),
    ...one('database_answer_seconds', 'time of the shortest query', database.answer_ms / 1000),
    ...one('database_bytes', 'size of the database', database.bytes),
    ...one('database_connections', 'connections of all clients', database.connections),
    ...one('database_connections_most', 'connections that PostgreSQL allows', database.most_connections),
    ...one('rollups_lag_seconds', 'age of the newest computed statistics', seen.rollups_lag_s),
    ...one('rollups_waiting', 'hours of lines to compute again', work.rollups_waiting),
    ...one('notices_queued', 'deliveries that are due', work.notices_queued),
    ...one('notices_failed_day', 'deliveries that failed within a day', work.notices_failed_day),
    ...one('commands_open', 'commands without an end', work.commands_open),
    ...one('backup_last_seconds', 'when the last backup ended (Unix time)', seconds(backups.last_at)),
    ...one('drill_last_seconds', 'when a backup was last proven (Unix time)', seconds(backups.drill_at)),
    ...jobs.flatMap(({ name: job, ended_at, duration_ms, failures }) => [
      ...one('job_failures', 'runs that failed since the last that did not', failures, { job }),
      ...one('job_ended_seconds', 'when the last run ended (Unix time)', seconds(ended_at), { job }),
      ...one(
        'job_duration_seconds',
        'length of the last run',
        duration_ms === null ? null : duration_ms / 1000,
        {
          job,
        },
      ),
    ]),
  ];
};
