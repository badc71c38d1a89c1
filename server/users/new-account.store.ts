import { hash } from '@node-rs/argon2';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { passwordFlaw } from '#contract/passwords.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import type { ForeignNames } from '#server/core/foreign-names.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { notDeleted } from '#server/core/not-deleted.ts';

interface NewAccount {
  username: string;
  nickname: string;
  mobile: string;
  password: string;
  /** Code of the role. */
  role: number;
  projectIds: readonly number[];
  /** Limited to these parts of the one project; empty: the whole project. */
  partIds?: readonly number[];
  regionId?: number | null;
  email?: string;
  enabled?: boolean;
  autoSignIn?: boolean;
}

/** Refuses, at its field, a new password that breaks the installation's policy. */
export const needsGoodPassword = async (db: Db, password: string, username: string): Promise<void> => {
  const { passwordPolicy } = await readSettings(db, 'session');
  const flaw = passwordFlaw(passwordPolicy, password, username, 'add');
  if (flaw) fault('request.invalid', { fields: { password: flaw } });
};

/**
 * Refuses a username that an account has: it is unique in the installation, because a sign-in names no tenant. Of an
 * account that the caller does not see it does not say that it exists, and refuses only a few. `seen`: the condition
 * on `users u` and their role `r`.
 */
export const needsFreeName = async (
  trx: Db,
  names: ForeignNames,
  { username, besides = 0, seen }: { username: string; besides?: number; seen: RawBuilder<SqlBool> },
): Promise<void> => {
  names.admit();
  const { rows } = await sql<{ seen: boolean }>`
    select ${seen} as seen from users u join roles r on r.id = u.role_id
    where lower(u.username) = ${username.toLowerCase()} and ${notDeleted('u')} and u.id <> ${besides}`.execute(
    trx,
  );
  const [holder] = rows;
  if (!holder) return;
  if (!holder.seen) names.met(1);
  const code = holder.seen ? 'user.taken' : 'user.elsewhere';
  fault(code, { fields: { username: code } });
};

/** Creates an account within the caller's transaction. Its password must follow the installation's policy. */
export const newAccountStore = (trx: Db) => ({
  async add(account: NewAccount, at: Date) {
    const { username, nickname, mobile, password, role, projectIds } = account;
    await needsGoodPassword(trx, password, username);
    const made = await trx
      .insertInto('users')
      .values(({ selectFrom }) => ({
        username,
        nickname,
        mobile,
        email: account.email ?? '',
        enabled: account.enabled ?? true,
        auto_sign_in: account.autoSignIn ?? false,
        region_id: account.regionId ?? null,
        password_hash: '',
        password_changed_at: at,
        role_id: selectFrom('roles').select('id').where('code', '=', role),
        created_at: at,
      }))
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!made) return fault('user.elsewhere', { fields: { username: 'user.elsewhere' } });
    await trx
      .updateTable('users')
      .set({ password_hash: await hash(password) })
      .where('id', '=', made.id)
      .execute();
    if (projectIds.length > 0)
      await trx
        .insertInto('user_projects')
        .values(
          projectIds.map((project_id) => ({
            user_id: made.id,
            project_id,
            part_ids: [...(account.partIds ?? [])],
          })),
        )
        .execute();
    return made.id;
  },
});
