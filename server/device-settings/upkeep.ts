import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { forgetJobs } from '#server/device-jobs/jobs.store.ts';

const dayMs = 86_400_000;
const everyMs = 6 * 3_600_000;
const atOnce = 1000;

/**
 * Deletes old changes of settings from before `before`. For each device the last change of every setting
 * stays, and the last message of each purpose; unfinished jobs stay too. Returns the number of deleted rows.
 */
export const tidySettings = async (db: Db, before: Date, signal: AbortSignal): Promise<number> =>
  (await forgetChanges(db, before, signal)) +
  (await forgetMessages(db, before, signal)) +
  (await forgetJobs(db, before, signal));

export const settingUpkeep = (db: Db): TimedWork => ({
  name: 'settingUpkeep',
  next: every(everyMs),
  async run({ now, signal }) {
    const { readingsDays } = await readSettings(db, 'retention');
    return { removed: await tidySettings(db, new Date(now - readingsDays * dayMs), signal) };
  },
});

/** Deletes changes older than `before`, in batches by key. Each row is read once per round, also one that stays. */
const forgetChanges = async (db: Db, before: Date, signal: AbortSignal): Promise<number> => {
  let last = { device_id: 0, revision: 0 };
  let removed = 0;
  while (!signal.aborted) {
    const { rows } = await sql<{ device_id: number; revision: number; removed: number }>`
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
        returning 1
      )
      select device_id, revision, (select count(*) from gone)::int as removed from walked
      order by device_id desc, revision desc limit 1`.execute(db);
    if (!rows[0]) break;
    last = rows[0];
    removed += rows[0].removed;
  }
  return removed;
};

/** Deletes old messages in order of time. An unanswered message is finished once it has expired. */
const forgetMessages = async (db: Db, before: Date, signal: AbortSignal): Promise<number> => {
  let removed = 0;
  for (let gone = atOnce; gone === atOnce && !signal.aborted; ) {
    const { numAffectedRows } = await sql`
      delete from config_messages where id in (
        select id from config_messages old
        where sent_at < ${before}::timestamptz and expires_at < ${before}::timestamptz and exists (
          select from config_messages later
          where later.device_id = old.device_id and later.purpose = old.purpose and later.sent_at > old.sent_at)
        order by sent_at limit ${atOnce})`.execute(db);
    gone = Number(numAffectedRows);
    removed += gone;
  }
  return removed;
};
