import * as z from 'zod';
import type { Db } from '#database/connect.ts';
import { readSetting, writeSetting } from '#server/core/settings.ts';
import type { Vault } from '#server/core/vault.ts';
import { send } from './http.ts';
import { accepted, failed, type Outcome, refusedWith, retry, unanswered } from './outcome.ts';
import { tokenKey, type Ways, wechatSecret } from './ways.ts';
import { type WechatAlarm, wechatData } from './wechat-fields.ts';

/** Source: WeChat official accounts, 'Template Message' and 'Get access token'. */
const aheadMs = 300_000;
const tokenRow = z.object({
  app_id: z.string(),
  base_url: z.string(),
  token: z.string(),
  expires_at: z.number(),
});
const tokenAnswer = z.object({
  access_token: z.string().optional(),
  expires_in: z.number().optional(),
  errcode: z.number().optional(),
  errmsg: z.string().optional(),
});
const sendAnswer = z.object({
  errcode: z.number(),
  errmsg: z.string().default(''),
  msgid: z.number().optional(),
});

const parse = <T>(schema: z.ZodType<T>, body: string): T | null => {
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    return null;
  }
};

/** The account with its decrypted secret. */
type Account = Ways & { secret: string };

/** 40001, 40014, 42001: the token is invalid or expired; 40003, 43004, 43101: that user cannot be reached. */
const tokenCodes: ReadonlySet<number> = new Set([40001, 40014, 42001]);
const notFollowing: ReadonlySet<number> = new Set([40003, 43004, 43101]);
const outcomeOf = (errcode: number, errmsg: string): Outcome => {
  const detail = { errcode, errmsg };
  if (notFollowing.has(errcode)) return failed('not_subscribed', detail);
  if (errcode === 45009) return retry('quota', detail);
  if (errcode === -1 || errcode === 45011) return retry('busy', detail);
  return tokenCodes.has(errcode) ? retry('refused', detail) : failed('refused', detail);
};

/**
 * The account's token, shared by all nodes: a new one invalidates the previous one, so it is requested only
 * if there is none, it is about to expire, or `refused` is the token that the service has refused.
 */
const tokenOf = async (
  db: Db,
  ways: Account,
  now: number,
  limitMs: number,
  refused?: string,
): Promise<string | Outcome> => {
  const known = async () => {
    const found = tokenRow.safeParse(await readSetting(db, tokenKey));
    return found.success &&
      found.data.app_id === ways.app_id &&
      found.data.base_url === ways.base_url &&
      found.data.expires_at - aheadMs > now
      ? found.data.token
      : null;
  };
  const shared = await known();
  if (shared !== null && shared !== refused) return shared;
  const query = new URLSearchParams({
    grant_type: 'client_credential',
    appid: ways.app_id,
    secret: ways.secret,
  });
  const answer = await send(`${ways.base_url}/cgi-bin/token?${query}`, {
    method: 'GET',
    timeoutMs: limitMs,
    allowPrivate: ways.private_targets,
  });
  if (!answer.ok && answer.failure === 'private_address') return unanswered(answer);
  // Nothing has been sent yet: even a request without an answer may be repeated.
  if (!answer.ok) return retry('unreachable', { error: answer.error, asking: 'token' });
  if (answer.status >= 300) return refusedWith(answer);
  const given = parse(tokenAnswer, answer.body);
  if (!given?.access_token)
    return outcomeOf(given?.errcode ?? -1, given?.errmsg ?? answer.body.slice(0, 200));
  const row = {
    app_id: ways.app_id,
    base_url: ways.base_url,
    token: given.access_token,
    expires_at: now + (given.expires_in ?? 7200) * 1000,
  };
  await writeSetting(db, tokenKey, row, now);
  return given.access_token;
};

const fetching = new Map<string, Promise<string | Outcome>>();
/**
 * Messages that need a token at the same time share one request, because a second token would end the first.
 */
const sharedToken = (
  db: Db,
  ways: Account,
  now: number,
  limitMs: number,
  refused?: string,
): Promise<string | Outcome> => {
  const key = JSON.stringify([ways.base_url, ways.app_id, ways.secret]);
  const begun =
    fetching.get(key) ?? tokenOf(db, ways, now, limitMs, refused).finally(() => fetching.delete(key));
  fetching.set(key, begun);
  return begun;
};

/**
 * A template message. WeChat has ignored `first` and `remark` since May 2023: all important values are in
 * mapped fields.
 */
export const sendWechat = async (
  db: Db,
  given: {
    ways: Ways;
    vault: Vault;
    openid: string;
    deliveryId: number;
    url: string;
    alarm: WechatAlarm;
    now: number;
    limitMs: number;
  },
): Promise<Outcome> => {
  const { now, limitMs } = given;
  const secret = wechatSecret(given.vault, given.ways);
  if (secret === null) return failed('secret_unreadable');
  const ways = { ...given.ways, secret };
  if (ways.app_id === '' || secret === '' || ways.template_id === '') return failed('not_configured');
  const body = JSON.stringify({
    touser: given.openid,
    template_id: ways.template_id,
    ...(given.url === '' ? {} : { url: given.url }),
    client_msg_id: `ampwatch-${given.deliveryId}`,
    data: wechatData(ways.fields, given.alarm),
  });
  let refused: string | undefined;
  for (;;) {
    const token = await sharedToken(db, ways, now, limitMs, refused);
    if (typeof token !== 'string') return token;
    const answer = await send(
      `${ways.base_url}/cgi-bin/message/template/send?access_token=${encodeURIComponent(token)}`,
      {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
        timeoutMs: limitMs,
        allowPrivate: ways.private_targets,
      },
    );
    if (!answer.ok) return unanswered(answer);
    if (answer.status >= 300) return refusedWith(answer);
    const said = parse(sendAnswer, answer.body);
    // A cut answer, or the page of a proxy: WeChat may have the message, and knows it by its id.
    if (!said) return retry('timeout', { answer: answer.body.slice(0, 300) });
    if (said.errcode === 0) return accepted({ msgid: said.msgid ?? null });
    if (!tokenCodes.has(said.errcode) || refused !== undefined) return outcomeOf(said.errcode, said.errmsg);
    refused = token;
  }
};
