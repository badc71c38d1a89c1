import { verify } from '@node-rs/argon2';
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';
import type { ProvePassword } from '#server/core/identity.ts';
import { networkOf } from '#server/core/network.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { recordFailedSignIn } from './failed-sign-ins.store.ts';
import { isKnownBrowser } from './known-browsers.ts';

/** A hash that matches no password, so that an unknown account takes the same time as a wrong password. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Xk0nB0yEo7LQe1Z6rJ6x0x4nJ8Yw7b0m3wq0m0d1n0A';
const freeFailures = 3;
/** Failures of a network before each of its sign-ins needs a code; the count falls by one per minute. */
const freeOfNetwork = 20;
const networkForgetMs = 60_000;
/**
 * After this many failures of an account, counted over all networks, unknown browsers must wait. The count falls by
 * one in each `accountForgetMs`.
 */
const freeOfAccount = 100;
const accountForgetMs = 15 * 60_000;
/** After this time without a failure the progressive delay starts again. */
const forgottenMs = 3_600_000;
const longestWaitMs = 15 * 60_000;

interface Attempt {
  username: string;
  password: string;
  address: string;
  now: number;
  /** The browser's token of an earlier sign-in. */
  browser: string | undefined;
  /** Without a user at the keyboard: allowed only for accounts marked for it. */
  automatic: boolean;
}

/** Delay before the next try after consecutive failures: none for three, then 2, 4, 8 … s up to 15 min. */
const waitAfter = (failures: number): number =>
  failures < freeFailures ? 0 : Math.min(longestWaitMs, 1000 * 2 ** (failures - freeFailures + 1));

/**
 * How a count of failures decreases. `forgetMs`: by one after each such time; without it to zero after
 * `forgottenMs`.
 */
interface Counter {
  key: string;
  forgetMs?: number;
}
interface Tries {
  failures: number;
  quietMs: number;
}

const triesOf = async (db: Db, { key, forgetMs }: Counter, now: number): Promise<Tries> => {
  const row = await db.selectFrom('sign_in_tries').selectAll().where('key', '=', key).executeTakeFirst();
  if (!row) return { failures: 0, quietMs: 0 };
  const quietMs = Math.max(0, now - row.last_at.getTime());
  const failures =
    forgetMs === undefined
      ? quietMs < forgottenMs
        ? row.failures
        : 0
      : Math.max(0, row.failures - Math.floor(quietMs / forgetMs));
  return { failures, quietMs };
};

const countFailure = async (db: Db, counters: readonly Counter[], now: number): Promise<void> => {
  const at = new Date(now);
  // In a fixed order of keys, so that two simultaneous sign-ins never block each other.
  for (const counter of [...counters].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const { failures } = await triesOf(db, counter, now);
    await sql`
      insert into sign_in_tries as t (key, failures, last_at) values (${counter.key}, 1, ${at})
      on conflict (key) do update set last_at = excluded.last_at, failures = ${failures + 1}`.execute(db);
  }
};

const tooMany = (ms: number): never =>
  fault('request.tooMany', { with: { seconds: Math.max(1, Math.ceil(ms / 1000)) } });
const waitOutDelay = ({ failures, quietMs }: Tries): void => {
  const left = waitAfter(failures) - quietMs;
  if (left > 0) tooMany(left);
};

/** Simultaneous guesses are processed one by one, each with the count of the earlier ones. */
const oneByOne = (db: Db, key: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(db);

const networkCounter = (address: string): Counter => ({
  key: networkOf(address),
  forgetMs: networkForgetMs,
});

/**
 * The network failed so often that its sign-ins need a code, even if the configuration requires none. It is
 * never locked.
 */
export const networkNeedsCode = async (db: Db, address: string, now: number): Promise<boolean> =>
  (await triesOf(db, networkCounter(address), now)).failures >= freeOfNetwork;

/**
 * Holds the account until the sign-in is complete, so that whatever ends the user's sessions ends its session too.
 * False if the password was changed since it was read.
 */
const holdAccount = async (db: Db, user: { id: number; password_hash: string }): Promise<boolean> => {
  const held = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', user.id)
    .where('password_hash', '=', user.password_hash)
    .forShare()
    .executeTakeFirst();
  return held !== undefined;
};

/**
 * Checks account and password of a sign-in. Failures delay the account in that network, or in that browser if
 * the user has signed in there before. The account's guesses over all networks are limited, but only for
 * unknown browsers: nobody can lock a user out of their own browser. Throws `signIn.wrong`,
 * `signIn.notAutomatic`, `request.tooMany` or `signIn.disabled`.
 */
export const proveSignIn = async (db: Db, attempt: Attempt): Promise<{ id: number }> => {
  const { now, address } = attempt;
  const name = attempt.username.toLowerCase();
  await oneByOne(db, `account:${name}`);
  const user = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select([
      'users.id',
      'users.username',
      'users.password_hash',
      'users.enabled',
      'users.auto_sign_in',
      'roles.enabled as role_enabled',
    ])
    .where((eb) => eb(eb.fn('lower', ['users.username']), '=', name))
    .where(notDeleted('users'))
    .executeTakeFirst();
  const known = user !== undefined && (await isKnownBrowser(db, user.id, attempt.browser));
  const own: Counter = { key: known ? `${name}#${attempt.browser}` : `${name}@${networkOf(address)}` };
  const everywhere: Counter = { key: `account:${name}`, forgetMs: accountForgetMs };
  waitOutDelay(await triesOf(db, own, now));
  if (!known) {
    const all = await triesOf(db, everywhere, now);
    if (all.failures >= freeOfAccount) tooMany(accountForgetMs - (all.quietMs % accountForgetMs));
  }
  const right = await verify(user?.password_hash ?? nobodysHash, attempt.password).catch(() => false);
  // An account that is not marked gets the same answer for right and wrong passwords.
  const allowed = !attempt.automatic || user?.auto_sign_in === true;
  if (!user || !right || !allowed || !(await holdAccount(db, user))) {
    await countFailure(db, [own, networkCounter(address), ...(known ? [] : [everywhere])], now);
    await recordFailedSignIn(db, { account: user?.username ?? '', network: networkOf(address), now });
    throw new Fault(attempt.automatic ? 'signIn.notAutomatic' : 'signIn.wrong', { commit: true });
  }
  if (!user.enabled || !user.role_enabled) throw new Fault('signIn.disabled', { commit: true });
  await db.deleteFrom('sign_in_tries').where('key', '=', own.key).execute();
  return { id: user.id };
};

/**
 * Runs a check of a secret; consecutive wrong answers under a key delay the next ones. Throws
 * `request.tooMany`.
 */
export const limitTries = async (
  db: Db,
  key: string,
  now: number,
  isRight: () => Promise<boolean>,
): Promise<boolean> => {
  await oneByOne(db, key);
  waitOutDelay(await triesOf(db, { key }, now));
  const right = await isRight();
  if (right) await db.deleteFrom('sign_in_tries').where('key', '=', key).execute();
  else await countFailure(db, [{ key }], now);
  return right;
};

/**
 * Checks the password of a signed-in user. Only failures in the same session delay it, not those of a network
 * or another caller. Throws `signIn.wrong` or `request.tooMany`.
 */
export const provePassword: ProvePassword = async (db, { caller, password, now }) => {
  const key = `session:${caller.tokenHash.toString('hex', 0, 16)}`;
  const right = await limitTries(db, key, now, async () => {
    const { password_hash } = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', caller.userId)
      .executeTakeFirstOrThrow();
    return verify(password_hash, password).catch(() => false);
  });
  if (!right) throw new Fault('signIn.wrong', { commit: true });
};
