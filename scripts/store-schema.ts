/**
 * npm run store-schema
 * Writes `test/schemas/NNNN.sql.gz` for a release: its migrations, and the rows of the newest stored installation as
 * this version keeps them. NNNN is the number of the newest migration.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { migrate } from '#database/migrate.ts';
import { readConfig } from '#server/core/config.ts';
import { openDatabase } from '#server/start/database.ts';
import { root } from './console.ts';

const schemas = path.join(root, 'test/schemas');
const migrations = path.join(root, 'database/migrations');

/** The rows of each table that has some, as statements that replace what the migrations wrote. */
const rowsAsSql = async (client: pg.Client): Promise<string[]> => {
  const tables = await client.query<{ name: string; columns: string; serial: string | null }>(`
    select c.relname as name,
      (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
       where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      case when exists (select from pg_attribute where attrelid = c.oid and attname = 'id')
        then pg_get_serial_sequence(quote_ident(c.relname), 'id') end as serial
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'migrations'
    order by c.relname`);
  const statements: string[] = [];
  for (const { name, columns, serial } of tables.rows) {
    const { rows } = await client.query<{ rows: string | null }>(
      `select jsonb_agg(r)::text as rows from (select ${columns} from "${name}") r`,
    );
    const found = rows[0]!.rows;
    if (found === null) continue;
    statements.push(
      `delete from "${name}";`,
      `insert into "${name}" (${columns}) overriding system value select ${columns} from jsonb_populate_recordset(null::"${name}", $dump$${found}$dump$);`,
    );
    if (serial) statements.push(`select setval('${serial}', (select coalesce(max(id), 1) from "${name}"));`);
  }
  return statements;
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-schema-'));
const database = await openDatabase(readConfig({ DATA_DIR: dataDir }));
const client = new pg.Client({ connectionString: database.ownerUrl });
await client.connect();
try {
  const files = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort();
  const newest = files.at(-1)!;
  const last = (await readdir(schemas)).sort().at(-1)!;
  const stored = gunzipSync(await readFile(path.join(schemas, last))).toString();
  await client.query(stored);
  await migrate(database.ownerUrl);
  const texts = await Promise.all(
    files.map(async (name) => `-- ${name}\n${await readFile(path.join(migrations, name), 'utf8')}`),
  );
  const parts = [
    'create table migrations (name text primary key, at timestamptz not null default now());',
    ...texts,
    `insert into migrations (name) values ${files.map((name) => `('${name}')`).join(', ')};`,
    // Partitions are made by the running server, not by migrations.
    ...stored.split('\n').filter((line) => /^create table \w+ partition of /.test(line)),
    'set session_replication_role = replica;',
    ...(await rowsAsSql(client)),
    'set session_replication_role = default;',
    '',
  ];
  const target = path.join(schemas, `${newest.slice(0, 4)}.sql.gz`);
  await writeFile(target, gzipSync(parts.join('\n'), { level: 9 }));
  console.log(path.relative(root, target));
} finally {
  await client.end();
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}
