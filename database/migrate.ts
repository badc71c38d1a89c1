import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { grantToApp } from './app-role.ts';

const folder = new URL('./migrations/', import.meta.url);
const advisoryLock = 7_204_001;

/**
 * Brings the database to the newest schema: each file of `migrations/` once, in order, in a transaction of its own,
 * under an advisory lock so that several nodes may start together. Forward only.
 * Throws when a migration that ran has since been removed or renamed. `appRole` is given what the server needs.
 */
export const migrate = async (connectionString: string, appRole?: string): Promise<void> => {
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
    const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
    const lost = done.find((name) => !files.includes(name));
    if (lost)
      throw new Error(
        `The database knows migration ${lost}, which this version does not have: use the newer version.`,
      );
    for (const name of files.filter((file) => !done.includes(file))) {
      await client.query('begin');
      await client.query(await readFile(new URL(name, folder), 'utf8'));
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query('commit');
    }
    if (appRole !== undefined) await grantToApp(client, appRole);
  } finally {
    await client.end();
  }
};
