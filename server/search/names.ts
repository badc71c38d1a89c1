import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { createPinyin, spokenOf, startsOf } from './pinyin.ts';

const everyMs = 60_000;
const atOnce = 20_000;

/** Adds the pinyin of Chinese names in use that are not indexed yet. Returns how many. */
export const learnNames = async (db: Db, signal?: AbortSignal): Promise<number> => {
  let made = 0;
  let read: ReturnType<typeof createPinyin> | null = null;
  while (!signal?.aborted) {
    const { rows } = await sql<{ name: string }>`
      select name from (
        select name from projects where ${notDeleted('projects')}
        union select name from devices where ${notDeleted('devices')}
        union select name from lines where n > 0
        union select name from persons) used
      where name ~ '[\u4e00-\u9fff]' and not exists (select from search_names known where known.name = used.name)
      limit ${atOnce}`.execute(db);
    if (rows.length === 0) break;
    read ??= createPinyin(await db.selectFrom('regions').select(['shortname as name', 'pinyin']).execute());
    const reader = read;
    const known = rows.map(({ name }) => {
      const spoken = reader(name);
      return { name, starts: startsOf(spoken), spoken: spokenOf(spoken) };
    });
    await sql`
      insert into search_names (name, pieces, starts, spoken)
      select name, array(
        select distinct substr(lower(name), at, size)
        from generate_series(1, length(name)) at, generate_series(1, 2) size), starts, spoken
      from jsonb_to_recordset(${JSON.stringify(known)}::jsonb) as known (name text, starts text, spoken text)
      on conflict do nothing`.execute(db);
    made += rows.length;
    if (rows.length < atOnce) break;
  }
  return made;
};

export const searchNamesJob = (db: Db): TimedWork => ({
  name: 'searchNames',
  next: every(everyMs),
  run: async ({ signal }) => ({ made: await learnNames(db, signal) }),
});
