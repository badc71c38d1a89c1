import { sql } from 'kysely';
import { isBuiltIn, type Permission, permissionsOf } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { type Authority, managed, readRoles } from '#server/core/authority.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { holds, type Scope } from '#server/core/scope.ts';

export interface SubjectRow {
  id: number;
  username: string;
  name: string;
  role: number;
  role_name: string;
  letters: string;
  enabled: boolean;
  role_enabled: boolean;
  region: string | null;
  /** Projects set on the account, with its parts of each. */
  projects: { name: string; parts: string[] }[] | null;
}
export interface DeviceRow {
  id: number;
  number: string;
  name: string;
  projectId: number | null;
  partId: number | null;
  project: string;
}
/** Maximum number of accounts checked for one answer. */
export const mostCandidates = 2000;

export const accessStore = (db: Db) => ({
  /** A user that the caller manages, or their own account. Throws `user.missing`. */
  async subject(authority: Authority, userId: number): Promise<SubjectRow> {
    const { rows } = await sql<SubjectRow>`
      select u.id, u.username, ${displayNameOf('u')} as name, u.enabled, r.code as role,
        r.name as role_name, r.letters, r.enabled as role_enabled, region.name as region,
        (select jsonb_agg(jsonb_build_object('name', p.name, 'parts', coalesce((select jsonb_agg(part.name order by part.name)
            from project_parts part where part.id = any(given.part_ids)), '[]')) order by p.name)
          from user_projects given join projects p on p.id = given.project_id and ${notDeleted('p')}
          where given.user_id = u.id) as projects
      from users u join roles r on r.id = u.role_id left join regions region on region.id = u.region_id
      where u.id = ${userId} and ${notDeleted('u')} and (u.id = ${authority.userId} or ${managed(authority)})`.execute(
      db,
    );
    return rows[0] ?? fault('user.missing');
  },

  /** A device of the caller's scope. Throws `device.missing`. */
  async device(scope: Scope, deviceId: number): Promise<DeviceRow> {
    const row = await db
      .selectFrom('devices')
      .leftJoin('projects', 'projects.id', 'devices.project_id')
      .select([
        'devices.id',
        'devices.number',
        'devices.name',
        'devices.project_id as projectId',
        'devices.part_id as partId',
        'projects.name as project',
      ])
      .where('devices.id', '=', deviceId)
      .where(notDeleted('devices'))
      .executeTakeFirst();
    if (!row || !holds(scope, row.projectId, row.partId)) return fault('device.missing');
    return { ...row, project: row.project ?? '' };
  },

  /**
   * Enabled accounts whose role grants the permissions and whose scope includes the project or a part of it.
   * `managed`: the caller manages them, or it is their own account.
   */
  async candidates(
    authority: Authority,
    permissions: readonly Permission[],
    { projectId }: Pick<DeviceRow, 'projectId'>,
  ): Promise<
    {
      id: number;
      name: string;
      username: string;
      role_name: string;
      role: number;
      managed: boolean;
      byRegion: boolean;
    }[]
  > {
    const roleIds = [...(await readRoles(db)).values()]
      .filter(({ code, letters, enabled }) => {
        const granted = permissionsOf(code, letters);
        return enabled && permissions.every((permission) => granted.has(permission));
      })
      .map(({ id }) => id);
    const { rows } = await sql<{
      id: number;
      name: string;
      username: string;
      role_name: string;
      role: number;
      managed: boolean;
      has_projects: boolean;
    }>`
      select u.id, ${displayNameOf('u')} as name, u.username, r.name as role_name, r.code as role,
        u.id = ${authority.userId} or ${managed(authority)} as managed,
        exists (select from user_projects given where given.user_id = u.id) as has_projects
      from users u join roles r on r.id = u.role_id
      where u.enabled and ${notDeleted('u')} and u.role_id = any(${roleIds}::int[])
        and (r.code = 1
          or exists (select from user_projects given where given.user_id = u.id and given.project_id = ${projectId})
          or exists (select from projects p join regions place on place.id = p.region_id
            where p.id = ${projectId} and u.region_id is not null and place.path like '%/' || u.region_id || '/%'))
      order by managed desc, r.code, name, u.id limit ${mostCandidates + 1}`.execute(db);
    return rows.map(({ has_projects, ...row }) => ({
      ...row,
      byRegion: row.role === 2 || (!has_projects && !isBuiltIn(row.role)),
    }));
  },
});
