import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** Lock-out tags that prevent devices from being moved: on them, their lines or their project. */
export interface Kept {
  byTag: ReadonlySet<number>;
  byProject: ReadonlySet<number>;
}

/** Call it for devices with locked rows: setting a tag locks them too, so that none is set meanwhile. */
export const keptByTags = async (trx: Db, ids: readonly number[]): Promise<Kept> => {
  const { rows } = await sql<{ id: number; project: boolean }>`
    select device_id as id, bool_or(placed_on = 'project') as project from active_tags
    where device_id = any(${[...ids]}::int[]) group by device_id`.execute(trx);
  return {
    byTag: new Set(rows.map(({ id }) => id)),
    byProject: new Set(rows.flatMap(({ id, project }) => (project ? id : []))),
  };
};
