import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** What keeps devices where they are: lock-out tags that stand on them or their lines, or on the project they are in. */
export interface Kept {
  byTag: ReadonlySet<number>;
  byProject: ReadonlySet<number>;
}

/** Of devices whose rows are held: whoever sets a tag holds them too, so that none is set meanwhile. */
export const keptByTags = async (trx: Db, ids: readonly number[]): Promise<Kept> => {
  const { rows } = await sql<{ id: number; project: boolean }>`
    select devices.id, bool_or(tag.project_id is not null) as project from devices
    join lockout_tags tag on tag.removed_at is null and (tag.device_id = devices.id
      or tag.project_id = devices.project_id
      or tag.line_id in (select lines.id from lines where lines.device_id = devices.id))
    where devices.id = any(${[...ids]}::int[]) group by devices.id`.execute(trx);
  return {
    byTag: new Set(rows.map(({ id }) => id)),
    byProject: new Set(rows.flatMap(({ id, project }) => (project ? id : []))),
  };
};
