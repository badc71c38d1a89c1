/** The queue's other end: claims due rows of the ledger, sends each once, and writes down what became of it. */
import { type Selectable, sql } from 'kysely';
import { DateTime } from 'luxon';
import { alarmName } from '#contract/alarm-names.ts';
import { type Language, languages } from '#contract/languages.ts';
import { messageText } from '#contract/message-words.ts';
import type { Db } from '#database/connect.ts';
import type { DeliveriesTable, NoticeChannel } from '#database/tables/notices.ts';
import { postMessage } from '#server/messages/messages.store.ts';
import { type Fact, factsOf } from './notices.facts.ts';
import { failed, type Outcome } from './notices.outcome.ts';
import { wordsOf } from './notices.plan.ts';
import { goneOf, sendPush } from './notices.push.ts';
import { retryAfter } from './notices.rules.ts';
import { readWays, type VapidKeys, type Ways } from './notices.ways.ts';
import { sendWebhook } from './notices.webhook.ts';
import { sendWechat } from './notices.wechat.ts';

export type Delivery = Selectable<DeliveriesTable>;
/** A try that takes longer than this has no end that we know of. */
const lostMs = 120_000;

/**
 * Takes rows that are due, at most one per target, and marks them sent before anything leaves: a server that ends in
 * between leaves them 'interrupted' rather than sending twice.
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
      select q.id from deliveries q
      where q.state = 'queued' and q.channel = ${channel} and q.due_at <= ${new Date(now)}
        and not q.target = any(${[...busy]}::text[])
        and not exists (select from deliveries e where e.state = 'queued' and e.channel = q.channel
          and e.target = q.target and (e.due_at, e.id) < (q.due_at, q.id))
      order by q.due_at, q.id limit ${limit} for update skip locked)
    update deliveries d set state = 'sent', sent_at = ${new Date(now)}, attempts = attempts + 1
    from due where d.id = due.id returning d.*`.execute(db);
  return rows;
};

/** Tries that nobody knows the end of. */
export const tidy = async (db: Db, now: number): Promise<void> => {
  await sql`update deliveries set state = 'failed', reason = 'interrupted', ended_at = ${new Date(now)}
    where state = 'sent' and sent_at < ${new Date(now - lostMs)}`.execute(db);
};

/** A digest tells of everything that waited for the same person and way. */
const swallow = async (db: Db, lead: Delivery, now: number): Promise<number> => {
  await sql`update deliveries d set state = 'suppressed', reason = 'handled', ended_at = ${new Date(now)}
    from alarms a
    where d.state = 'queued' and d.kind = 'digest' and d.target = ${lead.target} and d.channel = ${lead.channel}
      and d.due_at <= ${new Date(now)} and a.line_id = d.line_id and a.id = d.alarm_id
      and (a.processed or a.deleted_at is not null)`.execute(db);
  const { rows } = await sql<{ alarm_id: number }>`
    update deliveries set state = 'suppressed', reason = 'grouped', lead_id = ${lead.id}, ended_at = ${new Date(now)}
    where state = 'queued' and kind = 'digest' and target = ${lead.target} and channel = ${lead.channel}
      and due_at <= ${new Date(now)} and id <> ${lead.id}
    returning alarm_id`.execute(db);
  const alarms = new Set([lead.alarm_id, ...rows.map((row) => row.alarm_id)]).size;
  await db.updateTable('deliveries').set({ alarms }).where('id', '=', lead.id).execute();
  return alarms;
};

export interface Sender {
  readonly db: Db;
  readonly keys: VapidKeys;
  readonly publicUrl: string;
  /** The longest that one request may take. */
  readonly limitMs: number;
  now(): number;
  /** These users have a new message. */
  told(userIds: readonly number[]): void;
}

/** Sends one claimed row and writes its outcome. */
export const deliver = async (sender: Sender, row: Delivery): Promise<void> => {
  const { db } = sender;
  const [fact] = row.kind === 'test' ? [] : await factsOf(db, [row.alarm_id]);
  const idle = row.kind !== 'test' && row.kind !== 'urged' && (fact === undefined || fact.processed);
  const first = !idle && row.kind === 'digest' && row.attempts === 1;
  const alarms = first ? await swallow(db, row, sender.now()) : row.alarms;
  if (first && fact && row.user_id !== null)
    sender.told(
      await postMessage(db, {
        userIds: [row.user_id],
        type: 'alarm',
        key: 'alarm.digest',
        data: wordsOf(fact, alarms),
        projectId: fact.projectId,
        deviceId: fact.deviceId || null,
        alarmId: fact.alarmId,
        dedupe: `digest ${row.id}`,
        now: sender.now(),
      }),
    );
  const outcome: Outcome | 'handled' = idle ? 'handled' : await sendBy(sender, row, fact, alarms);
  if (outcome !== 'handled') await tellGone(sender, row, outcome);
  const now = sender.now();
  const ended = { ended_at: new Date(now) };
  const again = outcome !== 'handled' && outcome.result === 'retry' ? retryAfter(row.attempts) : null;
  const set =
    outcome === 'handled'
      ? { state: 'suppressed' as const, reason: 'handled', ...ended }
      : again !== null
        ? { state: 'queued' as const, reason: outcome.reason, due_at: new Date(now + again) }
        : {
            state: outcome.result === 'accepted' ? ('accepted' as const) : ('failed' as const),
            reason: outcome.reason,
            ...ended,
          };
  await db
    .updateTable('deliveries')
    .set({ ...set, ...(outcome === 'handled' ? {} : { detail: JSON.stringify(outcome.detail) }) })
    .where('id', '=', row.id)
    .where('state', '=', 'sent')
    .execute();
};

/** Who has lost a console finds it among the messages: it has to be allowed anew there. */
const tellGone = async ({ db, now, told }: Sender, row: Delivery, outcome: Outcome): Promise<void> => {
  const gone = goneOf(outcome.detail);
  if (row.user_id === null || gone.length === 0) return;
  told(
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
  fact: Fact | undefined,
  alarms: number,
): Promise<Outcome> => {
  const { db } = sender;
  const ways = await readWays(db);
  const rule =
    row.notice_id === null
      ? undefined
      : await db.selectFrom('notices').selectAll().where('id', '=', row.notice_id).executeTakeFirst();
  const language = (await chosenLanguage(db, row.user_id)) ?? knownLanguage(rule?.language) ?? ways.language;
  const data = fact ? wordsOf(fact, alarms) : { alarms };
  const { title, text } = messageText(language, fact ? `alarm.${row.kind}` : 'notice.test', data);
  const url =
    fact && sender.publicUrl ? `${sender.publicUrl}/home/alarmList?alarm=${fact.alarmId}` : sender.publicUrl;
  if (row.channel === 'webhook') {
    if (!rule?.webhook_url) return failed('gone');
    return sendWebhook({
      url: rule.webhook_url,
      secret: rule.webhook_secret,
      deliveryId: row.id,
      payload: payloadOf(row, fact, alarms, title, text),
      now: sender.now(),
      limitMs: sender.limitMs,
      allowPrivate: ways.private_targets,
    });
  }
  if (row.user_id === null) return failed('no_account');
  if (row.channel === 'app')
    return sendPush(db, {
      userId: row.user_id,
      payload: payloadOf(row, fact, alarms, title, text),
      urgent: row.severity === 1 || row.kind === 'urged',
      before: row.detail,
      keys: sender.keys,
      limitMs: sender.limitMs,
      allowPrivate: ways.private_targets,
    });
  return byWechat(sender, ways, row, fact, { title, text, url, language });
};

const knownLanguage = (given: unknown) => languages.find((known) => known === given);
/** The reader's own choice. */
const chosenLanguage = async (db: Db, userId: number | null): Promise<Language | undefined> => {
  if (userId === null) return undefined;
  const user = await db.selectFrom('users').select('preferences').where('id', '=', userId).executeTakeFirst();
  return knownLanguage(user?.preferences['language']);
};

const byWechat = async (
  sender: Sender,
  ways: Ways,
  row: Delivery,
  fact: Fact | undefined,
  words: { title: string; text: string; url: string; language: Language },
): Promise<Outcome> => {
  const follower = await sender.db
    .selectFrom('wechat_followers')
    .select('openid')
    .where('user_id', '=', row.user_id)
    .executeTakeFirst();
  if (!follower) return failed('no_openid');
  return sendWechat(sender.db, {
    ways,
    openid: follower.openid,
    deliveryId: row.id,
    url: words.url,
    title: words.title,
    text: words.text,
    type: fact ? alarmName(words.language, fact.code) : '',
    time: DateTime.fromJSDate(row.created_at, { zone: fact?.zone ?? 'Asia/Shanghai' }).toFormat(
      'yyyy-MM-dd HH:mm:ss',
    ),
    now: sender.now(),
    limitMs: sender.limitMs,
  });
};

const payloadOf = (
  row: Delivery,
  fact: Fact | undefined,
  alarms: number,
  title: string,
  text: string,
): Record<string, unknown> => ({
  delivery_id: row.id,
  kind: row.kind,
  title,
  text,
  time: row.created_at.toISOString(),
  alarms,
  ...(fact
    ? {
        alarm_id: fact.alarmId,
        typeNumber: fact.code,
        level: fact.level,
        severity: fact.severity,
        device_id: fact.deviceId,
        project_id: fact.projectId,
        late: fact.late,
      }
    : {}),
});
