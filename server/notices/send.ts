/** Sends claimed deliveries and writes their results. */

import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { alarmName } from '#contract/alarm-names.ts';
import { languages as knownLanguages, type Language } from '#contract/languages.ts';
import { messageText, shortState } from '#contract/message-words.ts';
import type { Db } from '#database/connect.ts';
import { isActiveAccount } from '#server/core/account.ts';
import { scopesOf } from '#server/core/scope.ts';
import { json } from '#server/core/stored-json.ts';
import type { Vault } from '#server/core/vault.ts';
import { defaultZone } from '#server/core/zone.ts';
import { postMessage } from '#server/messages/messages.store.ts';
import { type Delivery, endClaim, merge } from './claim.ts';
import { type Fact, factsOf } from './facts.ts';
import { waitBefore } from './notices.rules.ts';
import { failed, type Outcome } from './outcome.ts';
import { overOf, pushPayload, unitOf, type Words, webhookPayload, wordsOf } from './payload.ts';
import { goneOf, type Subscription, sendPush, subscriptionsOf } from './push.ts';
import { type PushKeys, pushKeys } from './push-keys.ts';
import { type Known, sourcesOf, stillDue } from './still-due.ts';
import { readWays, type Ways } from './ways.ts';
import { sendWebhook } from './webhook.ts';
import { openTarget } from './webhook-target.ts';
import { sendWechat } from './wechat.ts';
import type { WechatAlarm } from './wechat-fields.ts';

/** Digests and all-clears that wait for the same target become one message. */
const isMerged = ({ kind }: Delivery) => kind === 'digest' || kind === 'cleared';

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
interface Common extends Known {
  readonly ways: Ways;
  readonly keys: PushKeys;
  /** The languages that users chose. */
  readonly languages: ReadonlyMap<number, Language | undefined>;
  readonly subscriptions: ReadonlyMap<number, readonly Subscription[]>;
}

const readCommon = async ({ db, vault, now }: Sender, rows: readonly Delivery[]): Promise<Common> => {
  for (const row of rows) if (isMerged(row)) await merge(db, row, now());
  const sources = await sourcesOf(db, rows);
  const asked = [...sources.values()].flat();
  const facts = await factsOf(db, [...new Set(asked.map(({ alarmId }) => alarmId))]);
  const noticeIds = [...rows.map(({ notice_id }) => notice_id), ...asked.map(({ noticeId }) => noticeId)];
  const rules = await db
    .selectFrom('notices')
    .selectAll()
    .where('id', 'in', [0, ...new Set(noticeIds.flatMap((id) => id ?? []))])
    .execute();
  const userIds = [0, ...rows.flatMap(({ user_id }) => user_id ?? [])];
  const users = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'roles.code as role', 'users.preferences', isActiveAccount.as('active')])
    .where('users.id', 'in', [...userIds, ...rules.map(({ owner_id }) => owner_id)])
    .execute();
  return {
    ways: await readWays(db),
    keys: await pushKeys(db, vault, now()),
    rules: new Map(rules.map((rule) => [rule.id, rule])),
    active: new Set(users.filter(({ active }) => active).map(({ id }) => id)),
    languages: new Map(users.map(({ id, preferences }) => [id, knownLanguage(preferences['language'])])),
    subscriptions: await subscriptionsOf(db, userIds),
    scopes: await scopesOf(db, users),
    sources,
    facts: new Map(facts.map((fact) => [fact.alarmId, fact])),
  };
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

const deliver = async (sender: Sender, claimed: Delivery, common: Common): Promise<void> => {
  const { db } = sender;
  if (claimed.user_id !== null && !common.active.has(claimed.user_id)) {
    const ended_at = new Date(sender.now());
    return endClaim(db, claimed, { state: 'suppressed', reason: 'account_disabled', ended_at });
  }
  const { row, facts } =
    claimed.kind === 'test' ? { row: claimed, facts: [] } : await stillDue(db, claimed, common, sender.now());
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
  const detail = json(outcome.detail);
  if (again !== null)
    await endClaim(db, row, {
      state: 'queued',
      reason: outcome.reason,
      due_at: new Date(now + again),
      detail,
    });
  else {
    const state = outcome.result === 'accepted' ? 'accepted' : 'failed';
    await endClaim(db, row, { state, reason: outcome.reason, ended_at: new Date(now), detail });
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
      severity, state, due_at, created_at, contact, called_at)
    select d.line_id, d.alarm_id, d.notice_id, d.kind, 'app', d.recipient, d.user_id, d.target, d.device_id, d.code,
      d.severity, 'queued', ${new Date(now)}, ${new Date(now)}, d.contact, d.called_at
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
    level: shortState(language, { kind: row.kind, level: fact.level, ...overOf(facts) }),
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
