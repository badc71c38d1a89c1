import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { Clock } from '#server/core/clock.ts';
import { createRounds, type Rounds } from '#server/core/rounds.ts';

const dayMs = 86_400_000;
const everyMs = 6 * 3_600_000;
const atOnce = 1000;

export interface Upkeep extends Rounds {
  /** Forgets what is old now. */
  tidy(): Promise<void>;
}

/**
 * Forgets what became of settings longer ago than it is kept, at start and every six hours. Of each device the last
 * change of every setting stays, and the last message of each purpose; of jobs, those that are not over.
 */
export const createSettingsUpkeep = ({
  db,
  clock,
  log,
  retentionDays,
}: {
  db: Db;
  clock: Clock;
  log: Logger;
  retentionDays: number;
}): Upkeep => {
  let stopped = false;

  /** Walks the changes older than `before` by key, some at a time; those that stay are passed once a round. */
  const forgetChanges = async (before: Date): Promise<void> => {
    let last = { device_id: 0, revision: 0 };
    while (!stopped) {
      const { rows } = await sql<{ device_id: number; revision: number }>`
        with walked as materialized (
          select device_id, revision, changes from setting_changes
          where (device_id, revision) > (${last.device_id}::int, ${last.revision}::int)
            and at < ${before}::timestamptz
          order by device_id, revision limit ${atOnce}
        ), gone as (
          delete from setting_changes old using walked
          where old.device_id = walked.device_id and old.revision = walked.revision and not exists (
            select from jsonb_array_elements(walked.changes) own
            where not exists (
              select from setting_changes later, jsonb_array_elements(later.changes) newer
              where later.device_id = walked.device_id and later.revision > walked.revision
                and newer -> 'kind' = own -> 'kind' and newer -> 'place' = own -> 'place'
                and newer -> 'key' = own -> 'key'))
        )
        select device_id, revision from walked order by device_id desc, revision desc limit 1`.execute(db);
      if (!rows[0]) return;
      last = rows[0];
    }
  };
  /** In order of time; a message that was never answered is over once it expired. */
  const forgetMessages = async (before: Date): Promise<void> => {
    for (let gone = atOnce; gone === atOnce && !stopped; ) {
      const { numAffectedRows } = await sql`
        delete from config_messages where id in (
          select id from config_messages old
          where sent_at < ${before}::timestamptz and expires_at < ${before}::timestamptz and exists (
            select from config_messages later
            where later.device_id = old.device_id and later.purpose = old.purpose and later.sent_at > old.sent_at)
          order by sent_at limit ${atOnce})`.execute(db);
      gone = Number(numAffectedRows);
    }
  };
  const forgetJobs = async (before: Date): Promise<void> => {
    for (;;) {
      const { rows } = await sql<{ id: string }>`
        select id from device_jobs job where created_at < ${before}::timestamptz and not exists (
          select from device_job_rows where job_id = job.id and state in ('queued', 'waiting'))
        order by created_at limit 1`.execute(db);
      const [job] = rows;
      if (!job || stopped) return;
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('device_job_rows').where('job_id', '=', job.id).execute();
        await trx.deleteFrom('device_jobs').where('id', '=', job.id).execute();
      });
    }
  };
  const tidy = async (): Promise<void> => {
    const before = new Date(clock.now() - retentionDays * dayMs);
    await forgetChanges(before);
    await forgetMessages(before);
    await forgetJobs(before);
  };
  const rounds = createRounds({
    name: 'settings upkeep',
    clock,
    log,
    longestMs: everyMs,
    async round() {
      await tidy();
      return null;
    },
  });
  return {
    ...rounds,
    tidy,
    async stop() {
      stopped = true;
      await rounds.stop();
    },
  };
};
