/**
 * How sessions end before their time. With a session ends Web Push to the console that subscribed in it. With all
 * sessions of a user end the sign-ins that are under way.
 */
import type { Call } from '#server/core/serve.ts';
import { markEnded, type SessionEnd } from '#server/core/session.ts';
import { forgetPushes, tellPushesEnded } from '#server/notices/push.store.ts';
import { forgetTickets } from './tickets.ts';

type Ending = Pick<Call<unknown>, 'db' | 'now' | 'emit'>;

/** Ends all sessions of a user, or all but one. Returns how many. */
export const endSessions = async (
  call: Ending,
  userId: number,
  end: SessionEnd,
  except?: Buffer,
): Promise<number> => {
  // A sign-in that has proved its password holds the account: it opens its session before the next lines, or finds
  // the account changed.
  await call.db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  if (end === 'revoked') await forgetTickets(call.db, userId);
  const count = await markEnded(call.db, { userId, except }, end);
  await ended(call, userId, end, await forgetPushes(call.db, { userId, except }));
  return count;
};

/** Ends one session of a user. */
export const endSession = async (
  call: Ending,
  userId: number,
  tokenHash: Buffer,
  end: SessionEnd,
): Promise<void> => {
  await markEnded(call.db, { tokenHash }, end);
  await ended(call, userId, end, await forgetPushes(call.db, { tokenHash }));
};

/** Users who lost Web Push without signing out learn how to turn it on again. */
const ended = async (
  { db, now, emit }: Ending,
  userId: number,
  end: SessionEnd,
  pushes: number,
): Promise<void> => {
  if (pushes > 0 && end !== 'signedOut') {
    const userIds = await tellPushesEnded(db, { userIds: [userId], count: pushes, now });
    if (userIds.length > 0) emit('message.posted', { userIds });
  }
  emit('session.ended', { userId });
};
