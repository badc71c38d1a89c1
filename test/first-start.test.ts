import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { patienceMs } from './patience.ts';

const limitMs = 5 * patienceMs;
let database: TestDatabase;
let db: Db;
let dataDir: string;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(connectPool(database.url, 2));
  dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-first-'));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts the product and ends it when a word is printed: by a kill, or in order. */
const startUntil = async (
  word: string,
  signal: 'SIGKILL' | 'SIGTERM',
  meanwhile?: (said: string) => Promise<void>,
) => {
  const { ADMIN_PASSWORD: _, ...inherited } = process.env;
  const server = spawn(process.execPath, ['scripts/start.ts', '--without-console'], {
    env: {
      ...inherited,
      ...{ NODE_ENV: 'production', LOG_LEVEL: 'warn', DATA_DIR: dataDir },
      ...{ DATABASE_URL: database.url, DATABASE_APP_URL: database.appUrl },
      ...{ PORT: '0', MQTT_PORT: '0', DEMO: '1', CAPTCHA: 'off' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'exit');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(word)) resolve();
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said}`)));
  });
  await meanwhile?.(said);
  server.kill(signal);
  await ended;
  return said;
};
const signIn = async (said: string, username: string, password: string) => {
  const url = /ready after .*?(http:\S+)/.exec(said)?.[1] ?? '';
  const answer = await fetch(`${url}/sign_user/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return answer.status;
};
const countOf = async (table: 'projects' | 'timers' | 'users') =>
  (
    await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
  ).n;

test('a killed first start is completed by the next one, with its demo estate and its passwords', {
  timeout: limitMs,
}, async () => {
  const first = await startUntil('Furnishing the demo estate', 'SIGKILL');
  expect(first).not.toContain('First account');
  expect([await countOf('users'), await countOf('projects')]).toEqual([1, 0]);

  // The estate is complete, but the process was killed before it could show the passwords.
  await startUntil('The demo estate is furnished.', 'SIGKILL');
  expect(await countOf('projects')).toBe(12);
  expect(await countOf('timers')).toBeGreaterThan(10);

  const printed = await startUntil('Ctrl-C stops everything', 'SIGTERM', async (said) => {
    const admin = /First account: admin, password (\S+)/.exec(said)?.[1] ?? '';
    const demo = /share the password (\S+)/.exec(said)?.[1] ?? '';
    expect(await signIn(said, 'admin', admin)).toBe(200);
    expect(await signIn(said, 'duty', demo)).toBe(200);
  });
  expect(printed).toContain('Sign in once');
  const again = await startUntil('Ctrl-C stops everything', 'SIGTERM');
  expect(again).not.toMatch(/First account|share the password|Sign in once/);
});
