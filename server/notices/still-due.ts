/** Which alarms a claimed delivery still has to report: facts may have changed since it was planned. */
import { type Selectable, sql } from 'kysely';
import { isGrave } from '#contract/alarm-traits.ts';
import type { DeliveryReason } from '#contract/deliveries.ts';
import type { Db } from '#database/connect.ts';
import type { NoticesTable } from '#database/tables/notices.ts';
import { seesAlarm } from '#server/core/alarm-scope.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import type { Scope } from '#server/core/scope.ts';
import { needlessAllClears } from './all-clear.ts';
import { type Delivery, endClaim } from './claim.ts';
import type { Fact } from './facts.ts';
import { byGravity, covers, noLevel } from './notices.rules.ts';

/** An alarm in a delivery, and the rule that asked for it; several rules may have asked for the same one. */
export interface Source {
  readonly alarmId: number;
  readonly noticeId: number | null;
}
export interface Known {
  readonly rules: ReadonlyMap<number, Selectable<NoticesTable>>;
  /** The recipients and the owners of rules that may still get or cause notices. */
  readonly active: ReadonlySet<number>;
  /** What recipients and owners of rules see. */
  readonly scopes: ReadonlyMap<number, Scope>;
  readonly sources: ReadonlyMap<Delivery, readonly Source[]>;
  readonly facts: ReadonlyMap<number, Fact>;
}

/** The alarms of each delivery: its own, and those that were grouped with it. */
export const sourcesOf = async (
  db: Db,
  rows: readonly Delivery[],
): Promise<ReadonlyMap<Delivery, readonly Source[]>> => {
  const { rows: followers } = await sql<{ lead_id: number; alarm_id: number; notice_id: number | null }>`
    select distinct lead_id, alarm_id, notice_id from deliveries
    where lead_id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(db);
  const ofLead = Map.groupBy(followers, ({ lead_id }) => lead_id);
  return new Map(
    rows
      .filter(({ kind }) => kind !== 'test')
      .map((row) => [
        row,
        [row, ...(ofLead.get(row.id) ?? [])].map(({ alarm_id, notice_id }) => ({
          alarmId: alarm_id,
          noticeId: notice_id,
        })),
      ]),
  );
};

type Reasons = ReadonlyMap<number, DeliveryReason>;

/**
 * Returns the alarms that a delivery still has to report, most severe first, and the delivery itself: it is the entry
 * of one of them. Entries of the other alarms are ended with the reason why no report is needed.
 */
export const stillDue = async (
  db: Db,
  row: Delivery,
  known: Known,
  now: number,
): Promise<{ row: Delivery; facts: Fact[] }> => {
  const ids = [...new Set((known.sources.get(row) ?? []).map(({ alarmId }) => alarmId))];
  const facts = ids.flatMap((id) => known.facts.get(id) ?? []);
  const shelved = row.kind === 'cleared' || row.kind === 'urged' ? [] : shelvedOf(facts, now);
  const needless: Reasons = new Map<number, DeliveryReason>([
    ...shelved.map((id) => [id, 'shelved'] as const),
    ...(row.kind === 'cleared'
      ? await needlessAllClears(db, row, ids)
      : await needlessOf(db, ids, known.facts)),
    ...facts.flatMap((fact) => {
      const reason = forbidden(row, fact, known);
      return reason === null ? [] : [[fact.alarmId, reason] as const];
    }),
  ]);
  const kept = facts.filter(({ alarmId }) => !needless.has(alarmId)).sort(byGravity);
  // What a morning's digest leaves out is in a later one, unless it is too severe to wait for a digest.
  if (row.kind !== 'cleared' && (row.kind !== 'digest' || isGrave(row)))
    await announceAgain(
      db,
      ids.filter((id) => known.facts.get(id)?.explained !== false),
    );
  await announceAgain(
    db,
    shelved.filter((id) => needless.get(id) === 'shelved'),
  );
  const [first] = kept;
  const leading = first && needless.has(row.alarm_id) ? await handOver(db, row, first.alarmId) : row;
  for (const [reason, group] of Map.groupBy(needless.keys(), (id) => needless.get(id)!))
    await sql`update deliveries set reason = ${reason}, ended_at = ${new Date(now)}
      where lead_id = ${row.id} and alarm_id = any(${[...group]}::bigint[])`.execute(db);
  if (!first) {
    const reason = needless.get(row.alarm_id) ?? 'deleted';
    await endClaim(db, row, { state: 'suppressed', reason, ended_at: new Date(now) });
  }
  return { row: leading, facts: kept };
};

/**
 * Why the recipient may no longer be notified of an alarm; null: the recipient may. An all-clear goes to every user who
 * was notified, also if the rule was changed or deleted; a webhook belongs to the owner of its rule.
 */
const forbidden = (row: Delivery, fact: Fact, known: Known): DeliveryReason | null => {
  const { rules, active, scopes } = known;
  const sees = (userId: number) => seesAlarm(scopes.get(userId) ?? nothing, fact);
  if (row.user_id !== null && !sees(row.user_id)) return 'recipient_scope';
  if (row.kind === 'cleared' && row.user_id !== null) return null;
  const reasons = (known.sources.get(row) ?? [])
    .filter(({ alarmId }) => alarmId === fact.alarmId)
    .map(({ noticeId }): DeliveryReason | null => {
      const rule = rules.get(noticeId ?? 0);
      if (!rule) return null;
      if (row.kind !== 'cleared' && !active.has(rule.owner_id)) return 'owner_disabled';
      return sees(rule.owner_id) ? endedBy(rule, row, fact) : 'owner_scope';
    });
  return reasons.includes(null) ? null : (reasons[0] ?? null);
};

/** Why a rule no longer asks for what waits: it was switched off, deleted or changed meanwhile. */
const endedBy = (
  rule: Selectable<NoticesTable>,
  row: Delivery,
  fact: Fact,
): 'disabled' | 'rule_changed' | null => {
  if (rule.deleted_at !== null) return 'disabled';
  if (row.kind === 'cleared') return null;
  if (!rule.enabled) return 'disabled';
  // An alarm whose level rose since is still one that the rule asked for.
  const isOfLevel = rule.levels.length === 0 || rule.levels.some((level) => level <= fact.level);
  return covers(rule, fact) && isOfLevel && names(rule, row) ? null : 'rule_changed';
};
/** Which account a contact had is not known here. */
const names = (rule: Selectable<NoticesTable>, { user_id }: Delivery): boolean =>
  rule.channel === 'webhook'
    ? user_id === null
    : user_id !== null && (rule.to_contacts || rule.user_ids.includes(user_id));
const nothing: Scope = { all: false, projectIds: [], partIds: [], partProjectIds: [] };

/** A user shelved them while this message waited. An operator's reminder is sent all the same. */
const shelvedOf = (facts: readonly Fact[], now: number): number[] =>
  facts.flatMap(({ alarmId, shelvedUntil }) =>
    shelvedUntil !== null && shelvedUntil > now ? [alarmId] : [],
  );

/** Alarms that no longer need this message, and why: handled, explained by another alarm, or deleted. */
const needlessOf = async (
  db: Db,
  ids: readonly number[],
  facts: ReadonlyMap<number, Fact>,
): Promise<Reasons> => {
  const handled = ids.filter((id) => facts.get(id)?.processed === true);
  const gone = ids.filter((id) => facts.get(id)?.explained !== false);
  const explained =
    gone.length === 0
      ? []
      : await db
          .selectFrom('alarms')
          .select('id')
          .where('id', 'in', gone)
          .where(notDeleted('alarms'))
          .execute();
  return new Map<number, DeliveryReason>([
    ...handled.map((id) => [id, 'handled'] as const),
    ...gone.map((id) => [id, 'deleted'] as const),
    ...explained.map(({ id }) => [id, 'consequence'] as const),
  ]);
};

/**
 * These became consequences of another alarm, or were shelved, before their notice left: when they appear again, they
 * are still to be announced.
 */
const announceAgain = async (db: Db, alarmIds: readonly number[]): Promise<void> => {
  if (alarmIds.length > 0)
    await db.updateTable('alarm_notices').set({ level: noLevel }).where('alarm_id', 'in', alarmIds).execute();
};

/**
 * The delivery reports others but not its own alarm: it becomes the entry of one that it reports, and that one's entry
 * says why this alarm is left out.
 */
const handOver = async (db: Db, row: Delivery, alarmId: number): Promise<Delivery> => {
  const { rows } = await sql<Delivery>`
    with other as (
      select id from deliveries where lead_id = ${row.id} and alarm_id = ${alarmId} order by id limit 1
    ), pair as (
      select ${row.id}::bigint as id, id as giver from other
      union all select id, ${row.id}::bigint from other
    )
    update deliveries d set line_id = o.line_id, alarm_id = o.alarm_id, notice_id = o.notice_id, kind = o.kind,
      recipient = o.recipient, device_id = o.device_id, code = o.code, severity = o.severity,
      contact = o.contact, called_at = o.called_at
    from pair join deliveries o on o.id = pair.giver where d.id = pair.id
    returning d.*`.execute(db);
  return rows.find(({ id }) => id === row.id) ?? row;
};
