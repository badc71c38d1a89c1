import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/wait.ts';
import { type EmbeddedPostgres, removeEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { StartError } from './start-error.ts';

const isRoot = process.getuid?.() === 0;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A short path, so that the socket fits below it; the user that runs PostgreSQL for root may enter it. */
const openFolder = async (): Promise<string> => {
  const folder = await fs.mkdtemp(path.join(tmpdir(), 'ampwatch-embedded-'));
  await fs.chmod(folder, 0o755);
  return folder;
};
const newFolder = async (): Promise<string> => {
  const folder = await openFolder();
  cleanups.push(() => fs.rm(folder, { recursive: true, force: true }));
  const dataDir = path.join(folder, 'data');
  cleanups.push(() => removeEmbeddedPostgres(dataDir).catch(() => {}));
  return dataDir;
};

/** A data folder after its first start and stop: creating a database takes seconds, copying one does not. */
let made: string;
beforeAll(async () => {
  made = path.join(await openFolder(), 'data');
  await (await startEmbeddedPostgres({ dataDir: made })).stop();
});
afterAll(async () => {
  await removeEmbeddedPostgres(made);
  await fs.rm(path.dirname(made), { recursive: true, force: true });
});
const usedFolder = async (): Promise<string> => {
  const dataDir = await newFolder();
  execFileSync('cp', ['-a', made, dataDir]);
  return dataDir;
};

const start = async (dataDir: string, settings: Record<string, string> = {}): Promise<EmbeddedPostgres> => {
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  cleanups.push(() => postgres.stop());
  return postgres;
};

const ask = async (url: string, statement: string): Promise<string | undefined> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    return rows[0]?.[0] === undefined ? undefined : String(rows[0][0]);
  } finally {
    await client.end();
  }
};

const postmasterPid = async (dataDir: string): Promise<number> => {
  const folder = await fs.readFile(path.join(dataDir, 'postgres.location'), 'utf8').catch(() => dataDir);
  return Number.parseInt(await fs.readFile(path.join(folder.trim(), 'postgres/postmaster.pid'), 'utf8'), 10);
};

/** Starts a server in a separate process on the folder. */
const startElsewhere = async (dataDir: string) => {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)};
    const { url } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(url);
    setInterval(() => {}, 1_000_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [url] = await once(child.stdout, 'data');
  return {
    url: String(url).trim(),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

const rejection = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(StartError);
  const sentence = error instanceof StartError ? error.message : '';
  expect(sentence).toMatch(/^[A-Z][^\n]+\.$/);
  return sentence;
};

test('the first start makes the database, the second finds it as it was', async () => {
  const dataDir = await newFolder();
  const first = await start(dataDir);
  expect(first.fresh).toBe(true);
  await ask(first.url, 'create table kept as select 7 as n');
  await first.stop();
  const second = await start(dataDir);
  expect(second.fresh).toBe(false);
  expect(await ask(second.url, 'select n from kept')).toBe('7');
});

test('the embedded PostgreSQL is durable, checks its pages, speaks UTF-8 and cannot be reached over the network', async () => {
  const { url } = await start(await newFolder());
  expect(await ask(url, 'show fsync')).toBe('on');
  expect(await ask(url, 'show synchronous_commit')).toBe('on');
  expect(await ask(url, 'show data_checksums')).toBe('on');
  expect(await ask(url, 'show server_encoding')).toBe('UTF8');
  expect(await ask(url, 'show listen_addresses')).toBe('');
  expect(await ask(url, 'select inet_server_addr()')).toBe('null');
  const socketFolder = await fs.stat((await ask(url, 'show unix_socket_directories')) ?? '');
  expect(socketFolder.mode & 0o077).toBe(0);
});

test('a server killed with -9 leaves PostgreSQL running, and the next one takes it over', async () => {
  const dataDir = await usedFolder();
  const killed = await startElsewhere(dataDir);
  await ask(killed.url, 'create table kept as select 7 as n');
  const pid = await postmasterPid(dataDir);
  await killed.kill();
  const next = await start(dataDir);
  expect(await postmasterPid(dataDir)).toBe(pid);
  expect(await ask(next.url, 'select n from kept')).toBe('7');
  await next.stop();
  await expect(postmasterPid(dataDir)).rejects.toThrow('ENOENT');
});

test('a running PostgreSQL with other settings is restarted with the required ones', async () => {
  const dataDir = await usedFolder();
  const killed = await startElsewhere(dataDir);
  const pid = await postmasterPid(dataDir);
  await killed.kill();
  const next = await start(dataDir, { max_connections: '33' });
  expect(await ask(next.url, 'show max_connections')).toBe('33');
  expect(await postmasterPid(dataDir)).not.toBe(pid);
});

test('PostgreSQL ends within 10 s when its server was killed with -9 and is not started again', async () => {
  const dataDir = await usedFolder();
  const killed = await startElsewhere(dataDir);
  await ask(killed.url, 'create table kept as select 7 as n');
  const pid = await postmasterPid(dataDir);
  await killed.kill();
  const hasEnded = async () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  await eventually(hasEnded, { withinMs: 10_000 });
  const next = await start(dataDir);
  expect(await ask(next.url, 'select n from kept')).toBe('7');
});

test('no other user can list the data folder', async () => {
  const dataDir = await newFolder();
  await fs.mkdir(dataDir, { mode: 0o755 });
  await start(dataDir);
  expect((await fs.stat(dataDir)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700);
});

test('committed data survives when server and PostgreSQL are both killed with -9', async () => {
  const dataDir = await usedFolder();
  const killed = await startElsewhere(dataDir);
  await ask(killed.url, 'create table kept as select 7 as n');
  const pid = await postmasterPid(dataDir);
  await killed.kill();
  process.kill(pid, 'SIGKILL');
  expect(await ask((await start(dataDir)).url, 'select n from kept')).toBe('7');
});

test('a killed PostgreSQL comes back under the same address', async () => {
  const dataDir = await usedFolder();
  const { url } = await start(dataDir);
  await ask(url, 'create table kept as select 7 as n');
  process.kill(await postmasterPid(dataDir), 'SIGKILL');
  expect(await eventually(() => ask(url, 'select n from kept').catch(() => null))).toBe('7');
});

test('a PostgreSQL that was asked to stop, and waits for its sessions, comes back under the same address', async () => {
  const dataDir = await usedFolder();
  const { url } = await start(dataDir);
  await ask(url, 'create table kept as select 7 as n');
  const pid = await postmasterPid(dataDir);
  process.kill(pid, 'SIGTERM');
  expect(await eventually(() => ask(url, 'select n from kept').catch(() => null))).toBe('7');
  expect(await postmasterPid(dataDir)).not.toBe(pid);
});

test('PostgreSQL starts although another process now has the number in the pid file', async () => {
  const dataDir = await usedFolder();
  const { stop } = await start(dataDir);
  await stop();
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  cleanups.push(async () => stranger.kill('SIGKILL'));
  const pidFile = path.join(dataDir, 'postgres/postmaster.pid');
  await fs.writeFile(pidFile, `${stranger.pid}\n${path.dirname(pidFile)}\n1\n5432\n/nowhere\n\n\nready\n`);
  expect((await start(dataDir)).fresh).toBe(false);
});

test('a second instance on the same folder is refused, and the first keeps running', async () => {
  const dataDir = await usedFolder();
  const first = await start(dataDir);
  expect(await rejection(startEmbeddedPostgres({ dataDir }))).toMatch(/in use by another running Ampwatch/);
  expect(await ask(first.url, 'select 1')).toBe('1');
});

test('one of two instances that start at once on an empty folder gets the database', async () => {
  const dataDir = await newFolder();
  const outcomes = await Promise.allSettled([
    startEmbeddedPostgres({ dataDir }),
    startEmbeddedPostgres({ dataDir }),
  ]);
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') cleanups.push(() => outcome.value.stop());
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('uses a short private folder for a socket whose path is too long, and removes it at the end', async () => {
  const dataDir = path.join(await newFolder(), 'a'.repeat(60), 'b'.repeat(60));
  await fs.mkdir(dataDir, { recursive: true });
  for (let at = dataDir; at !== tmpdir(); at = path.dirname(at)) await fs.chmod(at, 0o755);
  const { url, stop } = await start(dataDir);
  const socketFolder = (await ask(url, 'show unix_socket_directories')) ?? '';
  expect(socketFolder).toMatch(/^\/tmp\/ampwatch-socket-/);
  expect((await fs.stat(socketFolder)).mode & 0o777).toBe(0o700);
  await stop();
  await expect(fs.stat(socketFolder)).rejects.toThrow();
});

test('reports a data folder that cannot be written', async () => {
  const dataDir = await newFolder();
  await fs.writeFile(dataDir, 'a file');
  expect(await rejection(startEmbeddedPostgres({ dataDir }))).toMatch(/cannot be written .*DATA_DIR/);
});

test.skipIf(isRoot)('reports a data folder without permission', async () => {
  const dataDir = await newFolder();
  await fs.mkdir(dataDir, { mode: 0o500 });
  expect(await rejection(startEmbeddedPostgres({ dataDir }))).toMatch(/no permission.*DATA_DIR/);
});

test('leaves a database of another PostgreSQL version unchanged', async () => {
  const dataDir = await usedFolder();
  await fs.writeFile(path.join(dataDir, 'postgres/PG_VERSION'), '17\n');
  expect(await rejection(startEmbeddedPostgres({ dataDir }))).toMatch(/made by PostgreSQL 17/);
});

test.runIf(isRoot)(
  'when started by root, puts the database outside a folder that only root may enter',
  async () => {
    const dataDir = await newFolder();
    await fs.chmod(path.dirname(dataDir), 0o700);
    const first = await start(dataDir);
    await ask(first.url, 'create table kept as select 7 as n');
    const pointer = path.join(dataDir, 'postgres.location');
    const outside = (await fs.readFile(pointer, 'utf8')).trim();
    expect((await fs.stat(path.join(outside, 'postgres'))).uid).not.toBe(0);
    await first.stop();
    const second = await start(dataDir);
    expect(await ask(second.url, 'select n from kept')).toBe('7');
    await second.stop();

    await fs.rename(outside, `${outside}-away`);
    expect(await rejection(startEmbeddedPostgres({ dataDir }))).toMatch(/which is gone/);
    await fs.rename(`${outside}-away`, outside);
  },
);

const maySetUpDisk = (() => {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return isRoot && process.platform === 'linux';
  } catch {
    return false;
  }
})();

test.runIf(maySetUpDisk)('reports a full disk', async () => {
  const dataDir = await newFolder();
  await fs.mkdir(dataDir, { mode: 0o755 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=755', 'none', dataDir]);
  cleanups.push(async () => execFileSync('umount', ['-l', dataDir]));
  expect(await rejection(startEmbeddedPostgres({ dataDir }))).toMatch(/too little space .*DATA_DIR/);
});
