import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { grantToApp } from './app-role.ts';
import { reasonOf, StartError } from './start-error.ts';

const folder = new URL('./migrations/', import.meta.url);
const advisoryLock = 7_204_001;

interface MigrateOptions {
  /** Called with the pending migrations before an existing schema is changed. If it throws, none runs. */
  before?: (pending: readonly string[]) => Promise<void>;
  /** Runs only these migrations: the schema of a backup. */
  only?: readonly string[];
  /** Folder of the migrations. */
  from?: URL;
}

/**
 * Migrates the database to the newest schema: each file of `migrations/` once, in order, all in one
 * transaction, under an advisory lock so that several nodes may start together. Forward only. If one fails,
 * the schema does not change. Throws StartError in that case, and if an applied migration has been removed or
 * renamed. `appRole` gets the permissions that the server needs.
 */
export const migrate = async (
  connectionString: string,
  appRole?: string,
  { before, only, from = folder }: MigrateOptions = {},
): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLock]);
    await client.query(
      'create table if not exists migrations (name text primary key, at timestamptz not null default now())',
    );
    const done = (await client.query<{ name: string }>('select name from migrations order by name')).rows.map(
      (row) => row.name,
    );
    const files = (await readdir(from)).filter((name) => name.endsWith('.sql')).sort();
    const lost = done.find((name) => !files.includes(name));
    if (lost)
      throw new StartError(
        `The database knows migration ${lost}, which this version does not have: use the newer version, or restore a backup of this one.`,
      );
    const pending = files.filter((file) => !done.includes(file) && (only?.includes(file) ?? true));
    if (pending.length > 0 && done.length > 0) await before?.(pending);
    await runAll(client, from, pending);
    if (appRole !== undefined) await grantToApp(client, appRole);
  } finally {
    await client.end();
  }
};

const runAll = async (client: pg.ClientBase, from: URL, names: readonly string[]): Promise<void> => {
  await client.query('begin');
  for (const name of names)
    try {
      await client.query(await readFile(new URL(name, from), 'utf8'));
      await client.query('insert into migrations (name) values ($1)', [name]);
    } catch (error) {
      await client.query('rollback');
      throw new StartError(
        `The database could not be brought to this version: migration ${name} failed (${reasonOf(error)}). Nothing was changed: go on with the version before, which starts as it did.`,
      );
    }
  await client.query('commit');
};
