/** Shelving alarms for a time (ISA-18.2), and unshelving them earlier. */
import { sql } from 'kysely';
import type { alarmEndpoints } from '#contract/alarms.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { clocksDifferMs } from '#server/core/recent.ts';
import { type Actor, act, type Outcome } from './handle.ts';

/**
 * The notices of these alarms are looked at no later than then, however late the last shelving would have ended: in
 * the transaction that changes the shelving, because a lost event would otherwise keep the reminders back.
 */
const planNoticesBy = async (db: Db, alarmIds: readonly number[], at: Date): Promise<void> => {
  await sql`update alarm_notices set next_at = least(next_at, ${at})
    where alarm_id = any(${[...alarmIds]}::bigint[])`.execute(db);
};

/** Ends the shelving of those rows of `table` that meet the condition; returns their `alarm_id`. */
export const endShelvingSql = (table: string, condition: string): string => `
    delete from shelved_alarms s using ${table}
    where ${condition} and s.line_id = ${table}.line_id and s.alarm_id = ${table}.id
    returning s.alarm_id`;

/** Only active, unprocessed alarms; shelving again restarts the time. */
export const shelveAlarms = async (
  db: Db,
  actor: Actor,
  { ids, minutes, reason }: BodyOf<typeof alarmEndpoints.shelve>,
): Promise<Outcome> => {
  const at = new Date(actor.now);
  const until = new Date(actor.now + minutes * 60_000);
  await sql`delete from shelved_alarms where until <= ${at}`.execute(db);
  const outcome = await act(
    db,
    actor,
    { ids },
    {
      kind: 'shelved',
      refuses: (row) => (row.processed ? 'processed' : row.cleared_at === null ? null : 'ended'),
      set: null,
      data: { until: until.toISOString(), reason, channel: actor.channel },
    },
  );
  if (outcome.changes.length > 0) {
    await db
      .insertInto('shelved_alarms')
      .values(
        outcome.changes.map(({ alarmId, lineId, level }) => ({
          alarm_id: alarmId,
          line_id: lineId,
          level,
          shelved_at: at,
          until,
          user_id: actor.userId,
          reason,
        })),
      )
      .onConflict((conflict) =>
        conflict.column('alarm_id').doUpdateSet((row) => ({
          level: row.ref('excluded.level'),
          shelved_at: row.ref('excluded.shelved_at'),
          until: row.ref('excluded.until'),
          user_id: row.ref('excluded.user_id'),
          reason: row.ref('excluded.reason'),
        })),
      )
      .execute();
    await planNoticesBy(
      db,
      outcome.changes.map((change) => change.alarmId),
      until,
    );
  }
  return outcome;
};

export const unshelveAlarms = async (db: Db, actor: Actor, ids: readonly number[]): Promise<Outcome> => {
  const { rows } = await sql<{ id: number }>`
    select alarm_id as id from shelvings
    where until > ${new Date(actor.now)} and alarm_id = any(${[...ids]}::bigint[])`.execute(db);
  const aside = new Set(rows.map((row) => row.id));
  const outcome = await act(
    db,
    actor,
    { ids },
    {
      kind: 'unshelved',
      refuses: (row) => (aside.has(row.id) ? null : 'unshelved'),
      set: null,
      data: { channel: actor.channel },
    },
  );
  const done = outcome.changes.map((change) => change.alarmId);
  await sql`delete from shelved_alarms where alarm_id = any(${done}::bigint[])`.execute(db);
  await planNoticesBy(db, done, new Date(actor.now));
  return outcome;
};

/**
 * The clock was set back: alarms that were shelved before would stay shelved for longer by the length of the step, so
 * they return at once.
 */
export const unshelveAfterSetBack = async (db: Db, now: number): Promise<void> => {
  const { rows } = await sql<{ id: number }>`
    delete from shelved_alarms where shelved_at > ${new Date(now + clocksDifferMs)} returning alarm_id as id`.execute(
    db,
  );
  await planNoticesBy(
    db,
    rows.map(({ id }) => id),
    new Date(now),
  );
};
