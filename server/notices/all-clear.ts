/** Who was notified of an alarm, so that the same people are notified of its end through the same channel. */
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { NoticeChannel } from '#database/tables/notices.ts';
import type { Fact } from './facts.ts';

export interface NotifiedTarget {
  readonly alarmId: number;
  readonly target: string;
  readonly channel: NoticeChannel;
  readonly recipient: string;
  readonly userId: number | null;
  readonly noticeId: number | null;
}

/**
 * A delivery that notified its recipient, or will: sent, under way, named by another message, or suppressed
 * because the recipient had just received the same alarm (silence period). A digest counts once it is sent.
 */
const notifies = sql<boolean>`d.kind not in ('test', 'cleared') and (
  d.state in ('sent', 'accepted') or (d.state = 'queued' and d.kind <> 'digest') or d.reason in ('grouped', 'silence'))`;

/**
 * `chain`: each of these alarms with itself and the earlier alarms that it follows (`member_id`). A handled alarm that
 * another one follows gets no all-clear, because the condition persists: its recipients get that of the last alarm.
 */
const withEarlier = (alarmIds: readonly number[]) => sql`recursive chain as (
    select a.line_id, a.id as alarm_id, a.id as member_id, a.previous_id
    from alarms a where a.id = any(${[...alarmIds]}::bigint[])
    union
    select chain.line_id, chain.alarm_id, earlier.id, earlier.previous_id
    from chain join alarms earlier on earlier.line_id = chain.line_id and earlier.id = chain.previous_id
  )`;

export const notifiedTargetsOf = async (
  db: Db,
  facts: readonly Fact[],
): Promise<ReadonlyMap<number, readonly NotifiedTarget[]>> => {
  if (facts.length === 0) return new Map();
  const { rows } = await sql<NotifiedTarget>`
    with ${withEarlier(facts.map((fact) => fact.alarmId))}
    select distinct on (chain.alarm_id, d.target, d.channel) chain.alarm_id as "alarmId", d.target, d.channel, d.recipient,
      d.user_id as "userId", d.notice_id as "noticeId"
    from chain join deliveries d on d.alarm_id = chain.member_id where ${notifies}
    order by chain.alarm_id, d.target, d.channel, (d.notice_id is not null), d.id`.execute(db);
  return Map.groupBy(rows, (row) => row.alarmId);
};

/**
 * Alarms of an all-clear that its recipient does not need: the recipient never got the alarm, or the alarm
 * has returned and its own end will follow, because it continues the same work order or the recipient was notified of it.
 */
export const needlessAllClears = async (
  db: Db,
  row: { target: string; channel: NoticeChannel },
  alarmIds: readonly number[],
): Promise<ReadonlyMap<number, 'active_again' | 'not_notified'>> => {
  const { rows } = await sql<{ id: number; reason: 'active_again' | 'not_notified' | null }>`
    with ${withEarlier(alarmIds)}, again as (
      select a.id as of, again.line_id, again.id, again.previous_id
      from alarms a join counted_alarms() again on again.line_id = a.line_id and again.phase = a.phase
        and again.code = a.code and again.cleared_at is null
      where a.id = any(${[...alarmIds]}::bigint[])
      union
      select again.of, earlier.line_id, earlier.id, earlier.previous_id
      from again join alarms earlier on earlier.line_id = again.line_id and earlier.id = again.previous_id
    )
    select a.id, case
      when exists (select from again where again.of = a.id and (again.id = a.id or exists (
        select from deliveries d where d.alarm_id = again.id and d.target = ${row.target}
          and d.channel = ${row.channel} and ${notifies}))) then 'active_again'
      when not exists (select from chain join deliveries d on d.alarm_id = chain.member_id
          left join deliveries lead on lead.id = d.lead_id
        where chain.alarm_id = a.id and d.target = ${row.target} and d.channel = ${row.channel} and ${notifies}
          and (d.reason is distinct from 'grouped' or lead.state = 'accepted')) then 'not_notified'
      end as reason
    from alarms a where a.id = any(${[...alarmIds]}::bigint[])`.execute(db);
  return new Map(rows.flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason]])));
};
