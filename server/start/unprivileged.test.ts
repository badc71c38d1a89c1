import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { removeEmbeddedPostgres } from '#database/embedded.ts';
import { patienceMs } from '#test/patience.ts';

const limitMs = 5 * patienceMs;
const root = path.resolve(import.meta.dirname, '../..');
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A folder that every user may enter, with a data folder in it. */
const newFolder = async (): Promise<string> => {
  const folder = await fs.mkdtemp(path.join(tmpdir(), 'ampwatch-root-'));
  await fs.chmod(folder, 0o755);
  cleanups.push(() => fs.rm(folder, { recursive: true, force: true }));
  cleanups.push(() => removeEmbeddedPostgres(path.join(folder, 'data')).catch(() => {}));
  return folder;
};

/** The product with its own PostgreSQL, started by root from the program's folder. */
const start = async (program: string, dataDir: string) => {
  const server = spawn(process.execPath, ['scripts/start.ts', '--without-console'], {
    cwd: program,
    env: {
      PATH: process.env['PATH'],
      ...{ NODE_ENV: 'production', LOG_LEVEL: 'warn', DATA_DIR: dataDir, PORT: '0', MQTT_PORT: '0' },
      ...{ DEMO: '0', CAPTCHA: 'on', ADMIN_PASSWORD: 'server12345' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'exit');
  const stop = async () => {
    if (server.exitCode === null) server.kill('SIGTERM');
    await ended;
  };
  cleanups.push(stop);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('Ctrl-C stops everything')) resolve();
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said}`)));
  });
  const url = /ready after .*?(http:\S+)/.exec(said)?.[1] ?? '';
  return { server, url, said: () => said, stop };
};
const usersOf = async ({ pid }: ChildProcess): Promise<Set<string>> => {
  const ids = new Set<string>();
  for (const thread of await fs.readdir(`/proc/${pid}/task`)) {
    const status = await fs.readFile(`/proc/${pid}/task/${thread}/status`, 'utf8');
    for (const id of /^Uid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? []) ids.add(id);
  }
  return ids;
};
/** Makes a backup from the command line as root, while the server works. */
const backUpAsRoot = (dataDir: string) =>
  promisify(execFile)(process.execPath, ['scripts/backup.ts'], {
    cwd: root,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
  });
/**
 * Checks the page, a picture that a worker thread draws with a font read now, a sign-in, and new database
 * connections.
 */
const works = async (url: string) => {
  const post = async (where: string, body: object) =>
    (
      await fetch(url + where, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json() as Promise<{ code: number; data: Record<string, string> }>;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/docs/static/swagger-ui.css`)).status).toBe(200);
  for (let codes = 0; codes < 3; codes += 1)
    expect((await post('/index/get_code', {})).data['image']).toMatch(/^data:image\/png;base64,/);
};

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'started by root, the server',
  () => {
    it(
      'started by root, the server continues as an unprivileged user, keeps working, and starts again on the same folder',
      async () => {
        const dataDir = path.join(await newFolder(), 'data');
        for (let starts = 0; starts < 2; starts += 1) {
          const { server, url, said, stop } = await start(root, dataDir);
          const users = await usersOf(server);
          expect(users.size).toBe(1);
          expect(users.has('0')).toBe(false);
          expect(said()).not.toContain('goes on as root');
          await works(url);
          // On the first start this creates the folder of the backups, too.
          await backUpAsRoot(dataDir);
          const made = await fs.readdir(path.join(dataDir, 'backups'), { recursive: true });
          expect(made.filter((name) => name.endsWith('manifest.json'))).toHaveLength(starts + 1);
          for (const name of [
            ...(await fs.readdir(dataDir)),
            ...made.map((each) => path.join('backups', each)),
          ])
            expect([name, String((await fs.lstat(path.join(dataDir, name))).uid)]).toEqual([
              name,
              [...users][0],
            ]);
          // PostgreSQL dies, and must be started again without root.
          const pidFile = path.join(dataDir, 'postgres/postmaster.pid');
          const postmaster = Number.parseInt(await fs.readFile(pidFile, 'utf8'), 10);
          process.kill(postmaster, 'SIGKILL');
          for (const until = Date.now() + patienceMs; !said().includes('PostgreSQL runs again'); ) {
            if (Date.now() > until) throw new Error(said());
            await once(server.stdout, 'data');
          }
          await works(url);
          await stop();
          expect(server.exitCode).toBe(0);
        }
      },
      limitMs,
    );

    it(
      'started by root, the server stays root with one warning if that user cannot read the program, and works',
      async () => {
        const folder = await newFolder();
        const home = path.join(folder, 'home');
        const program = path.join(home, 'ampwatch');
        await fs.mkdir(program, { recursive: true });
        for (const name of ['server', 'contract', 'database', 'demo', 'simulator', 'scripts', 'package.json'])
          await fs.cp(path.join(root, name), path.join(program, name), { recursive: true });
        await fs.symlink(path.join(root, 'node_modules'), path.join(program, 'node_modules'));
        await fs.chmod(home, 0o700);
        cleanups.push(() => removeEmbeddedPostgres(path.join(program, 'data')));
        const { server, url, said } = await start(program, path.join(program, 'data'));
        expect(await usersOf(server)).toEqual(new Set(['0']));
        expect(said().match(/goes on as root/g)).toHaveLength(1);
        expect(said()).toMatch(/user \d+ cannot reach/);
        await works(url);
        const pointer = await fs.readFile(path.join(program, 'data/postgres.location'), 'utf8');
        expect(pointer.trim()).toMatch(/^\/var\/lib\/ampwatch\//);
      },
      limitMs,
    );

    it('a start by root gives files that root made to the other user, but no file behind a symbolic or hard link', async () => {
      const { handOver } = await import('#database/unprivileged.ts');
      const folder = await newFolder();
      const data = path.join(folder, 'data');
      await fs.mkdir(path.join(data, 'inner'), { recursive: true });
      const outside = path.join(folder, 'outside');
      await fs.writeFile(outside, 'x');
      await fs.writeFile(path.join(data, 'inner/made'), 'x');
      await fs.symlink(outside, path.join(data, 'link'));
      await fs.link(outside, path.join(data, 'second'));
      await fs.symlink(folder, path.join(data, 'folder'));
      const user = { uid: 12_345, gid: 12_345 };
      await handOver(user, data);
      const owner = async (name: string) => (await fs.lstat(path.join(folder, name))).uid;
      expect(await owner('data')).toBe(12_345);
      expect(await owner('data/inner/made')).toBe(12_345);
      for (const name of ['outside', 'data/link', 'data/second', 'data/folder', ''])
        expect(await owner(name)).toBe(0);
    });
  },
);
