import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) {
    await removeEmbeddedPostgres(path.join(folder, 'data')).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
});

const run = (dataDir: string, script: string, args: readonly string[] = []) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const { DATABASE_URL: _, ...env } = process.env;
    const given = { env: { ...env, DATA_DIR: dataDir } };
    execFile(process.execPath, [`scripts/${script}.ts`, ...args], given, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
/** Starts the cluster of the data folder, runs a query and stops it. */
const asked = async <Result>(dataDir: string, ask: (client: pg.Client, url: string) => Promise<Result>) => {
  const { url, stop } = await startEmbeddedPostgres({ dataDir });
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return await ask(client, url);
  } finally {
    await client.end();
    await stop();
  }
};
const kept = async (client: pg.Client) =>
  (
    await client.query<{ n: number; sum: string }>(
      `select count(*)::int as n, md5(string_agg(value::text, ',' order by key)) as sum
     from settings where key like 'kept%'`,
    )
  ).rows[0];
const migrations = async (client: pg.Client) =>
  (await client.query<{ name: string }>('select name from migrations order by name')).rows.map(
    ({ name }) => name,
  );

it('explains how to upgrade a cluster of another major version, and upgrade and downgrade keep every row', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-major-'));
  folders.push(folder);
  await chmod(folder, 0o755);
  const dataDir = path.join(folder, 'data');
  const all = (await readdir('database/migrations')).sort();
  const older = all.filter((name) => name < '0106');
  // State of the previous release: an older schema, with rows.
  const before = await asked(dataDir, async (client, url) => {
    await migrate(url, undefined, { only: older });
    await client.query(`insert into settings (key, value, updated_at)
      select 'kept' || n, to_jsonb(repeat(md5(n::text), 20)), now() from generate_series(1, 500) n`);
    return kept(client);
  });
  expect(before).toMatchObject({ n: 500 });
  const made = await run(dataDir, 'backup');
  expect(made).toMatchObject({ code: 0, err: '' });
  const name = path.basename(made.out.split(':')[0]!);

  const cluster = path.join(dataDir, 'postgres');
  const version = path.join(cluster, 'PG_VERSION');
  const own = await readFile(version, 'utf8');
  await writeFile(version, '17\n');
  const refused = await run(dataDir, 'restore', [name]);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain(`The database in ${cluster} was made by PostgreSQL 17`);
  expect(refused.err).toContain(`move ${cluster} aside, then run npm run restore`);

  const aside = path.join(dataDir, 'postgres-old');
  await rename(cluster, aside);
  expect(await run(dataDir, 'restore', [name])).toMatchObject({ code: 0, err: '' });
  expect(await asked(dataDir, kept)).toEqual(before);
  expect(await asked(dataDir, migrations)).toEqual(all);

  // The downgrade: the old cluster is unchanged.
  await rename(cluster, path.join(dataDir, 'postgres-new'));
  await rename(aside, cluster);
  await writeFile(version, own);
  expect(await asked(dataDir, kept)).toEqual(before);
  expect(await asked(dataDir, migrations)).toEqual(older);
}, 180_000);
