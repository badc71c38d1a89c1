/** The installation's notification channels, as stored in `settings`. */

import * as z from 'zod';
import type { BodyOf } from '#contract/endpoint.ts';
import { languages } from '#contract/languages.ts';
import { type noticeEndpoints, wechatFields, wechatFieldsUnset } from '#contract/notices.ts';
import type { Db } from '#database/connect.ts';
import {
  forgetSetting,
  lockSetting,
  readSetting,
  rewriteSetting,
  writeSetting,
} from '#server/core/settings.ts';
import { openSecret, sealSecret } from '#server/core/stored-secret.ts';
import type { Vault } from '#server/core/vault.ts';

const shape = z.object({
  app_id: z.string().default(''),
  /** Encrypted, in base64; empty: none. */
  sealed_secret: z.string().default(''),
  template_id: z.string().default(''),
  fields: wechatFields.default(wechatFieldsUnset),
  base_url: z.string().default('https://api.weixin.qq.com'),
  private_targets: z.boolean().default(false),
  language: z.enum(languages).default('zh-CN'),
});
export type Ways = z.output<typeof shape>;
const key = 'notices';
const owner = 'settings:notices.app_secret';

export const readWays = async (db: Db): Promise<Ways> => shape.parse((await readSetting(db, key)) ?? {});

/** The secret of the WeChat account; empty: none. Null: it was encrypted with another key. */
export const wechatSecret = (vault: Vault, { sealed_secret }: Ways): string | null =>
  openSecret(vault, sealed_secret, owner);

/** The format of earlier versions. */
const plainShape = z.looseObject({ app_secret: z.string() });
/** Encrypts the secret if it is stored as plain text. */
export const sealWays = async (trx: Db, vault: Vault): Promise<void> => {
  const stored = plainShape.safeParse(await lockSetting(trx, key));
  if (!stored.success) return;
  const { app_secret, ...others } = stored.data;
  await rewriteSetting(trx, key, { ...others, sealed_secret: sealSecret(vault, app_secret, owner) });
};

/** Key of the stored WeChat token; see `wechat.ts`. */
export const tokenKey = 'wechat_token';

/**
 * A secret belongs to its address and account: when one of them changes, it is deleted, and so is the cached
 * token.
 */
export const changeWays = async (
  db: Db,
  vault: Vault,
  { app_secret, ...given }: BodyOf<typeof noticeEndpoints.setWays>,
  now: number,
): Promise<void> => {
  const before = await readWays(db);
  const moved = before.base_url !== given.base_url || before.app_id !== given.app_id;
  const kept = moved ? '' : before.sealed_secret;
  const sealed_secret = app_secret === undefined ? kept : sealSecret(vault, app_secret, owner);
  await writeSetting(db, key, { ...given, sealed_secret }, now);
  const isAnother = app_secret !== undefined && app_secret !== wechatSecret(vault, before);
  if (moved || isAnother) await forgetSetting(db, tokenKey);
};
