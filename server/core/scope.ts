import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Endpoint } from '#contract/endpoint.ts';
import { builtInRoles, type Permission } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { fault } from './fault.ts';

/**
 * The data that a caller may touch: everything, or whole projects and single parts of others.
 * `partProjectIds` are the projects of `partIds`: visible themselves, but only with those parts.
 */
export type Scope =
  | { readonly all: true }
  | {
      readonly all: false;
      readonly projectIds: readonly number[];
      readonly partIds: readonly number[];
      readonly partProjectIds: readonly number[];
    };

interface Scoped {
  id: number;
  role: number;
}

/** Role 1 sees everything; for others `user_scopes` decides. */
export const scopesOf = async (db: Db, users: readonly Scoped[]): Promise<Map<number, Scope>> => {
  const limited = users.filter((user) => user.role !== builtInRoles.admin).map((user) => user.id);
  const rows =
    limited.length === 0
      ? []
      : await db
          .selectFrom('user_scopes')
          .select(['user_id', 'project_id', 'part_id'])
          // PostgreSQL keeps no plan for a list, because it does not know its length.
          .where('user_id', '=', limited.length === 1 ? limited[0]! : sql<number>`any(${limited}::int[])`)
          .orderBy('project_id')
          .orderBy('part_id')
          .execute();
  const rowsOf = Map.groupBy(rows, (row) => row.user_id);
  const scopeOfOne = ({ id, role }: Scoped): Scope => {
    if (role === builtInRoles.admin) return { all: true };
    const mine = rowsOf.get(id) ?? [];
    return {
      all: false,
      projectIds: mine.flatMap((row) => (row.part_id === null ? [row.project_id] : [])),
      partIds: mine.flatMap((row) => row.part_id ?? []),
      partProjectIds: [...new Set(mine.flatMap((row) => (row.part_id === null ? [] : [row.project_id])))],
    };
  };
  return new Map(users.map((user) => [user.id, scopeOfOne(user)]));
};
export const scopeOf = async (db: Db, user: Scoped): Promise<Scope> =>
  (await scopesOf(db, [user])).get(user.id)!;

/** Whether a scope has everything that an earlier one had. */
export const covers = (scope: Scope, earlier: Scope): boolean => {
  if (scope.all || earlier.all) return scope.all;
  const [projects, parts] = [new Set(scope.projectIds), new Set(scope.partIds)];
  return earlier.projectIds.every((id) => projects.has(id)) && earlier.partIds.every((id) => parts.has(id));
};

/** Throws unless the caller sees every project: for settings of the whole installation. */
export const needsEveryProject = (scope: Scope): void => {
  if (!scope.all) fault('permission.everyProject');
};

/** Condition that a row with these project and part columns is in the scope. */
export const inScope = (scope: Scope, projectColumn: string, partColumn: string): Expression<SqlBool> => {
  if (scope.all) return sql<SqlBool>`true`;
  const whole = wholeProjectInScope(scope, projectColumn);
  if (scope.partIds.length === 0) return whole;
  return sql<SqlBool>`(${whole} or ${sql.ref(partColumn)} = any(${[...scope.partIds]}::int[]))`;
};

/** The opposite, also of a row without a part, about which `inScope` may be null instead of false. */
export const outOfScope = (scope: Scope, projectColumn: string, partColumn: string): Expression<SqlBool> =>
  sql<SqlBool>`(${inScope(scope, projectColumn, partColumn)}) is not true`;

/** Condition that a project is visible: completely, or by one of its parts. */
export const projectInScope = (scope: Scope, projectColumn: string): Expression<SqlBool> =>
  scope.all
    ? sql<SqlBool>`true`
    : sql<SqlBool>`${sql.ref(projectColumn)} = any(${[...scope.projectIds, ...scope.partProjectIds]}::int[])`;

/** Condition that a project is completely in the scope, not only by parts. */
export const wholeProjectInScope = (scope: Scope, projectColumn: string): RawBuilder<SqlBool> =>
  scope.all
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${sql.ref(projectColumn)} = any(${[...scope.projectIds]}::int[]))`;

/** Whether the scope sees a known project. */
export const seesProject = (scope: Scope, projectId: number | null): boolean =>
  scope.all ||
  (projectId !== null && (scope.projectIds.includes(projectId) || scope.partProjectIds.includes(projectId)));

/** The check of `inScope` for a known row. */
export const holds = (scope: Scope, projectId: number | null, partId: number | null): boolean =>
  scope.all ||
  (projectId !== null && scope.projectIds.includes(projectId)) ||
  (partId !== null && scope.partIds.includes(partId));

/**
 * Whether the caller may make a call with this permission at all; `holds` decides which data they may touch.
 */
export const mayCall = (
  { permissions }: { permissions: ReadonlySet<Permission> },
  needed: Permission | 'public' | 'signedIn',
): boolean => needed === 'public' || needed === 'signedIn' || permissions.has(needed);

/** Throws unless the caller may make the call at all, now. */
export const mustBeAdmitted = (
  caller: { permissions: ReadonlySet<Permission>; twoStepDue: boolean },
  { permission, beforeTwoStep }: Pick<Endpoint, 'permission' | 'beforeTwoStep'>,
): void => {
  if (caller.twoStepDue && beforeTwoStep !== true) fault('twoStep.required');
  if (!mayCall(caller, permission)) fault('permission.denied');
};
