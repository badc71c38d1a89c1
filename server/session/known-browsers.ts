import { randomBytes } from 'node:crypto';
import type { Db } from '#database/connect.ts';
import { hashToken } from '#server/core/session.ts';

const mostOfUser = 10;

/** Whether the user has signed in before in the browser with this token. */
export const isKnownBrowser = async (db: Db, userId: number, token: string | undefined): Promise<boolean> =>
  token !== undefined &&
  (await db
    .selectFrom('known_browsers')
    .select('user_id')
    .where('token_hash', '=', hashToken(token))
    .where('user_id', '=', userId)
    .executeTakeFirst()) !== undefined;

/**
 * Remembers the browser of a sign-in and returns its new token. The ten most recently used browsers of each
 * user are remembered.
 */
export const rememberBrowser = async (
  db: Db,
  { userId, token, now }: { userId: number; token: string | undefined; now: number },
): Promise<string> => {
  if (token !== undefined)
    await db.deleteFrom('known_browsers').where('token_hash', '=', hashToken(token)).execute();
  const made = randomBytes(32).toString('base64url');
  await db
    .insertInto('known_browsers')
    .values({ token_hash: hashToken(made), user_id: userId, used_at: new Date(now) })
    .execute();
  const old = await db
    .selectFrom('known_browsers')
    .select('token_hash')
    .where('user_id', '=', userId)
    .orderBy('used_at', 'desc')
    .offset(mostOfUser)
    .execute();
  for (const { token_hash } of old)
    await db.deleteFrom('known_browsers').where('token_hash', '=', token_hash).execute();
  return made;
};

export const forgetBrowsers = (db: Db, userId: number) =>
  db.deleteFrom('known_browsers').where('user_id', '=', userId).execute();
