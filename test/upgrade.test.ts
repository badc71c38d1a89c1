import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { readConfig } from '#server/core/config.ts';
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

/** The database as a released version left it. */
const asReleased = async (name: string) => {
  await client.query('drop schema public cascade; create schema public');
  await client.query(gunzipSync(await readFile(path.join(schemas, name))).toString());
};
const names = async () =>
  (await client.query<{ name: string }>('select name from migrations order by name')).rows.map(
    (row) => row.name,
  );

it.each(['0061.sql.gz'])(
  'upgrades a database of %s after a backup of it, and keeps what is in it',
  async (name) => {
    await asReleased(name);
    const config = readConfig({
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      DATABASE_APP_URL: database.appUrl,
    });
    await prepareDatabase(await openDatabase(config), { dataDir: folder, now: Date.now() });
    const { rows } = await client.query(
      `select p.name as project, d.name as device, l.name as line, r.channels,
       (select value from settings where key = 'control') as control
     from readings r join lines l on l.id = r.line_id join devices d on d.id = l.device_id
       join projects p on p.id = d.project_id`,
    );
    expect(rows).toEqual([
      { project: 'Harbour', device: 'Board 1', line: 'Pumps', channels: [230], control: { evidenceS: 25 } },
    ]);
    const backups = await readdir(path.join(folder, 'backups'));
    expect(backups).toHaveLength(1);
    const manifest = await readFile(path.join(folder, 'backups', backups[0]!, 'manifest.json'), 'utf8');
    expect(manifest).toContain('beforeUpgrade');
    expect(manifest).toContain('0061_device_clock.sql');
    expect(manifest).not.toContain('0081_app_role.sql');
    // The next start has nothing to do and backs nothing up.
    await prepareDatabase(await openDatabase(config), { dataDir: folder, now: Date.now() + 1000 });
    expect(await readdir(path.join(folder, 'backups'))).toHaveLength(1);
  },
);

it('leaves the schema as it was when a migration fails, and says which and what to do', async () => {
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

it('runs nothing when the backup before it cannot be made', async () => {
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

/** Upgrades as a start does, in a process whose files may have so many blocks of 512 bytes: a disk that is full. */
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

it('runs nothing when the disk is too full for the backup before it, says what to do, and goes on with room', async () => {
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
