/** Packs the alarms of past days for the statistics. Docs: docs/decisions/0185-alarms-packed-by-day.md */

import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { packed } from './day-rows.ts';

const dayMs = 86_400_000;
const everyMs = 5 * 60_000;
/** A day is packed when almost all of its alarms have arrived and been handled. */
const openMs = 2 * dayMs;
/**
 * No transaction that changes alarms lasts this long: all that began before the days were closed have ended.
 */
const settleMs = 4 * 60_000;
const lock = 'alarm_days';

/**
 * Makes writers note changed alarms up to a time. Returns the time up to which all writers note changes;
 * null: not yet.
 */
const closeDays = async (db: Db, now: number): Promise<Date | null> => {
  const until = new Date(Math.floor((now - openMs) / dayMs) * dayMs);
  const { rows } = await sql<{ until: Date; since: Date }>`
    select until, since from alarm_days_closed`.execute(db);
  const closed = rows[0];
  const settled = closed && closed.since.getTime() <= now - settleMs ? closed.until : null;
  // Otherwise the wait of days that are being closed would start again.
  if (!closed || (settled && settled < until))
    await sql`
      insert into alarm_days_closed (until, since) values (${until}, ${new Date(now)})
      on conflict (id) do update set until = excluded.until, since = excluded.since
      where alarm_days_closed.until < excluded.until`.execute(db);
  return settled;
};

/** One statement, so that the noted changes and the packed alarms are of the same moment. */
const packDay = (db: Db, day: string) =>
  db.transaction().execute(async (trx) => {
    // An older state never replaces a newer one, even if two nodes pack the same day.
    await sql`select pg_advisory_xact_lock(hashtext(${lock}))`.execute(trx);
    await sql`
      with gone as (delete from alarm_days_changed where day = ${day}::date)
      insert into alarm_days (day, files, raised, packed)
      select ${day}::date, alarm_files(), count(*), ${packed}
      from counted_alarms() a
      where a.raised_at >= ${day}::date::timestamp at time zone 'UTC'
        and a.raised_at < (${day}::date + 1)::timestamp at time zone 'UTC'
      on conflict (day) do update set files = excluded.files, raised = excluded.raised, packed = excluded.packed`.execute(
      trx,
    );
  });

/** Packs closed days that are not packed yet or have changed. Returns their number. */
export const packDays = async (db: Db, now: number, signal?: AbortSignal): Promise<number> => {
  const until = await closeDays(db, now);
  if (!until) return 0;
  const { rows } = await sql<{ day: string }>`
    select closed.at::date as day from generate_series(
        least((select (min(raised_at) at time zone 'UTC')::date from counted_alarms()), (select min(day) from alarm_days)),
        (${until}::timestamptz at time zone 'UTC')::date - 1, interval '1 day') closed (at)
    where not exists (select from alarm_days d where d.day = closed.at::date and d.files = alarm_files()
      and not exists (select from alarm_days_changed c where c.day = d.day))
    order by 1 desc`.execute(db);
  let made = 0;
  for (const { day } of rows) {
    if (signal?.aborted) break;
    await packDay(db, day);
    made += 1;
  }
  return made;
};

export const alarmDaysWork = (db: Db): TimedWork => ({
  name: 'alarmDays',
  next: every(everyMs),
  run: async ({ now, signal }) => ({ made: await packDays(db, now, signal) }),
});
