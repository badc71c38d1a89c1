import { randomUUID } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { Db } from '#database/connect.ts';
import { hashToken } from '#server/core/session.ts';

/** A four-digit code, shown as a picture or as a question in words. */
export interface Code {
  digits: string;
  image: string;
  question: string;
}

/** Stores the code's answer until it is redeemed or expires; the caller gets the rest. */
export const keepCaptcha = async (db: Db, now: number, { digits, image, question }: Code) => {
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
  return { code_id, image, question };
};

/** True once for the right answer within its time and number of tries; a right answer is always used up. */
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
