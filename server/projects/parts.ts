import { sql } from 'kysely';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { projectEndpoints } from '#contract/projects.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { holds, inScope, type Scope } from '#server/core/scope.ts';
import { holdManagedProject } from '#server/core/visible-project.ts';
import { leavePart } from '#server/devices/devices.store.ts';

type Part = ReplyOf<typeof projectEndpoints.addPart>;

const parts = (db: Db) =>
  db
    .selectFrom('project_parts as part')
    .select(['part.id as part_id', 'part.project_id', 'part.name'])
    .select(
      sql<number>`(select count(*) from devices where part_id = part.id and ${notDeleted('devices')})`.as(
        'devices',
      ),
    )
    .select(
      sql<number>`(select count(*) from user_projects own join users on users.id = own.user_id
        where own.project_id = part.project_id and part.id = any(own.part_ids) and ${notDeleted('users')})`.as(
        'users',
      ),
    );

/** The parts of projects, to which accounts of role 32 are limited. */
export const projectParts = (db: Db) => {
  const one = (partId: number): Promise<Part> =>
    parts(db).where('part.id', '=', partId).executeTakeFirstOrThrow();
  const holdPart = async (scope: Scope, partId: number): Promise<number> => {
    const part = await db
      .selectFrom('project_parts')
      .select('project_id')
      .where('id', '=', partId)
      .executeTakeFirst();
    if (!part || !holds(scope, part.project_id, null)) return fault('thing.missing');
    await holdManagedProject(db, scope, part.project_id);
    return part.project_id;
  };
  const refuseTaken = async (projectId: number, name: string, except?: number): Promise<void> => {
    const other = await db
      .selectFrom('project_parts')
      .select('id')
      .where('project_id', '=', projectId)
      .where('name', '=', name)
      .$if(except !== undefined, (query) => query.where('id', '<>', except!))
      .executeTakeFirst();
    if (other) fault('name.taken', { fields: { name: 'name.taken' } });
  };

  return {
    async list(scope: Scope, projectId: number): Promise<{ list: Part[] }> {
      return {
        list: await parts(db)
          .where('part.project_id', '=', projectId)
          .where(inScope(scope, 'part.project_id', 'part.id'))
          .orderBy('part.name')
          .execute(),
      };
    },
    async add(scope: Scope, { project_id, name }: { project_id: number; name: string }): Promise<Part> {
      // Of two users who name parts at once, the second sees the first one's name.
      await holdManagedProject(db, scope, project_id);
      await refuseTaken(project_id, name);
      const { id } = await db
        .insertInto('project_parts')
        .values({ project_id, name })
        .returning('id')
        .executeTakeFirstOrThrow();
      return one(id);
    },
    async rename(scope: Scope, { part_id, name }: { part_id: number; name: string }): Promise<Part> {
      await refuseTaken(await holdPart(scope, part_id), name, part_id);
      await db.updateTable('project_parts').set({ name }).where('id', '=', part_id).execute();
      return one(part_id);
    },
    /** Deletes the part and returns it. */
    async delete(scope: Scope, partId: number): Promise<Part> {
      await holdPart(scope, partId);
      const part = await one(partId);
      const { devices, users } = part;
      if (devices + users > 0) fault('part.used', { with: { devices, users } });
      // Deleted devices may still refer to it.
      await leavePart(db, partId);
      await db.deleteFrom('project_parts').where('id', '=', partId).execute();
      return part;
    },
  };
};
