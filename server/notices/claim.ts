/** Claims due deliveries with a lease: at least once, also if the process is killed while it sends. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { DeliveriesTable, NoticeChannel } from '#database/tables/notices.ts';
import { mostAttempts } from './notices.rules.ts';

export type Delivery = Selectable<DeliveriesTable>;
/**
 * Longer than an attempt can take (at most four requests of 10 s). After this time a claim without a result
 * is free again.
 */
export const leaseMs = 60_000;

/**
 * Claims due deliveries, at most one per target, most severe first. An all-clear waits until the notices of
 * its alarm to the same target have ended.
 */
export const claim = async (
  db: Db,
  channel: NoticeChannel,
  busy: readonly string[],
  limit: number,
  now: number,
): Promise<Delivery[]> => {
  const { rows } = await sql<Delivery>`
    with due as (
      select q.id from deliveries q where q.state = 'queued' and q.id in (
        select distinct on (w.target) w.id from deliveries w
        where w.state = 'queued' and w.channel = ${channel} and w.due_at <= ${new Date(now)}
          and not w.target = any(${[...busy]}::text[])
          and (w.kind <> 'cleared' or (w.alarm_id, w.target) not in (select e.alarm_id, e.target from deliveries e
            where e.channel = ${channel} and e.state in ('queued', 'sent') and e.kind not in ('cleared', 'digest')))
        order by w.target, (w.kind = 'cleared'), w.severity, w.due_at, w.id)
      order by q.severity, q.due_at, q.id limit ${limit} for update skip locked)
    update deliveries d set state = 'sent', sent_at = ${new Date(now)}, attempts = attempts + 1
    from due where d.id = due.id returning d.*`.execute(db);
  return rows;
};

/** Writes the result of this claim. A late result counts, unless the row was claimed again meanwhile. */
export const endClaim = async (
  db: Db,
  row: Delivery,
  set: {
    state: 'queued' | 'accepted' | 'failed' | 'suppressed';
    reason: string | null;
    ended_at?: Date;
    due_at?: Date;
    detail?: string;
  },
): Promise<void> => {
  await db
    .updateTable('deliveries')
    .set(set)
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
    .where('state', 'in', ['sent', 'queued'])
    .execute();
};

/** Frees deliveries with an expired lease: their process was killed or is stuck. */
export const freeExpiredLeases = async (db: Db, now: number): Promise<void> => {
  await sql`update deliveries set reason = 'interrupted', due_at = ${new Date(now)},
      state = case when attempts < ${mostAttempts} then 'queued' else 'failed' end,
      ended_at = case when attempts < ${mostAttempts} then null else ${new Date(now)}::timestamptz end
    where state = 'sent' and (sent_at < ${new Date(now - leaseMs)} or sent_at > ${new Date(now + leaseMs)})`.execute(
    db,
  );
};
