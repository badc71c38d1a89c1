import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { appendOperations } from '#server/core/operation-log.ts';
import { makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { operationLogRoutes } from './operation-log.routes.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve) => operationLogRoutes(serve));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  const operations = Array.from({ length: 21_000 }, (_, n) => ({
    at: new Date(world.clock.now() + n),
    userId: null,
    operator: 'test',
    key: 'test.row',
    channel: 'api',
    address: '::1',
    requestId: String(n),
    outcome: 'done' as const,
    code: 200,
    projectId: null,
    deviceId: n,
    parameters: {},
  }));
  for (let from = 0; from < operations.length; from += 3000)
    await world.db.transaction().execute((trx) => appendOperations(trx, operations.slice(from, from + 3000)));
});
afterAll(() => world.close());

const verify = (body: object = {}, by = admin) =>
  by.call('/operation_log/verify', body, { 'accept-language': 'en-US' });
const command = async (environment: Record<string, string>, ...given: string[]) => {
  const child = spawn(process.execPath, ['scripts/verify-log.ts', ...given], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, said };
};

test('the operation log can be verified by a call and by the command', async () => {
  const { data: first } = await verify();
  expect(first).toMatchObject({ checked: 20_000, done: false, broken: null });
  const { data: rest } = await verify({ after: first.last_id });
  expect(rest).toMatchObject({ checked: 1000, done: true, broken: null });

  const ended = await command({ DATABASE_URL: world.databaseUrl });
  expect(ended).toMatchObject({ code: 0, said: expect.stringContaining('21000 rows') });
  const noted = `${rest.last_id}:${rest.last_hash}`;
  expect(ended.said).toContain(noted);
  expect((await command({ DATABASE_URL: world.databaseUrl }, noted)).code).toBe(0);
});

test('the operation log can be verified only by the administrator', async () => {
  for (const role of [2, 3, 32]) {
    const user = await makeUser(world.db, { role });
    expect((await verify({}, await world.as(user.id))).status).toBe(403);
  }
});

test('the first invalid row is named with its time', async () => {
  const { last_id, last_hash } = (await verify({ after: 20_000 })).data;
  await sql`alter table operation_log disable trigger all`.execute(world.db);
  await world.db.updateTable('operation_log').set({ operator: 'nobody' }).where('id', '=', 500).execute();
  await world.db.deleteFrom('operation_log').where('id', '>', 20_990).execute();
  const { data } = await verify();
  expect(data.broken).toEqual({
    id: 500,
    at: new Date(world.clock.now() + 499).toISOString(),
    why: 'changed',
    message: expect.stringMatching(/^Row 500 \(2026-.*is not as it was written$/),
  });
  expect((await verify({ after: 20_000 })).data.broken).toMatchObject({ id: 20_991, why: 'end', at: null });
  expect(await command({ DATABASE_URL: world.databaseUrl })).toMatchObject({
    code: 1,
    said: expect.stringMatching(/is broken: Row 500 .*; 500 rows were checked/),
  });
  expect((await command({ DATABASE_URL: world.databaseUrl }, `${last_id}:${last_hash}`)).code).toBe(1);
});

test('the command reads the database of a data folder, whether the server runs or not', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-verify-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    await migrate(postgres.url);
    const running = await command({ DATA_DIR: dataDir, DATABASE_URL: '' });
    expect(running).toMatchObject({ code: 0, said: expect.stringContaining('0 rows') });
    await postgres.stop();
    const stopped = await command({ DATA_DIR: dataDir, DATABASE_URL: '' });
    expect(stopped).toMatchObject({ code: 0, said: expect.stringContaining('0 rows') });
  } finally {
    await postgres.stop();
    await removeEmbeddedPostgres(dataDir);
  }
});

test('the command reports a missing database in one sentence', async () => {
  const ended = await command({ DATA_DIR: '/tmp/ampwatch-nothing-here', DATABASE_URL: '' });
  expect(ended).toMatchObject({ code: 2, said: expect.stringContaining('There is no database in') });
});
