import type { Language } from '#contract/languages.ts';
import { limits } from '#contract/limits.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from './fault.ts';
import type { Call } from './serve.ts';
import type { Caller } from './session.ts';

/** Checks account and password with the sign-in's counting of failures; throws its faults. */
export type ProvePassword = (
  db: Db,
  attempt: { username: string; password: string; address: string; now: number; language: Language },
) => Promise<unknown>;

/** The caller gave the password lately enough for what asks for a fresh session. */
export const isRecent = (caller: Caller, now: number): boolean =>
  now - caller.authenticatedAt.getTime() <= limits.freshSignInMs;

/** The password again, before any row is locked; it also makes the session fresh. A wrong one is counted. */
export const reauthenticate = async (
  call: Pick<Call<unknown>, 'db' | 'now' | 'caller' | 'address' | 'language'>,
  password: string,
  provePassword: ProvePassword,
): Promise<void> => {
  const { db, now, caller, address, language } = call;
  try {
    await provePassword(db, { username: caller.username, password, address, now, language });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'signIn.wrong') throw error;
    fault('password.wrong', { fields: { password: 'password.wrong' }, commit: true });
  }
  await db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(now) })
    .where('token_hash', '=', caller.tokenHash)
    .execute();
};
