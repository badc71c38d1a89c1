import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from './fault.ts';
import type { Call } from './serve.ts';
import { sessionSettings } from './session-settings.ts';

/** Checks account and password with the sign-in's counting of failures; throws its faults. */
export type ProvePassword = (
  db: Db,
  attempt: { username: string; password: string; address: string; now: number; language: Language },
) => Promise<unknown>;

/** The password was given lately enough for what may energise a line. */
export const isProved = async ({
  db,
  caller,
  now,
}: Pick<Call<unknown>, 'db' | 'caller' | 'now'>): Promise<boolean> =>
  now - caller.authenticatedAt.getTime() <= (await sessionSettings(db)).freshMinutes * 60_000;

/** The password again, before any row is locked; it also makes the session fresh. Throws `password.wrong` at its field. */
export const proveIdentity = async (
  { db, now, caller, address, language }: Call<unknown>,
  provePassword: ProvePassword,
  password: string,
): Promise<void> => {
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
