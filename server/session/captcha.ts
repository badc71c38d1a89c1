import { randomUUID } from 'node:crypto';
import { Resvg } from '@resvg/resvg-js';
import captcha from 'svg-captcha-fixed';
import type { Language } from '#contract/languages.ts';
import { limits } from '#contract/limits.ts';
import type { Db } from '#database/connect.ts';
import { hashToken } from '#server/core/session.ts';
import { spokenDigits } from './spoken-digits.ts';

export interface Captcha {
  code_id: string;
  image: string;
  question: string;
}

/** Makes a four-digit code: as a distorted PNG, or for those who cannot see it as a sentence to read or hear. */
export const makeCaptcha = async (
  db: Db,
  now: number,
  language: Language,
  alternative: boolean,
): Promise<Captcha> => {
  const { text: digits, data: svg } = captcha.create({
    size: limits.captchaDigits,
    charPreset: '0123456789',
    width: 132,
    height: 44,
    fontSize: 50,
    noise: 3,
    color: true,
    background: '#eef2f6',
  });
  const code_id = randomUUID();
  await db.deleteFrom('captchas').where('expires_at', '<', new Date(now)).execute();
  await db
    .insertInto('captchas')
    .values({
      id: code_id,
      answer_hash: hashToken(code_id + digits),
      expires_at: new Date(now + limits.captchaMs),
    })
    .execute();
  return alternative
    ? { code_id, image: '', question: spokenDigits(digits, language) }
    : { code_id, image: picture(svg), question: '' };
};

const picture = (svg: string): string =>
  `data:image/png;base64,${new Resvg(svg, { fitTo: { mode: 'zoom', value: 2 } }).render().asPng().toString('base64')}`;

/** True once for the right answer within its time and tries; a right answer is used up, whatever comes after it. */
export const redeemCaptcha = async (
  db: Db,
  codeId: string,
  answer: string,
  now: number,
): Promise<boolean> => {
  const used = await db
    .deleteFrom('captchas')
    .where('id', '=', codeId)
    .where('answer_hash', '=', hashToken(codeId + answer))
    .where('expires_at', '>', new Date(now))
    .where('tries', '<', limits.captchaTries)
    .executeTakeFirst();
  if (used.numDeletedRows === 1n) return true;
  await db
    .updateTable('captchas')
    .set((row) => ({ tries: row('tries', '+', 1) }))
    .where('id', '=', codeId)
    .execute();
  return false;
};
