/** How sessions end before their time. With a session ends Web Push to the console that subscribed in it. */
import type { Call } from '#server/core/serve.ts';
import { markEnded, type SessionEnd } from '#server/core/session.ts';
import { forgetPushes, tellPushesEnded } from '#server/notices/push.store.ts';

type Ending = Pick<Call<unknown>, 'db' | 'now' | 'emit'>;

/** Ends all sessions of a user, or all but one. Returns how many. */
export const endSessions = async (
  call: Ending,
  userId: number,
  end: SessionEnd,
  except?: Buffer,
): Promise<number> => {
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

/** Who lost Web Push without having signed out there learns how to turn it on again. */
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
