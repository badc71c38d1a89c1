/** Sends claimed deliveries and writes their results. */

import { type Selectable, sql } from 'kysely';
import { DateTime } from 'luxon';
import { alarmName } from '#contract/alarm-names.ts';
import { isGrave } from '#contract/alarm-traits.ts';
import type { DeliveryReason } from '#contract/deliveries.ts';
import { languages as knownLanguages, type Language } from '#contract/languages.ts';
import { messageText, shortState } from '#contract/message-words.ts';
import type { Db } from '#database/connect.ts';
import type { NoticesTable } from '#database/tables/notices.ts';
import { isActiveAccount } from '#server/core/account.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import type { Vault } from '#server/core/vault.ts';
import { defaultZone } from '#server/core/zone.ts';
import { postMessage } from '#server/messages/messages.store.ts';
import { needlessAllClears } from './all-clear.ts';
import type { Delivery } from './claim.ts';
import { type Fact, factsOf } from './facts.ts';
import { byGravity, namedAtOnce, noLevel, waitBefore } from './notices.rules.ts';
import { failed, type Outcome } from './outcome.ts';
import { pushPayload, unitOf, type Words, webhookPayload, wordsOf } from './payload.ts';
import { goneOf, type Subscription, sendPush, subscriptionsOf } from './push.ts';
import { type PushKeys, pushKeys } from './push-keys.ts';
import { readWays, type Ways } from './ways.ts';
import { sendWebhook } from './webhook.ts';
import { openTarget } from './webhook-target.ts';
import { sendWechat } from './wechat.ts';
import type { WechatAlarm } from './wechat-fields.ts';

/** Digests and all-clears that wait for the same target become one message. */
const isMerged = ({ kind }: Delivery) => kind === 'digest' || kind === 'cleared';

/**
 * Adds due deliveries of the same kind and target to this one. Those of severity 1 and 2 only as far as the
 * message can name them; the others follow in the next one.
 */
const merge = async (db: Db, lead: Delivery, now: number): Promise<void> => {
  await sql`update deliveries set state = 'suppressed', reason = 'grouped', lead_id = ${lead.id}, ended_at = ${new Date(now)}
    where state = 'queued' and id in (
      select id from (
        select id, severity, row_number() over (order by severity, id) as n from deliveries
        where state = 'queued' and kind = ${lead.kind} and target = ${lead.target} and channel = ${lead.channel}
          and due_at <= ${new Date(now)} and id <> ${lead.id}) waiting
      where severity > 2 or n < ${namedAtOnce[lead.channel]})`.execute(db);
};

export interface Sender {
  readonly db: Db;
  readonly vault: Vault;
  readonly publicUrl: string;
  /** The time limit of one request. */
  readonly limitMs: number;
  now(): number;
  /** These users have a new message. */
  posted(userIds: readonly number[]): void;
}

/** What deliveries that were claimed together need; it is read once for all of them. */
interface Common {
  readonly ways: Ways;
  readonly keys: PushKeys;
  readonly rules: ReadonlyMap<number, Selectable<NoticesTable>>;
  /** The recipients and the owners of rules that may still get or cause notices. */
  readonly active: ReadonlySet<number>;
  /** The languages that users chose. */
  readonly languages: ReadonlyMap<number, Language | undefined>;
  readonly subscriptions: ReadonlyMap<number, readonly Subscription[]>;
  readonly alarmIds: ReadonlyMap<Delivery, readonly number[]>;
  readonly facts: ReadonlyMap<number, Fact>;
}

const readCommon = async ({ db, vault, now }: Sender, rows: readonly Delivery[]): Promise<Common> => {
  for (const row of rows) if (isMerged(row)) await merge(db, row, now());
  const alarmIds = await alarmIdsOf(db, rows);
  const facts = await factsOf(db, [...new Set([...alarmIds.values()].flat())]);
  const noticeIds = rows.flatMap(({ notice_id }) => notice_id ?? []);
  const rules = await db
    .selectFrom('notices')
    .selectAll()
    .where('id', 'in', [0, ...noticeIds])
    .execute();
  const userIds = [0, ...rows.flatMap(({ user_id }) => user_id ?? [])];
  const users = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'users.preferences', isActiveAccount.as('active')])
    .where('users.id', 'in', [...userIds, ...rules.map(({ owner_id }) => owner_id)])
    .execute();
  return {
    ways: await readWays(db),
    keys: await pushKeys(db, vault, now()),
    rules: new Map(rules.map((rule) => [rule.id, rule])),
    active: new Set(users.filter(({ active }) => active).map(({ id }) => id)),
    languages: new Map(users.map(({ id, preferences }) => [id, knownLanguage(preferences['language'])])),
    subscriptions: await subscriptionsOf(db, userIds),
    alarmIds,
    facts: new Map(facts.map((fact) => [fact.alarmId, fact])),
  };
};

/** The alarms that each delivery reports: its own, and those that were grouped with it. */
const alarmIdsOf = async (
  db: Db,
  rows: readonly Delivery[],
): Promise<ReadonlyMap<Delivery, readonly number[]>> => {
  const { rows: followers } = await sql<{ lead_id: number; alarm_id: number }>`
    select distinct lead_id, alarm_id from deliveries
    where lead_id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(db);
  const ofLead = Map.groupBy(followers, ({ lead_id }) => lead_id);
  return new Map(
    rows
      .filter(({ kind }) => kind !== 'test')
      .map((row) => [
        row,
        [...new Set([row.alarm_id, ...(ofLead.get(row.id) ?? []).map(({ alarm_id }) => alarm_id)])],
      ]),
  );
};

/**
 * The alarms that a delivery still has to report, most severe first. Deliveries of
 * the other alarms are ended with the reason why no report is needed.
 */
const alarmsOf = async (db: Db, row: Delivery, common: Common, now: number): Promise<Fact[]> => {
  const ids = common.alarmIds.get(row) ?? [];
  const facts = ids.flatMap((id) => common.facts.get(id) ?? []);
  const needless: ReadonlyMap<number, string> =
    row.kind === 'cleared' ? await needlessAllClears(db, row, ids) : await needlessOf(db, ids, common.facts);
  const kept = facts.filter(({ alarmId }) => !needless.has(alarmId));
  // What a morning's digest leaves out is in a later one, unless it is too severe to wait for a digest.
  if (row.kind !== 'cleared' && (row.kind !== 'digest' || isGrave(row)))
    await announceAgain(
      db,
      ids.filter((id) => common.facts.get(id)?.explained !== false),
    );
  for (const [reason, group] of Map.groupBy(needless.keys(), (id) => needless.get(id)!))
    await sql`update deliveries set reason = ${reason}, ended_at = ${new Date(now)}
      where lead_id = ${row.id} and alarm_id = any(${[...group]}::bigint[])`.execute(db);
  if (kept.length === 0) {
    const reason = needless.get(row.alarm_id) ?? 'deleted';
    await end(db, row, { state: 'suppressed', reason, ended_at: new Date(now) });
  }
  return kept.sort(byGravity);
};

/** Alarms that no longer need this message, and why: handled, explained by another alarm, or deleted. */
const needlessOf = async (
  db: Db,
  ids: readonly number[],
  facts: ReadonlyMap<number, Fact>,
): Promise<ReadonlyMap<number, DeliveryReason>> => {
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
 * These became consequences of another alarm before their notice left: if they appear again, they are still to
 * be announced.
 */
const announceAgain = async (db: Db, alarmIds: readonly number[]): Promise<void> => {
  if (alarmIds.length > 0)
    await db.updateTable('alarm_notices').set({ level: noLevel }).where('alarm_id', 'in', alarmIds).execute();
};

/** Writes the result of this claim. A late result counts, unless the row was claimed again meanwhile. */
const end = async (
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

/** Sends deliveries that were claimed together and writes their results: for each, when that is done. */
export const deliverAll = (sender: Sender, rows: readonly Delivery[]): Promise<void>[] => {
  if (rows.length === 0) return [];
  const common = readCommon(sender, rows);
  return rows.map(async (row) => {
    // If the common query fails, each delivery reads its own data, so that one that always fails delays no
    // other.
    const known = await common.catch(() => readCommon(sender, [row]));
    return deliver(sender, row, known);
  });
};

/**
 * An account was disabled or deleted since the delivery was planned. An all-clear still goes to whoever was notified,
 * whatever became of the rule.
 */
const isTooLate = (row: Delivery, { rules, active }: Common): DeliveryReason | null => {
  if (row.user_id !== null && !active.has(row.user_id)) return 'account_disabled';
  const rule = rules.get(row.notice_id ?? 0);
  if (rule && row.kind !== 'cleared' && row.kind !== 'test' && !active.has(rule.owner_id))
    return 'owner_disabled';
  return null;
};

const deliver = async (sender: Sender, row: Delivery, common: Common): Promise<void> => {
  const { db } = sender;
  const reason = isTooLate(row, common);
  if (reason) return end(db, row, { state: 'suppressed', reason, ended_at: new Date(sender.now()) });
  const facts = row.kind === 'test' ? [] : await alarmsOf(db, row, common, sender.now());
  if (facts.length === 0 && row.kind !== 'test') return;
  const alarms = Math.max(1, facts.length);
  if (alarms !== row.alarms)
    await db.updateTable('deliveries').set({ alarms }).where('id', '=', row.id).execute();
  if (isMerged(row)) await postMerged(sender, row, facts);
  const outcome = await sendBy(sender, row, facts, common);
  await reportGone(sender, row, outcome);
  const now = sender.now();
  const again = outcome.result === 'retry' ? waitBefore(row.attempts, outcome.retryAfter, now) : null;
  if (outcome.reason === 'quota') await byPushInstead(db, row, now);
  const detail = JSON.stringify(outcome.detail);
  if (again !== null)
    await end(db, row, { state: 'queued', reason: outcome.reason, due_at: new Date(now + again), detail });
  else {
    const state = outcome.result === 'accepted' ? 'accepted' : 'failed';
    await end(db, row, { state, reason: outcome.reason, ended_at: new Date(now), detail });
  }
};

/**
 * WeChat takes no more messages of this account today: its users get the same as a push, once. The WeChat message is
 * tried again as well.
 */
const byPushInstead = async (db: Db, row: Delivery, now: number): Promise<void> => {
  if (row.channel !== 'wechat' || row.kind === 'test') return;
  await sql`
    insert into deliveries (line_id, alarm_id, notice_id, kind, channel, recipient, user_id, target, device_id, code,
      severity, state, due_at, created_at)
    select d.line_id, d.alarm_id, d.notice_id, d.kind, 'app', d.recipient, d.user_id, d.target, d.device_id, d.code,
      d.severity, 'queued', ${new Date(now)}, ${new Date(now)}
    from deliveries d
    where (d.id = ${row.id} or d.lead_id = ${row.id} and d.reason = 'grouped') and not exists (
      select from deliveries other where other.alarm_id = d.alarm_id and other.target = d.target
        and other.channel = 'app' and other.kind = d.kind and other.created_at >= d.created_at)
    order by d.id`.execute(db);
};

/** The message in the console; messages of other kinds are written when they are planned. */
const postMerged = async (sender: Sender, row: Delivery, facts: readonly Fact[]): Promise<void> => {
  const [fact, ...others] = facts;
  if (!fact || row.user_id === null) return;
  sender.posted(
    await postMessage(sender.db, {
      userIds: [row.user_id],
      type: 'alarm',
      key: row.kind === 'digest' ? 'alarm.digest' : 'alarm.cleared',
      data: wordsOf(fact, others, sender.now()),
      projectId: fact.projectId,
      deviceId: fact.deviceId || null,
      alarmId: fact.alarmId,
      // An all-clear that goes out through several channels is one message in the console.
      dedupe: row.kind === 'digest' ? `digest ${row.id}` : `cleared ${fact.alarmId}`,
      now: sender.now(),
    }),
  );
};

/** Writes a message to a user whose subscription expired: Web Push must be allowed there again. */
const reportGone = async ({ db, now, posted }: Sender, row: Delivery, outcome: Outcome): Promise<void> => {
  const gone = goneOf(outcome.detail);
  if (row.user_id === null || gone.length === 0) return;
  posted(
    await postMessage(db, {
      userIds: [row.user_id],
      type: 'system',
      key: 'push.gone',
      dedupe: `push ${gone.join(' ')}`,
      now: now(),
    }),
  );
};

const sendBy = async (
  sender: Sender,
  row: Delivery,
  facts: readonly Fact[],
  { ways, keys, rules, languages, subscriptions }: Common,
): Promise<Outcome> => {
  const rule = rules.get(row.notice_id ?? 0);
  const language = languages.get(row.user_id ?? 0) ?? knownLanguage(rule?.language) ?? ways.language;
  const [fact, ...others] = facts;
  const words: Words = {
    ...messageText(
      language,
      fact && row.kind !== 'test' ? `alarm.${row.kind}` : 'notice.test',
      fact ? wordsOf(fact, others, sender.now()) : {},
    ),
    url:
      fact && sender.publicUrl
        ? `${sender.publicUrl}/home/alarmList?alarm=${fact.alarmId}`
        : sender.publicUrl,
    language,
  };
  if (row.channel === 'webhook') {
    if (!rule?.webhook_url) return failed('gone');
    const target = openTarget(sender.vault, { ...rule, webhook_url: rule.webhook_url });
    if (target === null) return failed('secret_unreadable');
    return sendWebhook({
      ...target,
      deliveryId: row.id,
      payload: webhookPayload(row, facts, words),
      now: sender.now(),
      limitMs: sender.limitMs,
      allowPrivate: ways.private_targets,
    });
  }
  if (row.user_id === null) return failed('no_account');
  if (row.channel === 'app')
    return sendPush(sender.db, {
      subscriptions: subscriptions.get(row.user_id) ?? [],
      payload: pushPayload(row, facts, words),
      urgent: row.kind !== 'cleared' && (row.severity === 1 || row.kind === 'urged'),
      before: row.detail,
      keys,
      limitMs: sender.limitMs,
      allowPrivate: ways.private_targets,
    });
  return byWechat(sender, ways, row, facts, words);
};

const knownLanguage = (given: unknown) => knownLanguages.find((known) => known === given);

const byWechat = async (
  sender: Sender,
  ways: Ways,
  row: Delivery,
  facts: readonly Fact[],
  words: Words,
): Promise<Outcome> => {
  const follower = await sender.db
    .selectFrom('wechat_followers')
    .select('openid')
    .where('user_id', '=', row.user_id)
    .executeTakeFirst();
  if (!follower) return failed('no_openid');
  return sendWechat(sender.db, {
    ways,
    vault: sender.vault,
    openid: follower.openid,
    deliveryId: row.id,
    url: words.url,
    alarm: wechatAlarmOf(row, facts, words),
    now: sender.now(),
    limitMs: sender.limitMs,
  });
};

const timeFormat = 'yyyy-MM-dd HH:mm:ss';
const wechatAlarmOf = (row: Delivery, facts: readonly Fact[], { language, title }: Words): WechatAlarm => {
  const [fact] = facts;
  const timeOf = (at: number) =>
    DateTime.fromMillis(at, { zone: fact?.zone ?? defaultZone }).toFormat(timeFormat);
  if (!fact) {
    const none = { type: '', device: '', lineN: 0, lineName: '', value: '', workOrder: '', more: 0 };
    return { ...none, level: title, project: title, time: timeOf(row.created_at.getTime()) };
  }
  return {
    level: shortState(language, row.kind, fact.level),
    type: alarmName(language, fact.code),
    project: fact.projectName,
    device: fact.deviceName || fact.deviceNumber,
    lineN: fact.lineN,
    lineName: fact.lineName,
    value: fact.value === null ? '' : `${fact.value} ${unitOf(fact)}`.trim(),
    time: timeOf(row.kind === 'cleared' ? (fact.clearedAt ?? fact.raisedAt) : fact.raisedAt),
    workOrder: fact.workOrder,
    more: facts.length - 1,
  };
};
