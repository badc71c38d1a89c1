import { sql } from 'kysely';
import { scheduledJobs } from '#contract/scheduled.ts';
import type { Db } from '#database/connect.ts';
import { openStates } from '#server/control/states.ts';
import type { Observed } from './problems.ts';

/** A node without a report for this long is considered dead; one that ended in order has deleted its row. */
const goneMs = 60_000;
const dayMs = 86_400_000;
/** A job that failed once is retried; after this many failures it needs a person. */
const failingRuns = 2;

/** The times of backups and drills, as another feature schedules them. */
export interface BackupPlan {
  backupDays: number | null;
  drillDays: number | null;
}

const nodes = async (db: Db, now: number): Promise<Observed['nodes']> => {
  const rows = await db
    .selectFrom('node_reports')
    .selectAll()
    .where('seen_at', '>', new Date(now - dayMs))
    .orderBy('name')
    .execute();
  return rows.map(({ name, role, version, started_at, seen_at, facts }) => ({
    ...{ name, role, version, facts },
    started_at: started_at.toISOString(),
    seen_at: seen_at.toISOString(),
    gone: now - seen_at.getTime() > goneMs,
  }));
};

const database = async (db: Db): Promise<Observed['database']> => {
  const asked = performance.now();
  await sql`select 1`.execute(db);
  const answer_ms = Math.round(performance.now() - asked);
  const { rows } = await sql<Omit<Observed['database'], 'answer_ms'>>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where datid is not null)::int as connections,
      current_setting('max_connections')::int as most_connections,
      (select max(name) from migrations) as migration`.execute(db);
  return { ...rows[0]!, answer_ms };
};

const work = async (db: Db, now: number) => {
  const { rows } = await sql<{
    through: number | null;
    waiting: number;
    queued: number;
    oldest: Date | null;
    failed: number;
    commands: number;
    backup: Date | null;
    drill: Date | null;
    /** When this installation got the backup function. */
    installed: Date;
  }>`
    select (select value::text::float8 from settings where key = 'rollups.through') as through,
      (select count(*) from (select from rollup_dirty limit 100000) marked)::int as waiting,
      (select count(*) from deliveries where state = 'queued' and due_at <= ${new Date(now)})::int as queued,
      (select min(due_at) from deliveries where state = 'queued') as oldest,
      (select count(*) from deliveries where state = 'failed' and created_at > ${new Date(now - dayMs)})::int as failed,
      (select count(*) from commands where state in (${sql.join([...openStates])}))::int as commands,
      -- A backup of some tables only cannot restore the product.
      (select max(ended_at) from maintenance_jobs where kind = 'backup' and state = 'done' and tables is null) as backup,
      (select max(ended_at) from maintenance_jobs where kind = 'drill' and state = 'done') as drill,
      (select at from migrations where name = '0105_maintenance_jobs.sql') as installed`.execute(db);
  return rows[0]!;
};
const failingJobs = async (db: Db): Promise<string[]> => {
  const rows = await db
    .selectFrom('scheduled_jobs')
    .select('name')
    .where('failures', '>=', failingRuns)
    .where('name', 'in', [...scheduledJobs])
    .orderBy('name')
    .execute();
  return rows.map((row) => row.name);
};

/** The state of the product, from the database: every node gives the same answer. */
export const observe = async (db: Db, now: number, plan: BackupPlan): Promise<Observed> => {
  const found = await work(db, now);
  return {
    nodes: await nodes(db, now),
    database: await database(db),
    work: {
      rollups_through: found.through === null ? null : new Date(found.through).toISOString(),
      rollups_waiting: found.waiting,
      notices_queued: found.queued,
      notices_oldest:
        found.oldest !== null && found.oldest.getTime() <= now ? found.oldest.toISOString() : null,
      notices_failed_day: found.failed,
      jobs_failing: await failingJobs(db),
      commands_open: found.commands,
    },
    backups: {
      last_at: found.backup?.toISOString() ?? null,
      drill_at: found.drill?.toISOString() ?? null,
    },
    backup_every_days: plan.backupDays,
    drill_every_days: plan.drillDays,
    installed_at: found.installed.toISOString(),
    rollups_lag_s: found.through === null ? 0 : Math.max(0, (now - found.through) / 1000),
  };
};
