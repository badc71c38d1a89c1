/** How sessions end before their time. With a session ends Web Push to the console that subscribed in it. */
import type { Db } from '#database/connect.ts';
import type { Call } from '#server/core/serve.ts';
import { forgetPushes, tellPushesEnded } from '#server/notices/push.store.ts';

type Ending = Pick<Call<unknown>, 'db' | 'now' | 'emit'>;
/** -202: revoked, 50012: replaced, 401: signed out. */
type Code = -202 | 50012 | 401;

/** Ends all sessions of a user, or all but one. Returns how many. */
export const endSessions = async (
  call: Ending,
  userId: number,
  code: Code,
  except?: Buffer,
): Promise<number> => {
  const { numUpdatedRows } = await call.db
    .updateTable('sessions')
    .set({ ended_as: code })
    .where('user_id', '=', userId)
    .where('ended_as', 'is', null)
    .$if(except !== undefined, (query) => query.where('token_hash', '!=', except!))
    .executeTakeFirst();
  await ended(call, userId, code, await forgetPushes(call.db, { userId, except }));
  return Number(numUpdatedRows);
};

/** Ends one session of a user. */
export const endSession = async (
  call: Ending,
  userId: number,
  tokenHash: Buffer,
  code: Code,
): Promise<void> => {
  await endOne(call.db, tokenHash, code);
  await ended(call, userId, code, await forgetPushes(call.db, { tokenHash }));
};
const endOne = (db: Db, tokenHash: Buffer, code: Code) =>
  db.updateTable('sessions').set({ ended_as: code }).where('token_hash', '=', tokenHash).execute();

/** Who lost Web Push without having signed out there learns how to turn it on again. */
const ended = async (
  { db, now, emit }: Ending,
  userId: number,
  code: Code,
  pushes: number,
): Promise<void> => {
  if (pushes > 0 && code !== 401) {
    const userIds = await tellPushesEnded(db, { userIds: [userId], count: pushes, now });
    if (userIds.length > 0) emit('message.posted', { userIds });
  }
  emit('session.ended', { userId });
};
