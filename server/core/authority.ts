import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  builtInRoles,
  isBuiltIn,
  type Letter,
  lettersOf,
  type Permission,
  permissionsOf,
} from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { fault } from './fault.ts';
import { notDeleted } from './not-deleted.ts';
import { type Scope, scopeOf } from './scope.ts';
import type { Caller } from './session.ts';

export interface RoleNode {
  readonly id: number;
  readonly code: number;
  readonly name: string;
  readonly parentId: number | null;
  readonly letters: string;
  readonly enabled: boolean;
  readonly ownerId: number | null;
}

/**
 * The accounts that a caller manages, and the permissions that they may give. The role tree decides about
 * roles: those below the caller's own, without any that has a permission the caller lacks, because a user who
 * manages an account can sign in with it. The data scope decides about accounts: those whose whole scope lies
 * in the caller's.
 */
export interface Authority {
  readonly userId: number;
  readonly role: RoleNode;
  readonly letters: ReadonlySet<Letter>;
  readonly permissions: ReadonlySet<Permission>;
  readonly scope: Scope;
  /** Path of the region that gives the scope; null: projects do, or the scope is everything. */
  readonly regionPath: string | null;
  /** Every role of the installation, by id. */
  readonly tree: ReadonlyMap<number, RoleNode>;
  /** The caller's role and all below it. */
  readonly within: ReadonlySet<number>;
  /** Roles whose accounts the caller manages. */
  readonly roleIds: readonly number[];
}

/**
 * Only one transaction at a time changes users or roles. Otherwise two administrators could delete each
 * other, and none would be left.
 */
const peopleLock = 815_204_095;
export const lockPeople = (trx: Db) => sql`select pg_advisory_xact_lock(${peopleLock})`.execute(trx);

export const belowOf = (tree: ReadonlyMap<number, RoleNode>, top: number): ReadonlySet<number> => {
  const children = Map.groupBy(tree.values(), (role) => role.parentId);
  const found = new Set<number>();
  const waiting = [top];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const child of children.get(next) ?? []) {
      if (found.has(child.id)) continue;
      found.add(child.id);
      waiting.push(child.id);
    }
  return found;
};

export const readRoles = async (db: Db): Promise<ReadonlyMap<number, RoleNode>> => {
  const roles = await db
    .selectFrom('roles')
    .select(['id', 'code', 'name', 'parent_id as parentId', 'letters', 'enabled', 'owner_id as ownerId'])
    .execute();
  return new Map(roles.map((role) => [role.id, role]));
};

const isWithin = (few: ReadonlySet<Permission>, many: ReadonlySet<Permission>): boolean =>
  [...few].every((one) => many.has(one));

/**
 * The caller's present authority, which may be smaller than when the call began: after `lockPeople` it does
 * not change any more. Throws `permission.denied` if the account or the permission is gone.
 */
export const authorityOf = async (
  db: Db,
  caller: Pick<Caller, 'userId'>,
  needed: Permission,
): Promise<Authority> => {
  const user = await db
    .selectFrom('users')
    .leftJoin('regions', 'regions.id', 'users.region_id')
    .select(['users.role_id', 'users.region_id', 'regions.path'])
    .where('users.id', '=', caller.userId)
    .where('users.enabled', '=', true)
    .where(notDeleted('users'))
    .executeTakeFirst();
  const tree = await readRoles(db);
  const role = user && tree.get(user.role_id);
  if (!user || !role?.enabled) return fault('permission.denied');
  const permissions = permissionsOf(role.code, role.letters);
  if (!permissions.has(needed)) fault('permission.denied');
  const scope = await scopeOf(db, { id: caller.userId, role: role.code });
  const below = belowOf(tree, role.id);
  const isTop = role.code === builtInRoles.admin;
  const held =
    scope.all || (await scopeIsByProject(db, caller.userId, role.code)) ? null : (user.path ?? null);
  return {
    userId: caller.userId,
    role,
    letters: new Set(lettersOf(role.code, role.letters)),
    permissions,
    scope,
    regionPath: held,
    tree,
    within: isTop ? new Set(tree.keys()) : new Set([role.id, ...below]),
    roleIds: isTop
      ? [...tree.keys()]
      : [...below].filter((id) => {
          const one = tree.get(id)!;
          return isWithin(permissionsOf(one.code, one.letters), permissions);
        }),
  };
};

const scopeIsByProject = async (db: Db, userId: number, role: number): Promise<boolean> => {
  if (role === builtInRoles.regionalAdmin) return false;
  if (isBuiltIn(role)) return true;
  const given = await db
    .selectFrom('user_projects')
    .select('user_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return given !== undefined;
};

/** Ids of the accounts that have projects, all of them in the scope; the query starts from those projects. */
const onlyInProjectsOf = (scope: Scope & { all: false }): RawBuilder<unknown> => {
  const [projects, parts] = [[...scope.projectIds], [...scope.partIds]];
  const lies = (alias: string) => {
    const [project, partIds] = [sql.ref(`${alias}.project_id`), sql.ref(`${alias}.part_ids`)];
    const whole = sql<SqlBool>`${project} = any(${projects}::int[])`;
    return parts.length === 0
      ? whole
      : sql<SqlBool>`(${project} = any(${[...projects, ...scope.partProjectIds]}::int[])
          and (${whole} or (${partIds} <> '{}' and ${partIds} <@ ${parts}::int[])))`;
  };
  return sql`select inside.user_id from user_projects inside where ${lies('inside')} and not exists (
    select from user_projects outside where outside.user_id = inside.user_id and not ${lies('outside')})`;
};

/**
 * Condition that the whole data scope of account `u` with role `r` lies in the caller's, as `scopesOf`
 * defines it. An account without any scope is managed by users who manage everything.
 */
export const scopeWithin = ({ scope, regionPath }: Authority): RawBuilder<SqlBool> => {
  if (scope.all) return sql<SqlBool>`true`;
  const { admin, regionalAdmin, projectAdmin, projectRegionalAdmin } = builtInRoles;
  const given = sql`select from user_projects given where given.user_id = u.id`;
  const byProject = sql<SqlBool>`(r.code <> ${regionalAdmin} and u.id in (${onlyInProjectsOf(scope)}))`;
  const byRegion = sql<SqlBool>`(r.code not in (${projectAdmin}, ${projectRegionalAdmin})
    and (r.code = ${regionalAdmin} or not exists (${given}))
    and exists (select from regions where regions.id = u.region_id and regions.path like ${`${regionPath}%`}))`;
  // Without `or` the query begins with the few accounts of the scope's projects.
  const within = regionPath === null ? byProject : sql<SqlBool>`(${byProject} or ${byRegion})`;
  return sql<SqlBool>`(r.code <> ${admin} and ${within})`;
};

/** Condition that the caller manages account `u` with role `r`. */
export const managed = (authority: Authority): RawBuilder<SqlBool> =>
  authority.scope.all // the scope of everything includes every role
    ? sql<SqlBool>`${notDeleted('u')}`
    : sql<SqlBool>`(${notDeleted('u')} and u.role_id = any(${[...authority.roleIds]}::int[]) and ${scopeWithin(authority)})`;

/** Condition that an account in the caller's scope created role `own`; false for those of the installation. */
export const isRoleOfTenant = (authority: Authority): RawBuilder<SqlBool> =>
  sql<SqlBool>`(own.owner_id is not distinct from ${authority.userId} or exists (
    select from users u join roles r on r.id = u.role_id where u.id = own.owner_id and ${scopeWithin(authority)}))`;

/** Condition that the caller sees role `own`: theirs, and those below it that no other tenant created. */
export const roleVisible = (authority: Authority): RawBuilder<SqlBool> =>
  sql<SqlBool>`(own.id = any(${[...authority.within]}::int[])
    and (own.owner_id is null or own.id = ${authority.role.id} or ${isRoleOfTenant(authority)}))`;

/** Roles that the caller may give to an account. */
export const assignableRoles = async (db: Db, authority: Authority): Promise<RoleNode[]> => {
  const { rows } = await sql<{ id: number }>`
    select own.id from roles own
    where own.id = any(${[...authority.roleIds]}::int[]) and ${roleVisible(authority)}`.execute(db);
  return rows.map(({ id }) => authority.tree.get(id)!);
};
