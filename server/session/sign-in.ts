import { verify } from '@node-rs/argon2';
import { sql } from 'kysely';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';

/** A hash that no password has, so that an unknown account costs the same time as a wrong password. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Xk0nB0yEo7LQe1Z6rJ6x0x4nJ8Yw7b0m3wq0m0d1n0A';
const freeFailures = 3;
/** Behind one address there may be a whole company: it may fail more often, and each minute forgives one. */
const freeOfAddress = 20;
const forgivenMs = 60_000;
/** So long without a failure, and an account's are forgotten. */
const forgottenMs = 3_600_000;
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

/** Whose tries count together: an IPv4 address, or the /64 that one IPv6 subscriber has to choose from. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [left = '', right] = address.split('::');
  const head = left.split(':').filter((group) => group !== '');
  const tail = (right ?? '').split(':').filter((group) => group !== '');
  const middle = right === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return `${[...head, ...middle, ...tail].slice(0, 4).join(':')}::/64`;
};

/**
 * Checks account and password. Failures are counted by account and address together, and by address, so a stranger
 * elsewhere cannot lock an owner out. Throws `signIn.wrong`, `request.tooMany` or `signIn.disabled`.
 */
export const provePassword = async (
  db: Db,
  attempt: Attempt,
): Promise<{ id: number; autoSignIn: boolean }> => {
  const address = networkOf(attempt.address);
  const account = `${attempt.username.toLowerCase()}@${address}`;
  // Guesses at once are looked at one by one, each knowing of those before.
  await sql`select pg_advisory_xact_lock(hashtextextended(${account}, 0))`.execute(db);
  const tries = await db
    .selectFrom('sign_in_tries')
    .selectAll()
    .where('key', 'in', [account, address])
    .execute();
  for (const row of tries) {
    const quietMs = attempt.now - row.last_at.getTime();
    const failures =
      row.key === address ? row.failures - Math.floor(quietMs / forgivenMs) - freeOfAddress : row.failures;
    const left = waitAfter(failures) - quietMs;
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
    await sql`
      insert into sign_in_tries as t (key, failures, last_at)
      values (${account}, 1, ${at}), (${address}, 1, ${at})
      on conflict (key) do update set last_at = excluded.last_at, failures = 1 + case
        when t.key = ${address}
          then greatest(0, t.failures - floor(extract(epoch from excluded.last_at - t.last_at) * 1000 / ${forgivenMs}))
        when excluded.last_at - t.last_at < make_interval(secs => ${forgottenMs / 1000}) then t.failures
        else 0 end`.execute(db);
    throw new Fault('signIn.wrong', { commit: true });
  }
  if (!user.enabled || !user.role_enabled) throw new Fault('signIn.disabled', { commit: true });
  await db.deleteFrom('sign_in_tries').where('key', '=', account).execute();
  return { id: user.id, autoSignIn: user.auto_sign_in };
};
