import { type Permission, permissionsOf } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { type Scope, scopeOf } from './scope.ts';

/** A user as they stand now, without a session: whoever set something going that acts later. */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly role: number;
  readonly permissions: ReadonlySet<Permission>;
  readonly scope: Scope;
}

/** Null when the user is gone or disabled, or their role is. */
export const accountOf = async (db: Db, userId: number): Promise<Account | null> => {
  const row = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.username', 'users.region_id', 'roles.code', 'roles.letters'])
    .where('users.id', '=', userId)
    .where('users.enabled', '=', true)
    .where('users.deleted_at', 'is', null)
    .where('roles.enabled', '=', true)
    .executeTakeFirst();
  if (!row) return null;
  return {
    userId,
    username: row.username,
    role: row.code,
    permissions: permissionsOf(row.code, row.letters),
    scope: await scopeOf(db, { id: userId, role: row.code, regionId: row.region_id }),
  };
};
