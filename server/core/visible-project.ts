import type { Db } from '#database/connect.ts';
import { fault } from './fault.ts';
import { notDeleted } from './not-deleted.ts';
import { projectInScope, type Scope } from './scope.ts';

/**
 * Throws `project.missing` unless the scope sees the project or a part of it: a foreign project gets the same
 * answer as an unknown or deleted one.
 */
export const mustSeeProject = async (db: Db, scope: Scope, projectId: number): Promise<void> => {
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', projectId)
    .where(notDeleted('projects'))
    .where(projectInScope(scope, 'projects.id'))
    .executeTakeFirst();
  if (!project) fault('project.missing');
};
