import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { limits } from '#contract/limits.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { inOwnTime } from '#server/core/ownership.ts';
import { inScope, projectInScope, type Scope } from '#server/core/scope.ts';

/**
 * Rows that show images: users who may see such a row may see its image. A feature that shows images adds its
 * own.
 */
const uses = (scope: Scope, id: string) => [
  // Icons of categories are shown beside devices everywhere.
  sql`exists (select from categories where icon_id = ${id})`,
  sql`exists (select from devices where image_id = ${id}
    and ${inScope(scope, 'devices.project_id', 'devices.part_id')})`,
  sql`exists (select from lockout_tags tag
    left join lines on lines.id = tag.line_id
    left join devices on devices.id = coalesce(tag.device_id, lines.device_id)
    where tag.photo_id = ${id} and (${projectInScope(scope, 'tag.project_id')}
      or (${inScope(scope, 'devices.project_id', 'devices.part_id')}
        and ${inOwnTime(scope, 'devices.id', 'tag.set_at')})))`,
  sql`exists (select from maintenance_records record
    where (record.before_images @> array[${id}::uuid] or record.after_images @> array[${id}::uuid])
      and ${inScope(scope, 'record.project_id', 'record.part_id')})`,
];

export const uploadStore = (db: Db) => ({
  /** Stores a file; identical bytes of one user are stored once. */
  async keep(content: Buffer, mediaType: string, userId: number, at: Date): Promise<string> {
    const sha256 = createHash('sha256').update(content).digest();
    // The time is updated too: an unused image is kept for a week after its last upload.
    const known = await db
      .updateTable('uploads')
      .set({ created_at: at })
      .where('created_by', '=', userId)
      .where('sha256', '=', sha256)
      .returning('id')
      .executeTakeFirst();
    if (known) return known.id;
    const { rows } = await sql<{ own: number; whole: number }>`
      select coalesce(sum(bytes) filter (where created_by = ${userId}), 0)::float8 as own,
        coalesce(sum(bytes), 0)::float8 as whole from uploads`.execute(db);
    const { own = 0, whole = 0 } = rows[0] ?? {};
    if (own + content.length > limits.uploadsOfUserBytes || whole + content.length > limits.uploadsInAllBytes)
      fault('upload.quota');
    const id = randomUUID();
    await db
      .insertInto('uploads')
      .values({
        id,
        media_type: mediaType,
        bytes: content.length,
        sha256,
        content,
        created_by: userId,
        created_at: at,
      })
      .execute();
    return id;
  },

  /**
   * The file for its uploader and for users who may see a row that shows it; throws `thing.missing` for
   * everybody else.
   */
  async get(caller: { userId: number; scope: Scope }, id: string) {
    const file = await db
      .selectFrom('uploads')
      .selectAll()
      .where('id', '=', id)
      .$if(!caller.scope.all, (query) =>
        query.where(
          sql<boolean>`(uploads.created_by = ${caller.userId} or ${sql.join(uses(caller.scope, id), sql` or `)})`,
        ),
      )
      .executeTakeFirst();
    return file ?? fault('thing.missing');
  },
});
