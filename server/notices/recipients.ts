import { sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { noticeEndpoints } from '#contract/notices.ts';
import { builtInRoles } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import type { Scope } from '#server/core/scope.ts';

const { admin, regionalAdmin, projectAdmin, projectRegionalAdmin } = builtInRoles;
const usual = 30;

/** People of whom the caller knows: everybody for who sees everything, else who shares a project or a part of one. */
export const recipientsOf = async (
  db: Db,
  scope: Scope,
  { search, limit = usual }: BodyOf<typeof noticeEndpoints.recipients>,
): Promise<ReplyOf<typeof noticeEndpoints.recipients>> => {
  const shares = scope.all
    ? sql`true`
    : sql`(r.code = ${admin}
        or (r.code <> ${regionalAdmin} and exists (select from user_projects theirs where theirs.user_id = u.id
          and ((theirs.project_id = any(${scope.projectIds}::int[])
              and (theirs.part_ids <> '{}' or r.code <> ${projectRegionalAdmin}))
            or theirs.part_ids && ${scope.partIds}::int[])))
        or (u.region_id is not null and r.code not in (${projectAdmin}, ${projectRegionalAdmin})
          and (r.code = ${regionalAdmin} or not exists (select from user_projects own where own.user_id = u.id))
          and exists (select from projects p join regions place on place.id = p.region_id
            where p.id = any(${scope.projectIds}::int[]) and p.deleted_at is null
              and place.path like '%/' || u.region_id || '/%')))`;
  const wanted =
    search === undefined
      ? sql`true`
      : sql`concat_ws(' ', u.nickname, u.username) ilike ${`%${search.replace(/[\\%_]/g, '\\$&')}%`}`;
  const { rows } = await sql<{ id: number; name: string; role: number; role_name: string }>`
    select u.id, coalesce(nullif(u.nickname, ''), u.username) as name, r.code as role, r.name as role_name
    from users u join roles r on r.id = u.role_id
    where u.enabled and r.enabled and u.deleted_at is null and ${shares} and ${wanted}
    order by lower(coalesce(nullif(u.nickname, ''), u.username)), u.id limit ${limit + 1}`.execute(db);
  return { list: rows.slice(0, limit), more: rows.length > limit };
};
