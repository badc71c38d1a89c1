import { verify } from '@node-rs/argon2';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';

/** A hash that no password has, so that an unknown account costs the same time as a wrong password. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Xk0nB0yEo7LQe1Z6rJ6x0x4nJ8Yw7b0m3wq0m0d1n0A';
const freeFailures = 3;
const longestWaitMs = 15 * 60_000;

export interface Attempt {
  username: string;
  password: string;
  address: string;
  now: number;
  language: Language;
}

/** Delay before the next try after so many failures in a row: none for three, then 2, 4, 8 … s up to 15 min. */
export const waitAfter = (failures: number): number =>
  failures < freeFailures ? 0 : Math.min(longestWaitMs, 1000 * 2 ** (failures - freeFailures + 1));

/**
 * Checks account and password. Failures are counted by account and address together, and by address, so a stranger
 * elsewhere cannot lock an owner out. Throws `signIn.wrong`, `request.tooMany` or `signIn.disabled`.
 */
export const provePassword = async (
  db: Db,
  attempt: Attempt,
): Promise<{ id: number; autoSignIn: boolean }> => {
  const keys = [`${attempt.username.toLowerCase()}@${attempt.address}`, attempt.address];
  const tries = await db.selectFrom('sign_in_tries').selectAll().where('key', 'in', keys).execute();
  for (const row of tries) {
    const failures = row.key === attempt.address ? row.failures - 20 : row.failures;
    const left = row.last_at.getTime() + waitAfter(failures) - attempt.now;
    if (left > 0) fault('request.tooMany', { with: { seconds: Math.ceil(left / 1000) } });
  }
  const user = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select([
      'users.id',
      'users.password_hash',
      'users.enabled',
      'users.auto_sign_in',
      'roles.enabled as role_enabled',
    ])
    .where((eb) => eb(eb.fn('lower', ['users.username']), '=', attempt.username.toLowerCase()))
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  const right = await verify(user?.password_hash ?? nobodysHash, attempt.password).catch(() => false);
  if (!user || !right) {
    const at = new Date(attempt.now);
    await db
      .insertInto('sign_in_tries')
      .values(keys.map((key) => ({ key, failures: 1, last_at: at })))
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet((row) => ({ failures: row('sign_in_tries.failures', '+', 1), last_at: at })),
      )
      .execute();
    throw new Fault('signIn.wrong', { commit: true });
  }
  if (!user.enabled || !user.role_enabled) throw new Fault('signIn.disabled', { commit: true });
  await db.deleteFrom('sign_in_tries').where('key', '=', keys[0]!).execute();
  return { id: user.id, autoSignIn: user.auto_sign_in };
};
