import type { Db } from '#database/connect.ts';
import { postMessage } from '#server/messages/messages.store.ts';

/**
 * A user signs in with a browser that was known by another token: its subscription belongs to the new session. One
 * of another user of this browser ends. Returns who lost one.
 */
export const movePushes = async (
  db: Db,
  of: { userId: number; tokenHash: Buffer; from: Buffer; to: Buffer },
): Promise<number[]> => {
  const lost = await db
    .deleteFrom('push_subscriptions')
    .where('browser_hash', '=', of.from)
    .where('user_id', '<>', of.userId)
    .returning('user_id')
    .execute();
  await db
    .updateTable('push_subscriptions')
    .set({ token_hash: of.tokenHash, browser_hash: of.to })
    .where('browser_hash', '=', of.from)
    .execute();
  return lost.map(({ user_id }) => user_id);
};

/** Writes to a user that consoles get no more pushes since their sessions ended. Returns who has a new message. */
export const tellPushesEnded = (
  db: Db,
  { userIds, count, now }: { userIds: readonly number[]; count: number; now: number },
): Promise<number[]> => postMessage(db, { userIds, type: 'system', key: 'push.ended', data: { count }, now });

/**
 * Ends Web Push to the consoles of a user, except that of one session, or to the console of one session: the next
 * user of the browser must not read the previous account's alarms. Returns how many ended.
 */
export const forgetPushes = async (
  db: Db,
  of: { userId: number; except?: Buffer | undefined } | { tokenHash: Buffer },
): Promise<number> => {
  const all = db.deleteFrom('push_subscriptions');
  const chosen =
    'tokenHash' in of
      ? all.where('token_hash', '=', of.tokenHash)
      : all
          .where('user_id', '=', of.userId)
          .$if(of.except !== undefined, (query) => query.where('token_hash', 'is distinct from', of.except!));
  const { numDeletedRows } = await chosen.executeTakeFirst();
  return Number(numDeletedRows);
};
