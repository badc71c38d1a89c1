import { type Selectable, sql } from 'kysely';
import type { CategoryRow, categoryEndpoints } from '#contract/categories.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import type { Db, Tables } from '#database/connect.ts';
import { containing } from '#server/core/containing.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { everyRow } from '#server/core/table.ts';

type List = BodyOf<typeof categoryEndpoints.list>;
type Filter = Pick<List, 'name' | 'status'>;
type Row = Selectable<Tables['categories']> & { devices: number };
const mostOptions = 500;

const viewOf = (row: Row): CategoryRow => ({
  id: row.id,
  name: row.name,
  icon_id: row.icon_id,
  description: row.description,
  status: row.enabled ? 'enabled' : 'disabled',
  created_at: row.created_at.toISOString(),
  devices: row.devices,
  revision: row.revision,
});

/** The enabled categories, to which devices can be assigned. */
export const categoryOptions = async (db: Db): Promise<ReplyOf<typeof categoryEndpoints.options>> => ({
  list: await db
    .selectFrom('categories')
    .select(['id', 'name', 'icon_id'])
    .where('enabled', '=', true)
    .orderBy('name')
    .limit(mostOptions)
    .execute(),
});

export const categoryStore = (db: Db, scope: Scope) => {
  const matching = ({ name, status }: Filter) =>
    db
      .selectFrom('categories')
      .$if(name !== undefined, (query) => query.where('categories.name', 'ilike', containing(name!)))
      .$if(status !== undefined, (query) => query.where('enabled', '=', status === 'enabled'));
  const page = async (
    filter: Filter,
    sort: string,
    limit: number,
    offset: number,
  ): Promise<CategoryRow[]> => {
    const field = sort.replace('-', '') as 'name' | 'created_at';
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const rows = await matching(filter)
      .selectAll('categories')
      .select(
        sql<number>`(select count(*) from devices where devices.category_id = categories.id
          and ${notDeleted('devices')}
          and ${inScope(scope, 'devices.project_id', 'devices.part_id')})`.as('devices'),
      )
      .orderBy(`categories.${field}`, direction)
      .orderBy('categories.id', direction)
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(viewOf);
  };
  const checkIcon = async (iconId: string) => {
    const image = await db.selectFrom('uploads').select('id').where('id', '=', iconId).executeTakeFirst();
    if (!image) fault('request.invalid', { fields: { icon_id: 'upload.unknown' } });
  };
  const checkName = async (name: string, id = 0) => {
    const taken = await db
      .selectFrom('categories')
      .select('id')
      .where(sql`lower(name)`, '=', sql`lower(${name})`)
      .where('id', '<>', id)
      .executeTakeFirst();
    if (taken) fault('category.taken', { fields: { name: 'category.taken' } });
  };
  return {
    async list(body: List): Promise<ReplyOf<typeof categoryEndpoints.list>> {
      const { total } = await matching(body)
        .select((select) => select.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const list = await page(body, body.sort ?? 'name', body.limit, (body.page - 1) * body.limit);
      return { list, total, page: body.page, limit: body.limit };
    },
    all: (filter: Filter) =>
      everyRow(async ({ page: number, limit }) => ({
        list: await page(filter, 'name', limit, (number - 1) * limit),
      })),
    async add(body: BodyOf<typeof categoryEndpoints.add>, at: Date) {
      // Held until the commit: another category with the same name waits here, and then finds this one.
      await sql`select pg_advisory_xact_lock(hashtextextended('category', 0))`.execute(db);
      await checkName(body.name);
      await checkIcon(body.icon_id);
      return db
        .insertInto('categories')
        .values({ ...body, created_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
    },
    /** Throws `category.missing`, and `thing.changed` if another user changed it meanwhile. */
    async edit({ id, revision, ...changes }: BodyOf<typeof categoryEndpoints.edit>) {
      await sql`select pg_advisory_xact_lock(hashtextextended('category', 0))`.execute(db);
      const known = await db
        .selectFrom('categories')
        .selectAll()
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst();
      if (!known) return fault('category.missing');
      if (revision !== undefined && revision !== known.revision) return fault('thing.changed');
      if (changes.name !== undefined) await checkName(changes.name, id);
      if (changes.icon_id !== undefined) await checkIcon(changes.icon_id);
      return db
        .updateTable('categories')
        .set({ ...changes, revision: known.revision + 1 })
        .where('id', '=', id)
        .returning(['id', 'revision'])
        .executeTakeFirstOrThrow();
    },
    /** Deleted devices do not keep a category in use. */
    async remove(
      ids: readonly number[],
      language: Language,
    ): Promise<ReplyOf<typeof categoryEndpoints.remove>> {
      const held = await db
        .selectFrom('categories')
        .select('id')
        .where('id', 'in', [...ids])
        .orderBy('id')
        .forUpdate()
        .execute();
      const used = await db
        .selectFrom('devices')
        .select('category_id')
        .distinct()
        .where('category_id', 'in', [...ids])
        .where(notDeleted('devices'))
        .execute();
      const kept = new Set(used.map(({ category_id }) => category_id));
      const gone = held.map(({ id }) => id).filter((id) => !kept.has(id));
      if (gone.length > 0) await db.deleteFrom('categories').where('id', 'in', gone).execute();
      return {
        results: ids.map((id) => {
          if (gone.includes(id)) return { id, result: 'done' as const };
          const reason = kept.has(id) ? 'used' : 'missing';
          const message = sentence(`category.${reason}`, language);
          return { id, result: 'skipped' as const, reason, message };
        }),
      };
    },
  };
};
