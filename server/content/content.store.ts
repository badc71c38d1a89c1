import type { Selectable } from 'kysely';
import type { ContentRow, contentEndpoints } from '#contract/content.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Db, Tables } from '#database/connect.ts';
import { containing } from '#server/core/containing.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { everyRow } from '#server/core/table.ts';

type List = BodyOf<typeof contentEndpoints.list>;
type Filter = Pick<List, 'title' | 'status'>;
type Row = Selectable<Tables['contents']> & { author: string | null };
const mostPublished = 100;

const viewOf = (row: Row): ContentRow => ({
  id: row.id,
  title: row.title,
  content: row.content,
  status: row.enabled ? 'enabled' : 'disabled',
  author: row.author ?? '',
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  revision: row.revision,
});

export const contentStore = (db: Db) => {
  const matching = ({ title, status }: Filter) =>
    db
      .selectFrom('contents')
      .$if(title !== undefined, (query) => query.where('contents.title', 'ilike', containing(title!)))
      .$if(status !== undefined, (query) => query.where('contents.enabled', '=', status === 'enabled'));
  const page = async (filter: Filter, sort: string, limit: number, offset: number): Promise<ContentRow[]> => {
    const field = sort.replace('-', '') as 'title' | 'created_at' | 'updated_at';
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const rows = await matching(filter)
      .leftJoin('users', 'users.id', 'contents.created_by')
      .selectAll('contents')
      .select(displayNameOf('users').$castTo<string | null>().as('author'))
      .orderBy(`contents.${field}`, direction)
      .orderBy('contents.id', direction)
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(viewOf);
  };
  return {
    async list(body: List): Promise<ReplyOf<typeof contentEndpoints.list>> {
      const { total } = await matching(body)
        .select((select) => select.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const list = await page(body, body.sort ?? '-updated_at', body.limit, (body.page - 1) * body.limit);
      return { list, total, page: body.page, limit: body.limit };
    },
    all: (filter: Filter) =>
      everyRow(async ({ page: number, limit }) => ({
        list: await page(filter, 'created_at', limit, (number - 1) * limit),
      })),
    async published(): Promise<ReplyOf<typeof contentEndpoints.published>> {
      return { list: await page({ status: 'enabled' }, '-updated_at', mostPublished, 0) };
    },
    async add({ enabled, ...text }: BodyOf<typeof contentEndpoints.add>, userId: number, at: Date) {
      return db
        .insertInto('contents')
        .values({ ...text, enabled, created_by: userId, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
    },
    /** Throws `content.missing`, and `thing.changed` if another user changed it meanwhile. */
    async edit({ id, revision, ...changes }: BodyOf<typeof contentEndpoints.edit>, at: Date) {
      const known = await db
        .selectFrom('contents')
        .select('revision')
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst();
      if (!known) return fault('content.missing');
      if (revision !== undefined && revision !== known.revision) return fault('thing.changed');
      return db
        .updateTable('contents')
        .set({ ...changes, updated_at: at, revision: known.revision + 1 })
        .where('id', '=', id)
        .returning(['id', 'revision'])
        .executeTakeFirstOrThrow();
    },
    async remove(ids: readonly number[]) {
      const gone = await db
        .deleteFrom('contents')
        .where('id', 'in', [...ids])
        .executeTakeFirst();
      return { done: Number(gone.numDeletedRows) };
    },
  };
};
