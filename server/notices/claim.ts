/** Claims due deliveries with a lease: at least once, also if the process is killed while it sends. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { DeliveriesTable, NoticeChannel } from '#database/tables/notices.ts';
import { mostAttempts, namedAtOnce } from './notices.rules.ts';

export type Delivery = Selectable<DeliveriesTable>;
/**
 * Longer than an attempt can take (at most four requests of 10 s). After this time a claim without a result
 * is free again.
 */
export const leaseMs = 60_000;

/** Of a delivery `w`: an all-clear waits until the notices of its alarm to the same target have ended. */
const isFree = sql`(w.kind <> 'cleared' or (w.alarm_id, w.target) not in (select e.alarm_id, e.target from deliveries e
  where e.channel = w.channel and e.state in ('queued', 'sent') and e.kind not in ('cleared', 'digest')))`;

/** Claims due deliveries, at most one per target, most severe first. */
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
          and not w.target = any(${[...busy]}::text[]) and ${isFree}
        order by w.target, (w.kind = 'cleared'), w.severity, w.due_at, w.id)
      order by q.severity, q.due_at, q.id limit ${limit} for update skip locked)
    update deliveries d set state = 'sent', sent_at = ${new Date(now)}, attempts = attempts + 1
    from due where d.id = due.id returning d.*`.execute(db);
  return rows;
};

/**
 * Adds due deliveries of the same kind and target to this one. Those of severity 1 and 2 only as far as the
 * message can name them; the others follow in the next one. What was tried before stays as it was: its receiver may
 * have it, and recognises a repetition by its id.
 */
export const merge = async (db: Db, lead: Delivery, now: number): Promise<void> => {
  if (lead.attempts > 1) return;
  await sql`update deliveries set state = 'suppressed', reason = 'grouped', lead_id = ${lead.id}, ended_at = ${new Date(now)}
    where state = 'queued' and id in (
      select id from (
        select w.id, w.severity, row_number() over (order by w.severity, w.id) as n from deliveries w
        where w.state = 'queued' and w.kind = ${lead.kind} and w.target = ${lead.target} and w.channel = ${lead.channel}
          and w.due_at <= ${new Date(now)} and w.id <> ${lead.id} and w.attempts = 0 and ${isFree}) waiting
      where severity > 2 or n < ${namedAtOnce[lead.channel]})`.execute(db);
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
  const end = (trx: Db) =>
    trx
      .updateTable('deliveries')
      .set(set)
      .where('id', '=', row.id)
      .where('attempts', '=', row.attempts)
      .where('state', 'in', ['sent', 'queued'])
      .execute();
  if (set.state === 'accepted' || set.state === 'queued') await end(db);
  else
    await db.transaction().execute(async (trx) => {
      await end(trx);
      await lookAgain(trx, [row.id], set.ended_at ?? row.due_at);
    });
};

/** These reached nobody: if they called a contact, the next look at their alarms calls the next one. */
const lookAgain = async (trx: Db, ids: readonly number[], now: Date): Promise<void> => {
  await sql`
    with held as (
      select n.alarm_id from alarm_notices n
      where n.alarm_id in (select d.alarm_id from deliveries d
        where (d.id = any(${ids}::bigint[]) or d.lead_id = any(${ids}::bigint[])) and d.called_at is not null)
      order by n.alarm_id for update)
    update alarm_notices n set next_at = least(n.next_at, ${now}) from held where n.alarm_id = held.alarm_id`.execute(
    trx,
  );
};

/** Frees deliveries with an expired lease: their process was killed or is stuck. */
export const freeExpiredLeases = async (db: Db, now: number): Promise<void> => {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: number; state: string }>`
      update deliveries set reason = 'interrupted', due_at = ${new Date(now)},
        state = case when attempts < ${mostAttempts} then 'queued' else 'failed' end,
        ended_at = case when attempts < ${mostAttempts} then null else ${new Date(now)}::timestamptz end
      where state = 'sent' and (sent_at < ${new Date(now - leaseMs)} or sent_at > ${new Date(now + leaseMs)})
      returning id, state`.execute(trx);
    const failed = rows.flatMap(({ id, state }) => (state === 'failed' ? [id] : []));
    if (failed.length > 0) await lookAgain(trx, failed, new Date(now));
  });
};
