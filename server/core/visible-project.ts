import type { Db } from '#database/connect.ts';
import { fault } from './fault.ts';
import { notDeleted } from './not-deleted.ts';
import { projectInScope, type Scope, wholeProjectInScope } from './scope.ts';

const projectOf = (db: Db, projectId: number) =>
  db
    .selectFrom('projects')
    .select(['id', 'name', 'address'])
    .where('id', '=', projectId)
    .where(notDeleted('projects'));

/**
 * A project that the scope sees, completely or by a part. A foreign project gets the same `project.missing` as
 * an unknown or deleted one.
 */
export const mustSeeProject = async (db: Db, scope: Scope, projectId: number) =>
  (await projectOf(db, projectId).where(projectInScope(scope, 'projects.id')).executeTakeFirst()) ??
  fault('project.missing');

/** A project that the caller manages completely. Throws `project.missing`. */
export const mustManageProject = async (db: Db, scope: Scope, projectId: number) =>
  (await projectOf(db, projectId).where(wholeProjectInScope(scope, 'projects.id')).executeTakeFirst()) ??
  fault('project.missing');

/** As `mustManageProject`; the project's row is locked until the transaction ends. */
export const holdManagedProject = async (db: Db, scope: Scope, projectId: number) =>
  (await projectOf(db, projectId)
    .where(wholeProjectInScope(scope, 'projects.id'))
    .forNoKeyUpdate()
    .executeTakeFirst()) ?? fault('project.missing');
