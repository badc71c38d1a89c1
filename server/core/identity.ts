import type { Db } from '#database/connect.ts';
import { Fault, fault } from './fault.ts';
import { readSettings } from './installation-settings.ts';
import { isRecent } from './recent.ts';
import type { Call } from './serve.ts';
import type { Caller } from './session.ts';

/** Checks the password of a signed-in caller; throws `signIn.wrong` or `request.tooMany`. */
export type ProvePassword = (
  db: Db,
  proof: { caller: Pick<Caller, 'userId' | 'tokenHash'>; password: string; now: number },
) => Promise<void>;

/** Whether the password was given recently enough for acts that may energise a line. */
export const isProved = async ({
  db,
  caller,
  now,
}: Pick<Call<unknown>, 'db' | 'caller' | 'now'>): Promise<boolean> => {
  const { freshMinutes } = await readSettings(db, 'session');
  return isRecent(caller.authenticatedAt.getTime(), now, freshMinutes * 60_000 + 1);
};

/**
 * Checks the password again, before any row is locked, and makes the session recent. Throws `password.wrong`
 * or `request.tooMany` at its field.
 */
export const proveIdentity = async (
  { db, now, caller }: Pick<Call<unknown>, 'db' | 'now' | 'caller'>,
  provePassword: ProvePassword,
  password: string,
  field = 'password',
): Promise<void> => {
  try {
    await provePassword(db, { caller, password, now });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // At the field too, so that a dialog stays open until the delay is over.
    if (error.code === 'request.tooMany')
      fault(error.code, { ...error.details, fields: { [field]: error.code } });
    if (error.code !== 'signIn.wrong') throw error;
    fault('password.wrong', { fields: { [field]: 'password.wrong' }, commit: true });
  }
  await db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(now) })
    .where('token_hash', '=', caller.tokenHash)
    .execute();
};

/**
 * Before permissions are given or a password is set: requires the caller's own password, unless it was given
 * recently. Throws `control.passwordNeeded`, `password.wrong` or `request.tooMany` at its
 * field.
 */
export const needsProof = async (
  call: Pick<Call<unknown>, 'db' | 'now' | 'caller'>,
  provePassword: ProvePassword,
  ownPassword: string | undefined,
): Promise<void> => {
  if (ownPassword !== undefined) await proveIdentity(call, provePassword, ownPassword, 'own_password');
  else if (!(await isProved(call))) fault('control.passwordNeeded', { data: { reason: 'password_needed' } });
};
