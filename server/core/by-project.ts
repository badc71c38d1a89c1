import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { inScope, type Scope } from './scope.ts';

export interface OfProject {
  projectId: number | null;
  deviceIds: number[];
}

/**
 * The devices of the scope among these, grouped by their project: an act on many devices is in the operation log of
 * each project that it concerns.
 */
export const byProject = async (db: Db, scope: Scope, deviceIds: readonly number[]): Promise<OfProject[]> => {
  if (deviceIds.length === 0) return [];
  const rows = await db
    .selectFrom('devices')
    .select(['id', 'project_id'])
    .where('id', '=', sql<number>`any(${[...deviceIds]}::int[])`)
    .where(inScope(scope, 'project_id', 'part_id'))
    .orderBy('project_id')
    .orderBy('id')
    .execute();
  return [...Map.groupBy(rows, (row) => row.project_id)].map(([projectId, own]) => ({
    projectId,
    deviceIds: own.map(({ id }) => id),
  }));
};
