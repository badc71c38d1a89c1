import { randomBytes } from 'node:crypto';
import type { Db } from '#database/connect.ts';
import { isActiveAccount } from '#server/core/account.ts';
import { hashToken } from '#server/core/session.ts';

const lifeMs = 30 * 60_000;

/** A sign-in link for the first administrator, valid once within half an hour. */
export const oneTimeLink = async (db: Db, base: string, now: number): Promise<string | null> => {
  const admin = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select('users.id')
    .where('roles.code', '=', 1)
    .where(isActiveAccount)
    .orderBy('users.id')
    .executeTakeFirst();
  if (!admin) return null;
  const link = randomBytes(24).toString('base64url');
  await db.deleteFrom('one_time_links').where('expires_at', '<', new Date(now)).execute();
  await db
    .insertInto('one_time_links')
    .values({ token_hash: hashToken(link), user_id: admin.id, expires_at: new Date(now + lifeMs) })
    .execute();
  return `${base}/?link=${link}`;
};

/** Redeems a link; returns its user, or null if it was used, is too old or never existed. */
export const spendLink = async (db: Db, link: string, now: number): Promise<number | null> => {
  const used = await db
    .deleteFrom('one_time_links')
    .where('token_hash', '=', hashToken(link))
    .where('expires_at', '>', new Date(now))
    .returning('user_id')
    .executeTakeFirst();
  return used?.user_id ?? null;
};

export const forgetLinks = (db: Db, userId: number) =>
  db.deleteFrom('one_time_links').where('user_id', '=', userId).execute();
