import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBackedUp, quoted, readTables } from '#database/backup/catalogue.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { eventually } from './wait.ts';

let folder: string;
let source: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-command-'));
  source = await freshDatabase();
  await query(
    source,
    `insert into settings (key, value, updated_at) select 'k' || n, to_jsonb(repeat(md5(n::text), 20)), now() from generate_series(1, 3000) n`,
  );
});
afterAll(async () => {
  await source.drop();
  await rm(folder, { recursive: true, force: true });
});

const query = async <Row extends pg.QueryResultRow>({ url }: TestDatabase, text: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
};
/** Every row that backups contain, by table. */
const rowsOf = async ({ url }: TestDatabase): Promise<Record<string, string[]>> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found: Record<string, string[]> = {};
  for (const { name } of (await readTables(client)).filter((table) => isBackedUp(table.name)))
    found[name] = (
      await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${quoted(name)} t order by 1`)
    ).rows.map(({ row }) => row);
  await client.end();
  return found;
};
/** Runs a script; `limit` is the maximum file size in blocks of 512 bytes. */
const run = (
  script: string,
  database: TestDatabase,
  args: readonly string[] = [],
  { dataDir = folder, limit }: { dataDir?: string; limit?: number } = {},
) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const node = [process.execPath, `scripts/${script}.ts`, ...args];
    const limited = ['sh', '-c', `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`, 'sh', ...node];
    const [file, ...rest] = limit === undefined ? node : limited;
    execFile(
      file!,
      rest,
      { env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: dataDir } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
const nameIn = (out: string): string => path.basename(out.split(':')[0]!);

/** Flips one bit in the middle of a backup's largest volume. */
const damage = async (backup: string) => {
  const volumes = (await readdir(backup)).filter((name) => name !== 'manifest.json');
  const sizes = await Promise.all(volumes.map(async (name) => (await stat(path.join(backup, name))).size));
  const file = path.join(backup, volumes[sizes.indexOf(Math.max(...sizes))]!);
  const bytes = await readFile(file);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(file, bytes);
};

describe('the commands', () => {
  it('the commands restore a product on another machine, row by row', async () => {
    const made = await run('backup', source);
    expect(made).toMatchObject({ code: 0, err: '' });
    const name = nameIn(made.out);
    const elsewhere = await freshDatabase();
    const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-elsewhere-'));
    await cp(path.join(folder, 'backups'), path.join(dataDir, 'backups'), { recursive: true });
    const restored = await run('restore', elsewhere, [name], { dataDir });
    expect(restored).toMatchObject({ code: 0, err: '' });
    const { operation_log: _a, operation_log_head: _b, ...before } = await rowsOf(source);
    expect(await rowsOf(elsewhere)).toMatchObject(before);
    await elsewhere.drop();
    await rm(dataDir, { recursive: true });
  });

  it('a restore of a damaged backup changes nothing and says why', async () => {
    const { out } = await run('backup', source);
    await damage(path.join(folder, 'backups', nameIn(out)));
    const before = await rowsOf(source);
    const refused = await run('restore', source, [nameIn(out)]);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/is damaged/);
    expect(await rowsOf(source)).toEqual(before);
    await rm(path.join(folder, 'backups', nameIn(out)), { recursive: true });
  });

  it('a backup that fails midway leaves no file behind', async () => {
    const before = await readdir(path.join(folder, 'backups'));
    const full = await run('backup', source, [], { limit: 8 });
    expect(full.code).toBe(1);
    expect(full.err).toContain('The disk is full');
    expect(await readdir(path.join(folder, 'backups'))).toEqual(before);
  });

  it('a restore needs the passphrase of an encrypted backup, and no other client of the database', async () => {
    const [right, wrong] = [path.join(folder, 'right'), path.join(folder, 'wrong')];
    await writeFile(right, 'correct horse battery staple\n');
    await writeFile(wrong, 'correct horse battery stable\n');
    const name = nameIn((await run('backup', source, ['--passphrase-file', right])).out);
    expect(await run('restore', source, [name, '--passphrase-file', wrong])).toMatchObject({
      code: 1,
      err: 'The passphrase is wrong\n',
    });
    expect(await run('restore', source, [name])).toMatchObject({ code: 1 });
    const other = new pg.Client({ connectionString: source.url });
    await other.connect();
    const refused = await run('restore', source, [name, '--passphrase-file', right]);
    await other.end();
    expect(refused.err).toContain('stop every node first');
    expect(await run('restore', source, [name, '--passphrase-file', right])).toMatchObject({ code: 0 });
    expect((await run('restore', source, ['nobody'])).err).toBe('There is no such backup\n');
  });
});

describe('a running server', () => {
  let server: ServerProcess;
  let database: TestDatabase;
  let dataDir: string;
  let token = '';
  const heard: string[] = [];
  const addressNow = () => [...heard.join('').matchAll(/ready after .*?(http:\S+)/g)].at(-1)?.[1] ?? '';
  const starts = () => heard.join('').split('Ctrl-C stops everything').length - 1;
  const call = async (where: string, body: object = {}) => {
    const response = await fetch(addressNow() + where, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token, 'accept-language': 'en' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { code: number; msg: string; data: Record<string, unknown> };
  };
  const signIn = async () => {
    token = '';
    const answer = await call('/sign_user/signin', { username: 'admin', password: 'server12345' });
    token = String(answer.data['token']);
  };
  const said = () => heard.join('');
  beforeAll(async () => {
    database = await freshDatabase();
    dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-restored-'));
    server = await startServer({ DATABASE_URL: database.url, DATA_DIR: dataDir });
    heard.push(server.said);
    server.process.stdout?.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    await signIn();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('stops in order, restores the backup before any part begins, and continues by itself', async () => {
    const password = 'server12345';
    const begun = await call('/database/backup', { password });
    const job = (id: unknown) => call('/database/get_job', { job_id: id });
    const { backup } = await eventually(
      async () => {
        const { data } = await job(begun.data['job_id']);
        return data['state'] === 'done' && data;
      },
      { said },
    );
    await query(
      database,
      `update settings set value = '{"damaged": true}'; delete from alarm_types where code > 300`,
    );
    const damaged = await query<{ n: string }>(database, 'select count(*) as n from alarm_types');
    const restore = await call('/database/restore', { name: backup, confirm: backup, password });
    expect(restore).toMatchObject({ code: 200 });
    await eventually(async () => starts() === 2, { said });
    expect((await call('/database/summary')).code).not.toBe(200);
    await signIn();
    expect((await job(restore.data['job_id'])).data).toMatchObject({
      state: 'done',
      message: null,
      result: { snapshot: expect.any(String), log_kept: true },
    });
    const types = await query<{ n: string }>(database, 'select count(*) as n from alarm_types');
    expect(Number(types[0]!.n)).toBeGreaterThan(Number(damaged[0]!.n));
    expect(await query(database, `select from settings where value = '{"damaged": true}'`)).toEqual([]);
    expect(await call('/operation_log/verify')).toMatchObject({ data: { broken: null } });
  });

  it('keeps its data and continues when a restore fails, and says why', async () => {
    const password = 'server12345';
    const ended = (id: unknown) =>
      eventually(
        async () => {
          const { data } = await call('/database/get_job', { job_id: id });
          return ['done', 'failed'].includes(String(data['state'])) && data;
        },
        { said },
      );
    const begun = await call('/database/backup', { password });
    const { backup } = await ended(begun.data['job_id']);
    await damage(path.join(dataDir, 'backups', String(backup)));
    const before = await rowsOf(database);
    const startsBefore = starts();
    const restore = await call('/database/restore', { name: backup, confirm: backup, password });
    expect(await ended(restore.data['job_id'])).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('is damaged'),
    });
    expect(starts()).toBe(startsBefore);
    expect((await call('/database/summary')).code).toBe(200);
    const { alarm_types, settings, users } = await rowsOf(database);
    expect({ alarm_types, settings, users }).toEqual({
      alarm_types: before['alarm_types'],
      settings: before['settings'],
      users: before['users'],
    });
  });
});
