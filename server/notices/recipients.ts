import { sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { noticeEndpoints } from '#contract/notices.ts';
import { builtInRoles } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { isActiveAccount } from '#server/core/account.ts';
import { containing } from '#server/core/containing.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { holds, type Scope } from '#server/core/scope.ts';

const usual = 30;

export const projectsOf = (scope: Exclude<Scope, { all: true }>): number[] => [
  ...scope.projectIds,
  ...scope.partProjectIds,
];
/** Whether a user sees anything that the caller sees: other users are unknown to the caller. */
export const sharesProject = (scope: Scope, theirs: Scope): boolean =>
  scope.all ||
  scope.projectIds.some((id) => holds(theirs, id, null)) ||
  scope.partIds.some((id) => holds(theirs, null, id)) ||
  (!theirs.all && projectsOf(theirs).some((id) => scope.projectIds.includes(id)));

/**
 * People whom the caller may name: everybody for a user who sees everything, else users with a common project
 * or part.
 */
export const recipientsOf = async (
  db: Db,
  scope: Scope,
  { search, limit = usual }: BodyOf<typeof noticeEndpoints.recipients>,
): Promise<ReplyOf<typeof noticeEndpoints.recipients>> => {
  const shares = scope.all
    ? sql`true`
    : sql`(roles.code = ${builtInRoles.admin} or exists (select from user_scopes theirs where theirs.user_id = users.id
        and (theirs.project_id = any(${scope.projectIds}::int[]) or theirs.part_id = any(${scope.partIds}::int[]))))`;
  const wanted =
    search === undefined
      ? sql`true`
      : sql`concat_ws(' ', users.nickname, users.username) ilike ${containing(search)}`;
  const { rows } = await sql<{ id: number; name: string; role: number; role_name: string }>`
    select users.id, ${displayNameOf('users')} as name, roles.code as role, roles.name as role_name
    from users join roles on roles.id = users.role_id
    where ${isActiveAccount} and ${shares} and ${wanted}
    order by lower(${displayNameOf('users')}), users.id limit ${limit + 1}`.execute(db);
  return { list: rows.slice(0, limit), more: rows.length > limit };
};
