import { randomInt } from 'node:crypto';
import * as z from 'zod';
import type { Language } from '#contract/languages.ts';
import { limits } from '#contract/limits.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { createLane } from '#server/core/lane.ts';
import { isRecent } from '#server/core/recent.ts';
import {
  forgetSetting,
  lockSetting,
  readSetting,
  rewriteSetting,
  writeSetting,
} from '#server/core/settings.ts';
import { openSecret, sealSecret } from '#server/core/stored-secret.ts';
import type { Vault } from '#server/core/vault.ts';
import { send } from '#server/notices/http.ts';

const smsSetting = 'sms';
const tokenOwner = 'settings:sms.token';
const betweenMs = 60_000;
const mostADay = 10;
const dayMs = 86_400_000;
const tries = 5;
const gatewayMs = 5_000;
const shownMessages = 50;

const gatewayShape = z.object({
  url: z.string(),
  /** Encrypted, in base64; empty: the gateway needs none. */
  sealed_token: z.string(),
  allow_private: z.boolean().default(false),
});
type SmsGateway = z.output<typeof gatewayShape>;
/** The format of earlier versions. */
const plainShape = z.looseObject({ token: z.string() });

const texts: Record<Language, (code: string) => string> = {
  'zh-CN': (code) => `【Ampwatch】验证码 ${code}，5 分钟内有效。请勿告诉他人。`,
  'en-US': (code) => `Ampwatch: your code is ${code}. It is valid for 5 minutes. Do not pass it on.`,
  'ru-RU': (code) => `Ampwatch: код ${code}, действует 5 минут. Никому его не сообщайте.`,
};
/** A slow gateway occupies a few database connections, never all of them. */
const lane = createLane({ atOnce: 2, waiting: 20 });

export const smsGateway = async (db: Db): Promise<SmsGateway | null> => {
  const read = gatewayShape.safeParse(await readSetting(db, smsSetting));
  return read.success ? read.data : null;
};
/** The gateway's token; empty: none. Null: it was encrypted with another key. */
export const smsToken = (vault: Vault, { sealed_token }: SmsGateway): string | null =>
  openSecret(vault, sealed_token, tokenOwner);

/** Changes the gateway; without a token the stored one does not change. Null removes the gateway. */
export const setSmsGateway = async (
  db: Db,
  vault: Vault,
  given: { url: string; token?: string | undefined; allow_private?: boolean | undefined } | null,
  now: number,
): Promise<void> => {
  if (given === null) return forgetSetting(db, smsSetting);
  const known = await smsGateway(db);
  const { url, token, allow_private = known?.allow_private ?? false } = given;
  const sealed_token =
    token === undefined ? (known?.sealed_token ?? '') : sealSecret(vault, token, tokenOwner);
  await writeSetting(db, smsSetting, { url, sealed_token, allow_private } satisfies SmsGateway, now);
};

/** Encrypts the token if it is stored as plain text. */
export const sealSmsGateway = async (trx: Db, vault: Vault): Promise<void> => {
  const stored = plainShape.safeParse(await lockSetting(trx, smsSetting));
  if (!stored.success) return;
  const { token, ...others } = stored.data;
  await rewriteSetting(trx, smsSetting, { ...others, sealed_token: sealSecret(vault, token, tokenOwner) });
};

const tooMany = (ms: number): never =>
  fault('request.tooMany', { with: { seconds: Math.max(1, Math.ceil(ms / 1000)) } });

const needsPause = async (db: Db, userId: number, now: number): Promise<void> => {
  const last = await db
    .selectFrom('sms_codes')
    .select('sent_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const sentAt = last?.sent_at.getTime();
  if (sentAt !== undefined && isRecent(sentAt, now, betweenMs)) tooMany(betweenMs - (now - sentAt));
  const { count } = await db
    .selectFrom('sms_outbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('at', '>', new Date(now - dayMs))
    .executeTakeFirstOrThrow();
  if (count >= mostADay) tooMany(dayMs);
};

/**
 * Sends a four-digit code to a number, as JSON `{mobile, text, code}` to the configured gateway; without a
 * gateway the text is in the administrators' outbox. Throws `request.tooMany` or `sms.failed`.
 */
export const sendCode = async (
  db: Db,
  vault: Vault,
  given: { userId: number; mobile: string; language: Language; now: number },
): Promise<void> => {
  const { userId, mobile, language, now } = given;
  await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
  await needsPause(db, userId, now);
  const code = String(randomInt(0, 10_000)).padStart(4, '0');
  const row = {
    mobile,
    code_hash: vault.mac(`${userId} ${mobile} ${code}`),
    tries: 0,
    sent_at: new Date(now),
    expires_at: new Date(now + limits.smsMs),
  };
  await db
    .insertInto('sms_codes')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
  const gateway = await smsGateway(db);
  const text = texts[language](code);
  const error = gateway === null ? null : await lane(() => deliver(vault, gateway, { mobile, text, code }));
  await db
    .insertInto('sms_outbox')
    .values({
      at: new Date(now),
      user_id: userId,
      mobile,
      state: gateway === null ? 'kept' : error === null ? 'sent' : 'failed',
      text: gateway === null ? text : null,
      error,
    })
    .execute();
  if (error !== null) throw new Fault('sms.failed', { commit: true });
};

/** Null if the gateway accepted the message, else the reason. */
const deliver = async (
  vault: Vault,
  gateway: SmsGateway,
  message: { mobile: string; text: string; code: string },
): Promise<string | null> => {
  const token = smsToken(vault, gateway);
  if (token === null) return 'token_unreadable';
  const answer = await send(gateway.url, {
    method: 'POST',
    timeoutMs: gatewayMs,
    allowPrivate: gateway.allow_private,
    headers: {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(message),
  });
  if (!answer.ok) return answer.failure;
  return answer.status >= 200 && answer.status < 300 ? null : `HTTP ${answer.status}`;
};

/** Redeems the code for this number, once. Throws the fault of the field `sms_code`. */
export const takeCode = async (
  db: Db,
  vault: Vault,
  { userId, mobile, code, now }: { userId: number; mobile: string; code: string; now: number },
): Promise<void> => {
  const row = await db
    .updateTable('sms_codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('user_id', '=', userId)
    .where('mobile', '=', mobile)
    .where('expires_at', '>', new Date(now))
    .where('tries', '<', tries)
    .returning('code_hash')
    .executeTakeFirst();
  if (!row?.code_hash.equals(vault.mac(`${userId} ${mobile} ${code}`)))
    throw new Fault('request.invalid', { fields: { sms_code: 'sms.code' }, commit: true });
  // Used up whatever another call takes for the present time.
  await db.updateTable('sms_codes').set({ tries }).where('user_id', '=', userId).execute();
};

export const smsOutbox = async (db: Db) => {
  const rows = await db
    .selectFrom('sms_outbox')
    .innerJoin('users', 'users.id', 'sms_outbox.user_id')
    .select([
      'sms_outbox.id',
      'sms_outbox.at',
      'sms_outbox.mobile',
      'sms_outbox.state',
      'sms_outbox.text',
      'sms_outbox.error',
      'users.username',
    ])
    .orderBy('sms_outbox.id', 'desc')
    .limit(shownMessages)
    .execute();
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
};
