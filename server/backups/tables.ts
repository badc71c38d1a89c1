import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { DatabaseTable } from '#contract/backups.ts';
import { isBackedUp, isPlainName } from '#database/backup/catalogue.ts';
import type { Shelved } from '#database/backup/shelf.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';

const migrations = new URL('../../database/migrations/', import.meta.url);

/**
 * The migration that created each table, under its present name. PostgreSQL itself does not store creation
 * times.
 */
const readOrigins = async (): Promise<ReadonlyMap<string, string>> => {
  const origins = new Map<string, string>();
  for (const file of (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()) {
    const text = await readFile(new URL(file, migrations), 'utf8');
    for (const [, made, from, to] of text.matchAll(
      /^create (?:unlogged )?table (?:if not exists )?(\w+)|^alter table (\w+) rename to (\w+)/gim,
    ))
      if (made !== undefined) origins.set(made, file);
      else if (from !== undefined && to !== undefined) {
        origins.set(to, origins.get(from) ?? file);
        origins.delete(from);
      }
  }
  return origins;
};
let origins: Promise<ReadonlyMap<string, string>> | null = null;

interface Measured {
  name: string;
  rows: number;
  partitions: number;
  data_bytes: number;
  size_bytes: number;
}

/** Every table of the product with its size; a partitioned table is one row. */
const measure = async (db: Db): Promise<Measured[]> =>
  (
    await sql<Measured>`
      with recursive part as (
        select c.oid, c.relname as root, c.relkind from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
        union all
        select i.inhrelid, part.root, child.relkind from part
        join pg_inherits i on i.inhparent = part.oid join pg_class child on child.oid = i.inhrelid)
      select part.root as name,
        coalesce(sum(case when s.n_live_tup > 0 then s.n_live_tup else greatest(c.reltuples, 0) end), 0)::float8 as rows,
        (count(*) - 1)::int as partitions,
        coalesce(sum(pg_table_size(part.oid)), 0)::float8 as data_bytes,
        coalesce(sum(pg_total_relation_size(part.oid)), 0)::float8 as size_bytes
      from part join pg_class c on c.oid = part.oid left join pg_stat_all_tables s on s.relid = part.oid
      group by part.root order by part.root`.execute(db)
  ).rows.filter(({ name }) => isPlainName(name));

const lastBackups = (shelf: readonly Shelved[]): ReadonlyMap<string, { name: string; at: string }> => {
  const found = new Map<string, { name: string; at: string }>();
  for (const { name, manifest, isWhole } of shelf)
    if (manifest && isWhole)
      for (const table of manifest.tables)
        if (!found.has(table.name)) found.set(table.name, { name, at: manifest.made_at });
  return found;
};

export const tableList = async (db: Db, shelf: readonly Shelved[]): Promise<DatabaseTable[]> => {
  origins ??= readOrigins();
  const [made, measured, ran] = await Promise.all([
    origins,
    measure(db),
    sql<{ name: string; at: Date }>`select name, at from migrations order by at`.execute(db),
  ]);
  const at = new Map(ran.rows.map((row) => [row.name, row.at]));
  const backups = lastBackups(shelf);
  return measured.map((table) => {
    const origin = made.get(table.name);
    const created = table.name === 'migrations' ? ran.rows[0]?.at : at.get(origin ?? '');
    const last = backups.get(table.name) ?? null;
    return {
      ...table,
      rows: Math.round(table.rows),
      created_at: created?.toISOString() ?? null,
      status: isBackedUp(table.name) ? (last ? 'completed' : 'none') : 'excluded',
      last_backup: last,
    };
  });
};

/**
 * Validates names against the catalogue; throws `backup.table` for the first that is not a table of the
 * product.
 */
export const knownTables = async (db: Db, names: readonly string[]): Promise<string[]> => {
  const known = new Set((await measure(db)).map(({ name }) => name));
  const strange = names.find((name) => !known.has(name));
  return strange === undefined
    ? [...new Set(names)]
    : fault('backup.table', { with: { table: strange.slice(0, 63) } });
};
