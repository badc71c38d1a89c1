import { sql } from 'kysely';
import { type Permission, permissionsOf } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { notDeleted } from './not-deleted.ts';
import { type Scope, scopesOf } from './scope.ts';

/** A user with the present rights, without a session: the author of something that acts later. */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly role: number;
  readonly permissions: ReadonlySet<Permission>;
  readonly scope: Scope;
}

/** Condition on `users` and their `roles`: the account may sign in, is reported to and may act. */
export const isActiveAccount = sql<boolean>`(users.enabled and ${notDeleted('users')} and roles.enabled)`;

/**
 * Those of the users who are there, enabled, and whose role is. With `hold` their rows and their roles' stay as they
 * are until the transaction ends: a right is lost before, or afterwards.
 */
export const accountsOf = async (
  db: Db,
  userIds: readonly number[],
  { hold = false } = {},
): Promise<ReadonlyMap<number, Account>> => {
  const asked = [...new Set(userIds)];
  if (asked.length === 0) return new Map();
  const query = db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'users.username', 'roles.code', 'roles.letters'])
    .where('users.id', '=', sql<number>`any(${asked}::int[])`)
    .where(isActiveAccount)
    .orderBy('users.id');
  const rows = await (hold ? query.forShare(['users', 'roles']) : query).execute();
  const scopes = await scopesOf(
    db,
    rows.map((row) => ({ id: row.id, role: row.code })),
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        userId: row.id,
        username: row.username,
        role: row.code,
        permissions: permissionsOf(row.code, row.letters),
        scope: scopes.get(row.id)!,
      },
    ]),
  );
};
/** Null when the user is gone or disabled, or their role is. */
export const accountOf = async (db: Db, userId: number): Promise<Account | null> =>
  (await accountsOf(db, [userId])).get(userId) ?? null;

/** A changed number has to be confirmed again before it receives alarms of contacts. */
export const provedUnlessChanged = (mobile: string | undefined) =>
  sql<Date | null>`case when mobile = ${mobile ?? sql.ref('mobile')} then mobile_proved_at end`;
