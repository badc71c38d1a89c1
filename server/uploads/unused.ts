import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';

const dayMs = 86_400_000;
/** How long a form may stay open before it is sent with its image. */
const keepMs = 7 * dayMs;
const atOnce = 500;
/** Logs and ledgers do not count as uses: they describe the past, and grow. */
const ledgers = ['uploads', 'operation_log', 'serials', 'deliveries', 'messages', 'setting_changes'];

interface Column {
  table: string;
  column: string;
  type: string;
}

/**
 * Every column that could name an image, from the catalogue: a feature that shows images is found without
 * being registered. Partitions and tables that grow contain readings and alarms, never images.
 */
const columns = async (db: Db): Promise<Column[]> => {
  const { rows } = await sql<Column>`
    select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, null) in ('uuid', 'uuid[]', 'text', 'text[]', 'jsonb', 'character varying')
      and c.relname <> all(${ledgers})
      and c.relname !~ '^(alarm|readings|rollup|position|command|line_latest)'
    order by 1, 2`.execute(db);
  return rows;
};

/**
 * Whether a column of a row names the upload `old`. Text and JSON may contain it anywhere, for example in an
 * address.
 */
const mentions = ({ table, column, type }: Column) => {
  const value = sql`t.${sql.ref(column)}`;
  const hit =
    type === 'uuid'
      ? sql`${value} = old.id`
      : type === 'uuid[]'
        ? sql`old.id = any(${value})`
        : sql`strpos(${value}::text, old.id::text) > 0`;
  return sql`exists (select from ${sql.table(table)} t where ${hit})`;
};

/**
 * Deletes images that no row names and that were uploaded more than a week ago. Returns their number and
 * size.
 */
export const removeUnusedImages = async (
  db: Db,
  now: number,
): Promise<{ removed: number; bytes: number }> => {
  const used = sql.join((await columns(db)).map(mentions), sql` or `);
  const { rows } = await sql<{ bytes: number }>`
    delete from uploads where id in (
      select old.id from uploads old where old.created_at < ${new Date(now - keepMs)} and not (${used})
      order by old.created_at limit ${atOnce})
    returning bytes`.execute(db);
  return { removed: rows.length, bytes: rows.reduce((sum, row) => sum + row.bytes, 0) };
};

export const unusedImages = (db: Db): TimedWork => ({
  name: 'unusedImages',
  next: every(dayMs),
  run: ({ now }) => removeUnusedImages(db, now),
});
