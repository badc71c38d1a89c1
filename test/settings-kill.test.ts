import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { makeDevices, makeProject, makeUser, secretOfMany } from './factories.ts';
import { freePort } from './mosquitto.ts';
import { patienceMs, startPatienceMs } from './patience.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { connectSettable } from './settable-devices.ts';
import { eventually } from './wait.ts';

const count = 500;
/** For up to two minutes: a configuration that the killed server sent is sent again after a minute. */
const withinMs = 120_000;
const limitMs = startPatienceMs + patienceMs;
let database: TestDatabase;
let db: Db;
let server: ServerProcess;
let fleet: ReturnType<typeof connectSettable>;
let port: number;
const start = () =>
  startServer({ DATABASE_URL: database.url, DATABASE_APP_URL: database.appUrl, MQTT_PORT: String(port) });

beforeAll(async () => {
  database = await freshDatabase();
  db = connect(connectPool(database.url, 4));
  port = await freePort();
  server = await start();
}, limitMs);
afterAll(async () => {
  await fleet.close();
  await server.stop();
  await db.destroy();
  await database.drop();
}, limitMs);

test('settings for many devices all end correctly although the server is killed twice', {
  // No less than its four waits and two starts may take together, so that the one that takes too long is named.
  timeout: 4 * withinMs + 2 * limitMs,
}, async () => {
  const project = await makeProject(db);
  const ids = await makeDevices(db, count, project.id);
  const numbers = (await db.selectFrom('devices').select('number').where('id', 'in', ids).execute()).map(
    (row) => row.number,
  );
  fleet = connectSettable(port, numbers, secretOfMany);
  const reported = async () =>
    (
      await db
        .selectFrom('device_reported')
        .innerJoin('device_state', 'device_state.device_id', 'device_reported.device_id')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('kind', '=', 'cfg')
        .where('online', '=', true)
        .executeTakeFirstOrThrow()
    ).n === count;
  await eventually(reported, { withinMs });

  const user = await makeUser(db, { role: 1 });
  const { token } = await openSession(db, user.id, Date.now(), { address: '127.0.0.1', agent: 'test' });
  const call = async (path: string, body: object) => {
    const url = /ready after .*?(http:\S+)/.exec(server.said)?.[1] ?? '';
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { data: never }).data as Record<string, never>;
  };
  const applied = async () =>
    (
      await db
        .selectFrom('device_job_rows')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('state', '=', 'applied')
        .executeTakeFirstOrThrow()
    ).n;
  fleet.letTake(0);
  const { job_id } = await call('/device/device_set', {
    filter: { project_id: project.id },
    expected: count,
    settings: [
      { key: 'il_w', value: 20 },
      { key: 'il_a', value: 40 },
    ],
  });
  for (const share of [0.05, 0.3]) {
    // More devices than the test waits for, so that some answers are under way when the server dies, but
    // never all of them.
    fleet.letTake(count * (share + 0.1));
    await eventually(async () => (await applied()) >= count * share, { withinMs });
    await server.stop('SIGKILL');
    expect(await applied()).toBeLessThan(count);
    server = await start();
  }
  fleet.letTake(count);
  const job = await eventually(
    async () => {
      const now = await call('/device_job/get_job', { job_id });
      return now['done'] === true && now;
    },
    { withinMs },
  );
  expect(job).toMatchObject({
    total: count,
    succeeded: count,
    counts: { applied: count },
    unfinished: [],
    cancelled: null,
  });
  for (const device of fleet.devices)
    expect(device).toMatchObject({ rev: 2, effective: 1, values: { il_w: 20, il_a: 40 } });
  const { rows } = await db
    .selectFrom('device_desired')
    .select(['state', ({ fn }) => fn.countAll<number>().as('n')])
    .groupBy('state')
    .execute()
    .then((found) => ({ rows: found }));
  expect(rows).toEqual([{ state: 'applied', n: 2 * count }]);
});
