/** The installation's ways out, as kept in `settings`. */

import webpush from 'web-push';
import * as z from 'zod';
import type { BodyOf } from '#contract/endpoint.ts';
import { languages } from '#contract/languages.ts';
import { type noticeEndpoints, wechatFields, wechatFieldsUnset } from '#contract/notices.ts';
import type { Db } from '#database/connect.ts';
import { forgetSetting, readSetting, writeSetting, writeSettingOnce } from '#server/core/settings.ts';

const shape = z.object({
  app_id: z.string().default(''),
  app_secret: z.string().default(''),
  template_id: z.string().default(''),
  fields: wechatFields.default(wechatFieldsUnset),
  base_url: z.string().default('https://api.weixin.qq.com'),
  private_targets: z.boolean().default(false),
  language: z.enum(languages).default('zh-CN'),
});
export type Ways = z.output<typeof shape>;
const key = 'notices';

export const readWays = async (db: Db): Promise<Ways> => shape.parse((await readSetting(db, key)) ?? {});

/** Where the token of WeChat is kept; see `wechat.ts`. */
export const tokenKey = 'wechat_token';

/**
 * A secret belongs to the address and account that it was given for: where one of them changes, it is forgotten, and
 * so is the cached token.
 */
export const changeWays = async (
  db: Db,
  given: BodyOf<typeof noticeEndpoints.setWays>,
  now: number,
): Promise<void> => {
  const before = await readWays(db);
  const moved = before.base_url !== given.base_url || before.app_id !== given.app_id;
  const app_secret = given.app_secret ?? (moved ? '' : before.app_secret);
  await writeSetting(db, key, { ...given, app_secret }, now);
  if (moved || app_secret !== before.app_secret) await forgetSetting(db, tokenKey);
};

export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}
const vapidShape = z.object({ publicKey: z.string(), privateKey: z.string() });

/** The keys of Web Push, made once for the installation: new ones would make every subscription worthless. */
export const vapidKeys = async (db: Db, now: number): Promise<VapidKeys> => {
  const known = await readSetting(db, 'vapid');
  if (known !== undefined) return vapidShape.parse(known);
  await writeSettingOnce(db, 'vapid', webpush.generateVAPIDKeys(), now);
  return vapidShape.parse(await readSetting(db, 'vapid'));
};
