import type { Db } from '#database/connect.ts';

/**
 * Ends Web Push to a user's consoles, or to that of one session: the next user of the browser must not read
 * the previous account's alarms.
 */
export const forgetPushes = async (db: Db, of: { userId: number } | { tokenHash: Buffer }): Promise<void> => {
  const all = db.deleteFrom('push_subscriptions');
  await ('userId' in of
    ? all.where('user_id', '=', of.userId)
    : all.where('token_hash', '=', of.tokenHash)
  ).execute();
};
