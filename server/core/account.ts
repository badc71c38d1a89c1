import { sql } from 'kysely';
import { type Permission, permissionsOf } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { notDeleted } from './not-deleted.ts';
import { type Scope, scopesOf } from './scope.ts';

/** A user with the present permissions, without a session: the author of something that acts later. */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly role: number;
  readonly permissions: ReadonlySet<Permission>;
  readonly scope: Scope;
}

/** Condition on `users` and their `roles`: the account may sign in, act and receive notices. */
export const isActiveAccount = sql<boolean>`(users.enabled and ${notDeleted('users')} and roles.enabled)`;

/**
 * The existing, enabled users whose role is enabled. With `hold` their rows and those of their roles stay
 * locked until the transaction ends, so that a permission cannot be removed in the middle of it.
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
/** Null if the user is deleted or disabled, or the role is disabled. */
export const accountOf = async (db: Db, userId: number): Promise<Account | null> =>
  (await accountsOf(db, [userId])).get(userId) ?? null;

/** A changed number must be confirmed again before it receives alarms of contacts. */
export const provedUnlessChanged = (mobile: string | undefined) =>
  sql<Date | null>`case when mobile = ${mobile ?? sql.ref('mobile')} then mobile_proved_at end`;
