import { type Expression, type SqlBool, sql } from 'kysely';
import { builtInRoles, type Permission } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { fault } from './fault.ts';

/**
 * Whose data a caller may touch: everything, or whole projects and single parts of others.
 * `partProjectIds` are the projects that `partIds` belong to: visible as such, but only those parts of them.
 */
export type Scope =
  | { readonly all: true }
  | {
      readonly all: false;
      readonly projectIds: readonly number[];
      readonly partIds: readonly number[];
      readonly partProjectIds: readonly number[];
    };

const nobody: Scope = { all: false, projectIds: [], partIds: [], partProjectIds: [] };

interface Scoped {
  id: number;
  role: number;
  regionId: number | null;
}

/** Role 1: all. Role 2: the projects of its region and below. Others: the projects (and parts) set on the user, else the region. */
export const scopesOf = async (db: Db, users: readonly Scoped[]): Promise<Map<number, Scope>> => {
  const limited = users.filter((user) => user.role !== builtInRoles.admin);
  const bound = limited.filter((user) => user.role !== builtInRoles.regionalAdmin);
  const given =
    bound.length === 0
      ? []
      : await db
          .selectFrom('user_projects')
          .selectAll()
          .where('user_id', '=', sql<number>`any(${bound.map((user) => user.id)}::int[])`)
          .execute();
  const givenTo = Map.groupBy(given, (row) => row.user_id);
  const byProject: readonly number[] = [builtInRoles.projectAdmin, builtInRoles.projectRegionalAdmin];
  const regionOf = ({ id, role, regionId }: Scoped): number | null =>
    givenTo.has(id) || byProject.includes(role) ? null : regionId;
  const regionIds = [...new Set(limited.map(regionOf).filter((regionId) => regionId !== null))];
  const within =
    regionIds.length === 0
      ? []
      : await db
          .selectFrom('projects')
          .innerJoin('regions', 'regions.id', 'projects.region_id')
          .innerJoin(sql<{ id: number }>`unnest(${regionIds}::int[])`.as<'top'>(sql`top (id)`), (join) =>
            join.on(sql<boolean>`regions.path like '%/' || top.id || '/%'`),
          )
          .select(['projects.id', 'top.id as top_id'])
          .where('projects.deleted_at', 'is', null)
          .execute();
  const withinRegion = Map.groupBy(within, (row) => row.top_id);
  const scopeOfOne = (user: Scoped): Scope => {
    if (user.role === builtInRoles.admin) return { all: true };
    const mine = givenTo.get(user.id);
    if (mine === undefined) {
      const regionId = regionOf(user);
      const projects = regionId === null ? [] : (withinRegion.get(regionId) ?? []);
      return { ...nobody, projectIds: projects.map((project) => project.id) };
    }
    const whole = mine.filter((row) => row.part_ids.length === 0);
    const parts = mine.filter((row) => row.part_ids.length > 0);
    return {
      all: false,
      projectIds: user.role === builtInRoles.projectRegionalAdmin ? [] : whole.map((row) => row.project_id),
      partIds: parts.flatMap((row) => row.part_ids),
      partProjectIds: parts.map((row) => row.project_id),
    };
  };
  return new Map(users.map((user) => [user.id, scopeOfOne(user)]));
};
export const scopeOf = async (db: Db, user: Scoped): Promise<Scope> =>
  (await scopesOf(db, [user])).get(user.id)!;

/** Throws unless the caller sees every project: for settings that hold for the whole installation. */
export const needsEveryProject = (scope: Scope): void => {
  if (!scope.all) fault('permission.everyProject');
};

/** Condition that a row with these project and part columns lies in the scope. */
export const inScope = (scope: Scope, projectColumn: string, partColumn: string): Expression<SqlBool> => {
  if (scope.all) return sql<SqlBool>`true`;
  const whole = sql<SqlBool>`${sql.ref(projectColumn)} = any(${[...scope.projectIds]}::int[])`;
  if (scope.partIds.length === 0) return whole;
  return sql<SqlBool>`(${whole} or ${sql.ref(partColumn)} = any(${[...scope.partIds]}::int[]))`;
};

/** Condition that a project is visible: whole, or by one of its parts. */
export const projectInScope = (scope: Scope, projectColumn: string): Expression<SqlBool> =>
  scope.all
    ? sql<SqlBool>`true`
    : sql<SqlBool>`${sql.ref(projectColumn)} = any(${[...scope.projectIds, ...scope.partProjectIds]}::int[])`;

/** The same question about a project at hand. */
export const seesProject = (scope: Scope, projectId: number | null): boolean =>
  scope.all ||
  (projectId !== null && (scope.projectIds.includes(projectId) || scope.partProjectIds.includes(projectId)));

/** What `inScope` asks, about a row at hand. */
export const holds = (scope: Scope, projectId: number | null, partId: number | null): boolean =>
  scope.all ||
  (projectId !== null && scope.projectIds.includes(projectId)) ||
  (partId !== null && scope.partIds.includes(partId));

/** Whether somebody may make a call with this permission at all; about whose data it is, `holds` decides. */
export const mayCall = (
  { permissions }: { permissions: ReadonlySet<Permission> },
  needed: Permission | 'public' | 'signedIn',
): boolean => needed === 'public' || needed === 'signedIn' || permissions.has(needed);
