import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectPool } from '#database/connect.ts';
import { migrate } from '#database/migrate.ts';
import { readConfig } from '#server/core/config.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { openDatabase, prepareDatabase } from '#server/start/database.ts';
import { freshDatabase, type TestDatabase } from './database.ts';

const schemas = path.join(import.meta.dirname, 'schemas');
let database: TestDatabase;
let client: pg.Client;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-upgrade-'));
});
afterAll(async () => {
  await client.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The database in the state of a released version. */
const asReleased = async (name: string) => {
  await client.query('drop schema public cascade; create schema public');
  await client.query(gunzipSync(await readFile(path.join(schemas, name))).toString());
};
const names = async () =>
  (await client.query<{ name: string }>('select name from migrations order by name')).rows.map(
    (row) => row.name,
  );

/** Stored schemas of releases: the newest migration of each, and the first one that it lacks. */
const releases = [
  ['0061.sql.gz', '0061_device_clock.sql', '0070_late_stretches.sql'],
  ['0195.sql.gz', '0195_trips_of_a_line.sql', '0200_search_starts.sql'],
  ['0225.sql.gz', '0225_search_mixed.sql', '0235_operations_of_accounts.sql'],
] as const;
/** Tables about the installation’s own work, tables derived from others, and tables that each start changes. */
const derived = ['migrations', 'scheduled_jobs', 'search_names'];
const rowsOfEach = async (tables: readonly string[]) => {
  const counts: Record<string, number> = {};
  for (const table of tables)
    counts[table] = (await client.query(`select count(*)::int as n from "${table}"`)).rows[0].n;
  return counts;
};
const filledTables = async () => {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const counts = await rowsOfEach(rows.map(({ name }) => name).filter((name) => !derived.includes(name)));
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
};

/** Starts this version on a stored database, and again; returns the names of the backups that it made. */
const startsOn = async (name: string): Promise<{ backups: string[]; shelf: string }> => {
  await asReleased(name);
  const before = await filledTables();
  const dataDir = await mkdtemp(path.join(folder, `${name}-`));
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    DATABASE_APP_URL: database.appUrl,
  });
  const shelf = path.join(dataDir, 'backups');
  const made = () => readdir(shelf).catch(() => []);
  await prepareDatabase(await openDatabase(config), { dataDir, now: Date.now() });
  const backups = await made();
  const { rows } = await client.query(
    `select p.name as project, d.name as device, l.name as line, r.channels,
       (select value from settings where key = 'control') as control
     from readings r join lines l on l.id = r.line_id join devices d on d.id = l.device_id
       join projects p on p.id = d.project_id`,
  );
  expect(rows).toEqual([
    { project: 'Harbour', device: 'Board 1', line: 'Pumps', channels: [230], control: { evidenceS: 25 } },
  ]);
  expect(await rowsOfEach(Object.keys(before))).toEqual(before);
  // The next start has nothing to do.
  await prepareDatabase(await openDatabase(config), { dataDir, now: Date.now() + 1000 });
  expect(await made()).toEqual(backups);
  return { backups, shelf };
};

it.each(releases)(
  'upgrades a database of %s after a backup of it, and keeps its data',
  async (name, newest, next) => {
    const { backups, shelf } = await startsOn(name);
    expect(backups).toHaveLength(1);
    const manifest = await readFile(path.join(shelf, backups[0]!, 'manifest.json'), 'utf8');
    expect(manifest).toContain('beforeUpgrade');
    expect(manifest).toContain(newest);
    expect(manifest).not.toContain(next);
  },
);

it('starts on a database of the newest release, and backs it up only if migrations are pending', async () => {
  const newest = (await readdir(schemas)).sort().at(-1)!;
  const migrations = await readdir(path.resolve(import.meta.dirname, '../database/migrations'));
  const pending = migrations.filter((name) => name.slice(0, 4) > newest.slice(0, 4));
  expect((await startsOn(newest)).backups).toHaveLength(Math.min(pending.length, 1));
});

it('calculates old sums of projects again: with lines that measure energy alone, without time in no project', async () => {
  await asReleased('0225.sql.gz');
  const [before, early, late] = ['2025-12-01T00:00Z', '2026-08-01T00:00Z', '2026-10-01T00:15Z'] as const;
  await client.query(`update devices set bound_at = '2026-01-01' where name = 'Board 1'`);
  // One line measures 2 kW; the other one has a register only, which counts 1 kW.
  await client.query(`insert into lines (device_id, n, name, created_at)
    select id, 9, 'Register', now() from devices where name = 'Board 1'`);
  await client.query(
    `insert into rollup_quarter (line_id, bucket, samples, covered_s, energy_kwh, power_avg)
     select l.id, at, 1, 900, case when l.n = 9 then 0.25 else 0.5 end, case when l.n = 9 then null else 2000 end
     from lines l join devices d on d.id = l.device_id, unnest($1::timestamptz[]) as at
     where d.name = 'Board 1' and l.name in ('Pumps', 'Register')`,
    [[before, early, late]],
  );
  await client.query(`insert into rollup_month (line_id, bucket, samples, covered_s, energy_kwh)
    select id, '2026-08-01', 1, 900, 0.25 from lines where name = 'Register'`);
  await client.query(
    `insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags, power_w)
     select project_id, 0, at, 2, 1800, 0.75, 0, 2000 from devices, unnest($1::timestamptz[]) as at where name = 'Board 1'`,
    [[before, early, late]],
  );
  await migrate(database.url);
  const pool = connectPool(database.url, 2);
  const rollups = createRollups({
    pool,
    clock: { now: () => Date.parse('2026-11-20'), steady: () => 0, after: () => () => {} },
  });
  await rollups.round();
  await rollups.stop();
  await pool.end();
  const { rows } = await client.query(
    'select bucket, lines, energy_kwh, power_w from load_quarter where part_id = 0 order by bucket',
  );
  expect(rows).toEqual(
    [early, late].map((at) => ({ bucket: new Date(at), lines: 2, energy_kwh: 0.75, power_w: 3000 })),
  );
});

it('leaves the schema unchanged when a migration fails, and reports which one and what to do', async () => {
  await asReleased('0061.sql.gz');
  const before = await names();
  const from = path.join(folder, 'migrations');
  await cp(path.resolve(import.meta.dirname, '../database/migrations'), from, { recursive: true });
  await writeFile(path.join(from, '9999_broken.sql'), 'alter table devices add column x no_such_type;');
  await expect(migrate(database.url, undefined, { from: pathToFileURL(`${from}/`) })).rejects.toThrow(
    /^The database could not be brought to this version: migration 9999_broken.sql failed \(.+\)\. Nothing was changed/,
  );
  expect(await names()).toEqual(before);
  expect((await client.query(`select to_regclass('scheduled_jobs') as there`)).rows[0].there).toBeNull();
});

it('runs no migration when the backup before it cannot be made', async () => {
  await asReleased('0061.sql.gz');
  const before = await names();
  const refused = migrate(database.url, undefined, {
    before: async () => {
      throw new Error('no space');
    },
  });
  await expect(refused).rejects.toThrow('no space');
  expect(await names()).toEqual(before);
});

/**
 * Upgrades as a start does, in a process whose files are limited to this many blocks of 512 bytes, like a
 * full disk.
 */
const upgradedWith = (blocks: number, dataDir: string) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    const script = `
      import { readConfig } from './server/core/config.ts';
      import { openDatabase, prepareDatabase } from './server/start/database.ts';
      const config = readConfig(process.env);
      await prepareDatabase(await openDatabase(config), { dataDir: config.dataDir, now: Date.now() })
        .catch((error) => { console.error(error.message); process.exitCode = 3; });`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    execFile(
      'sh',
      ['-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, 'sh', ...node],
      {
        cwd: path.resolve(import.meta.dirname, '..'),
        env: {
          ...process.env,
          DATA_DIR: dataDir,
          DATABASE_URL: database.url,
          DATABASE_APP_URL: database.appUrl,
        },
      },
      (error, _out, said) => resolve({ code: Number(error?.code ?? 0), said }),
    );
  });

it('runs no migration when the disk is too full for the backup, explains what to do, and continues with room', async () => {
  await asReleased('0061.sql.gz');
  await client.query(`insert into settings (key, value, updated_at)
    select 'kept' || n, to_jsonb(md5(random()::text) || md5(random()::text)), now() from generate_series(1, 20000) n`);
  const before = await names();
  const dataDir = path.join(folder, 'full');
  const refused = await upgradedWith(200, dataDir);
  expect(refused).toEqual({
    code: 3,
    said: expect.stringMatching(
      /^The database was not upgraded, because the backup before it could not be made \(.+\): free some space/,
    ),
  });
  expect(await names()).toEqual(before);
  expect((await client.query(`select count(*)::int as n from settings where key like 'kept%'`)).rows).toEqual(
    [{ n: 20_000 }],
  );
  expect(await readdir(path.join(dataDir, 'backups'))).toEqual([]);
  expect(await upgradedWith(2_000_000, dataDir)).toMatchObject({ code: 0 });
  expect(await names()).not.toEqual(before);
  expect(await readdir(path.join(dataDir, 'backups'))).toHaveLength(1);
});
