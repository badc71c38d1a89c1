import { sql } from 'kysely';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { projectEndpoints } from '#contract/projects.ts';
import { regionPathText } from '#contract/region-names.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { projectInScope, type Scope } from '#server/core/scope.ts';
import { regionPath } from '#server/regions/regions.store.ts';

type Form = ReplyOf<typeof projectEndpoints.form>;

/** A project as its form shows it, for users who see the project or a part of it. */
export const projectForm = async (
  db: Db,
  scope: Scope,
  projectId: number,
  language: Language,
): Promise<Form> => {
  const row = await db
    .selectFrom('projects')
    .innerJoin('regions', 'regions.id', 'projects.region_id')
    .selectAll('projects')
    .select(regionPath('regions.path').as('path'))
    .where('projects.id', '=', projectId)
    .where(notDeleted('projects'))
    .where(sql<boolean>`${projectInScope(scope, 'projects.id')}`)
    .executeTakeFirst();
  if (!row) return fault('project.missing');
  const { id, code, path, deleted_at: _, joined_at, ...rest } = row;
  return {
    ...rest,
    project_id: id,
    project_codeid: code,
    region_ids: path.map((region) => region.id),
    region: regionPathText(path, language),
    joined_at: joined_at.toISOString(),
  };
};
