import { ECDH } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import webpush from 'web-push';
import type { Db } from '#database/connect.ts';
import type { PushSubscriptionsTable } from '#database/tables/notices.ts';
import { send } from './http.ts';
import { accepted, failed, type Outcome, refusedWith, unanswered } from './outcome.ts';
import type { PushKeys } from './push-keys.ts';

const subject = 'mailto:push@ampwatch.invalid';
const lifeSeconds = { urgent: 3600, other: 12 * 3600 };

const mostSubscriptions = 20;
const authBytes = 16;

/** RFC 8291: a point on the curve P-256 and 16 bytes. Other keys cannot be used for encryption. */
export const isPushKey = (keys: { p256dh: string; auth: string }): boolean => {
  if (Buffer.from(keys.auth, 'base64url').length !== authBytes) return false;
  try {
    ECDH.convertKey(keys.p256dh, 'prime256v1', 'base64url', 'base64url', 'compressed');
    return true;
  } catch {
    return false;
  }
};

/** Each push goes to all consoles of a user: the oldest subscriptions beyond the limit are ended. */
export const keepNewestSubscriptions = (db: Db, userId: number) =>
  sql`delete from push_subscriptions where id in (select id from push_subscriptions where user_id = ${userId}
    order by created_at desc, id desc offset ${mostSubscriptions})`.execute(db);

interface Place {
  readonly host: string;
  readonly result: Outcome['result'] | 'gone';
  readonly status?: number;
  readonly id: number;
}

/** Ids of the consoles that the push service reported as expired. */
export const goneOf = (detail: Readonly<Record<string, unknown>>): number[] =>
  (Array.isArray(detail['places']) ? (detail['places'] as Place[]) : [])
    .filter((place) => place.result === 'gone')
    .map((place) => place.id);

export type Subscription = Selectable<PushSubscriptionsTable>;

/** The installed consoles of users. */
export const subscriptionsOf = async (
  db: Db,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Subscription[]>> => {
  const rows = await db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('user_id', 'in', [...userIds])
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, ({ user_id }) => user_id);
};

const signedForMs = 600_000;
const mostSigned = 1_000;
const signed = new Map<string, { readonly headers: Record<string, string>; readonly at: number }>();
/**
 * The proof to a push service that a push comes from this installation. It is valid for 12 hours and costs
 * more than the rest of a push, so one is used for ten minutes; a new one is made when the clock was set back.
 */
const signatureFor = (endpoint: string, publicKey: string, privateKey: string): Record<string, string> => {
  const { origin } = new URL(endpoint);
  const key = `${origin} ${privateKey}`;
  const now = Date.now();
  const known = signed.get(key);
  if (known && known.at <= now && now < known.at + signedForMs) return known.headers;
  const headers = { ...webpush.getVapidHeaders(origin, subject, publicKey, privateKey, 'aes128gcm') };
  if (signed.size >= mostSigned) signed.clear();
  signed.set(key, { headers, at: now });
  return headers;
};

/**
 * Web Push to every installed console of a user. An expired subscription (404, 410) is dropped; successful
 * ones are stored in the delivery, and a retry skips them.
 */
export const sendPush = async (
  db: Db,
  given: {
    subscriptions: readonly Subscription[];
    payload: Record<string, unknown>;
    urgent: boolean;
    before: Readonly<Record<string, unknown>>;
    keys: PushKeys;
    allowPrivate: boolean;
    limitMs: number;
  },
): Promise<Outcome> => {
  const { publicKey, privateKey } = given.keys;
  if (privateKey === null) return failed('secret_unreadable');
  const { subscriptions } = given;
  const had = Array.isArray(given.before['places']) ? (given.before['places'] as Place[]) : [];
  const done = had.filter((place) => place.result === 'accepted');
  if (subscriptions.length === 0 && done.length === 0) return failed('no_subscription');
  const tried = await Promise.all(
    subscriptions
      .filter(({ id }) => !done.some((place) => place.id === id))
      .map(async (subscription): Promise<{ place: Place; outcome: Outcome }> => {
        const { endpoint, p256dh, auth } = subscription;
        const place = { id: subscription.id, host: new URL(endpoint).host };
        if (!isPushKey({ p256dh, auth })) {
          await db.deleteFrom('push_subscriptions').where('id', '=', subscription.id).execute();
          return { place: { ...place, result: 'gone' }, outcome: failed('gone') };
        }
        const details = webpush.generateRequestDetails(
          { endpoint, keys: { p256dh, auth } },
          JSON.stringify(given.payload),
          {
            TTL: given.urgent ? lifeSeconds.urgent : lifeSeconds.other,
            urgency: given.urgent ? 'high' : 'normal',
            headers: signatureFor(endpoint, publicKey, privateKey),
          },
        );
        const { 'Content-Length': _length, ...headers } = details.headers as Record<string, string | number>;
        const answer = await send(endpoint, {
          method: 'POST',
          headers,
          body: details.body ?? '',
          timeoutMs: given.limitMs,
          allowPrivate: given.allowPrivate,
        });
        if (!answer.ok) {
          const outcome = unanswered(answer);
          return { place: { ...place, result: outcome.result }, outcome };
        }
        const { status } = answer;
        if (status === 404 || status === 410) {
          await db.deleteFrom('push_subscriptions').where('id', '=', subscription.id).execute();
          return { place: { ...place, result: 'gone', status }, outcome: failed('gone', { status }) };
        }
        const outcome = status < 300 ? accepted({ status }) : refusedWith(answer);
        return { place: { ...place, result: outcome.result, status }, outcome };
      }),
  );
  const places = [...done, ...tried.map(({ place }) => place)];
  const worst =
    tried.find(({ outcome }) => outcome.result === 'retry') ??
    (places.some((place) => place.result === 'accepted')
      ? undefined
      : tried.find(({ outcome }) => outcome.result === 'failed'));
  return worst ? { ...worst.outcome, detail: { ...worst.outcome.detail, places } } : accepted({ places });
};
