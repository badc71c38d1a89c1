import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { Db } from '#database/connect.ts';
import { firstStartKey, furnishBase } from '#database/seed/base.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { forgetSetting, readSetting } from '#server/core/settings.ts';
import type { NodeParts } from './node.ts';

/** One node at a time shows an installation's first password. */
const firstStartLock = 7_204_020;

interface FirstStart {
  /** Shown only this once; null if ADMIN_PASSWORD gave it, or it is already known. */
  madePassword: string | null;
  /** The installation has no data yet. */
  isEmpty: boolean;
  /**
   * Records that everything was shown, so that later starts do not repeat it. If it cannot be recorded, the
   * server continues, and the next start shows it again.
   */
  shown(): Promise<void>;
}

/**
 * Creates the base of an installation and controls its first start, from the first row until its password was
 * shown. If that start was killed, the next one continues with a new password. Null if there is nothing to
 * do.
 */
export const beginInstallation = async ({
  config,
  log,
  clock,
  stack,
  pool,
  db,
}: Omit<NodeParts, 'owner' | 'bus'>): Promise<FirstStart | null> => {
  const base = await furnishBase(db, new Date(clock.now()), config.adminPassword);
  if (!(await isUnshown(db))) return null;
  const client = await pool.connect();
  let held = true;
  const leave = async () => {
    if (!held) return;
    held = false;
    await client.query('select pg_advisory_unlock($1)', [firstStartLock]).catch(() => {});
    client.release();
  };
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
    firstStartLock,
  ]);
  // Another node is showing it, or has just done so.
  if (!rows[0]!.mine || !(await isUnshown(db))) {
    await leave();
    return null;
  }
  stack.add('first start', leave);
  const madePassword =
    base.fresh || config.adminPassword !== undefined
      ? base.madePassword
      : await remakePassword(db, clock.now());
  const furnished = await db.selectFrom('projects').select('id').limit(1).executeTakeFirst();
  const device = await db.selectFrom('devices').select('id').limit(1).executeTakeFirst();
  return {
    madePassword,
    isEmpty: !furnished && !device,
    async shown() {
      await forgetSetting(db, firstStartKey).catch((error: unknown) => {
        log.error({ err: error }, 'the next start shows a first password again');
      });
      await leave();
    },
  };
};

const isUnshown = async (db: Db): Promise<boolean> => (await readSetting(db, firstStartKey)) !== undefined;

/** A new password for the first account, unless a user has signed in with the earlier one. */
const remakePassword = async (db: Db, now: number): Promise<string | null> => {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('username', '=', 'admin')
    .where(notDeleted('users'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('sessions').select('user_id').whereRef('sessions.user_id', '=', 'users.id'))),
    )
    .executeTakeFirst();
  if (!user) return null;
  const password = randomBytes(9).toString('base64url');
  await db
    .updateTable('users')
    .set({ password_hash: await hash(password), password_changed_at: new Date(now) })
    .where('id', '=', user.id)
    .execute();
  return password;
};
