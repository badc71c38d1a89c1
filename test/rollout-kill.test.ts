import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rollout } from '#contract/firmware.ts';
import { firmwareStatement } from '#contract/telemetry.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { type GatedFleet, startGatedFleet } from './gated-fleet.ts';
import { freePort } from './mosquitto.ts';
import { startPatienceMs } from './patience.ts';
import { rolloutComesTo } from './rollouts.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { testPassword } from './world.ts';

const total = 50;
const [before, after] = ['1.4.2', '1.5.0'];
const limitMs = 2 * startPatienceMs;
type Device = Awaited<ReturnType<typeof makeDevice>>;
let database: TestDatabase;
let db: Db;
let server: ServerProcess;
let fleet: GatedFleet;
let port: number;
let token: string;
/** In the order of the rollout, once it exists. */
let devices: Device[];

/** By position in the rollout: 0 to 4 are the canaries, 5 to 27 the second wave, the others the third. */
const wrong = { fails: 9, lies: 10, rollsBack: 11, silent: 30 } as const;
/**
 * Devices that are downloading when the server dies: some continue before there is another server, the others
 * afterwards.
 */
const goOnWithoutServer = [10, 11, 12, 13, 14, 15];
const goOnLater = [16, 17, 18, 19, 20];

const start = () =>
  startServer({ DATABASE_URL: database.url, DATABASE_APP_URL: database.appUrl, MQTT_PORT: String(port) });
const call = async <T>(path: string, body: object): Promise<T> => {
  const url = /ready after .*?(http:\S+)/.exec(server.said)?.[1] ?? '';
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: token, 'accept-language': 'en' },
    body: JSON.stringify(body),
  });
  const read = (await answer.json()) as { data: T };
  expect(answer.status, JSON.stringify(read)).toBe(200);
  return read.data;
};
const upload = async (fields: Record<string, string>): Promise<{ version_id: number }> => {
  const url = /ready after .*?(http:\S+)/.exec(server.said)?.[1] ?? '';
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const answer = await fetch(`${url}/version/add_version`, {
    method: 'POST',
    headers: { authorization: token },
    body,
  });
  const read = (await answer.json()) as { data: { version_id: number } };
  expect(answer.status, JSON.stringify(read)).toBe(200);
  return read.data;
};
/** A signed version with a link: the devices download it from the vendor's address. */
const addVersion = async (): Promise<number> => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  await call('/version/add_key', {
    name: 'Vendor',
    public_key: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    password: testPassword,
  });
  const sha256 = createHash('sha256').update(after).digest('hex');
  const statement = firmwareStatement({ type: 3, to: after, size: 1000, sha256 });
  const { version_id } = await upload({
    mac_type: '3',
    mac_name: 'Smart switch',
    appVersion: after,
    platformVersion: '2.0',
    appUrl: 'https://vendor.example/switch.bin',
    size: '1000',
    sha256,
    signature: sign(null, Buffer.from(statement), privateKey).toString('base64'),
  });
  return version_id;
};

const until = (isThere: () => Promise<boolean>, said?: () => unknown) => rolloutComesTo(db, isThere, said);
const rowsOf = (rollout_id: number) =>
  db
    .selectFrom('rollout_devices')
    .innerJoin('devices', 'devices.id', 'rollout_devices.device_id')
    .select([
      'devices.number',
      'devices.firmware',
      'wave',
      'state',
      'reason',
      'tries',
      'asked_at',
      'deadline_at',
    ])
    .where('rollout_id', '=', rollout_id)
    .orderBy('device_id')
    .execute();
const rolloutOf = (id: number) =>
  db.selectFrom('rollouts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
/** Expires the steps of these devices. */
const endStepsOf = (rollout_id: number, deviceIds: readonly number[]) =>
  db
    .updateTable('rollout_devices')
    .set({ deadline_at: new Date(Date.now() - 60_000) })
    .where('rollout_id', '=', rollout_id)
    .where('device_id', 'in', deviceIds)
    .where('deadline_at', 'is not', null)
    .execute();
/**
 * Puts the devices in the order of the rollout and sets what each will do. Only the canaries have been asked
 * so far.
 */
const planUpdates = async (rolloutId: number): Promise<void> => {
  const places = new Map(
    (await rowsOf(rolloutId))
      .toSorted((a, b) => a.wave - b.wave)
      .map(({ number }, place) => [number, place] as const),
  );
  devices.sort((a, b) => places.get(a.number)! - places.get(b.number)!);
  for (const [place, { number }] of devices.entries()) {
    const update = (Object.keys(wrong) as (keyof typeof wrong)[]).find((fault) => wrong[fault] === place);
    const stopsInDownload = goOnWithoutServer.includes(place) || goOnLater.includes(place);
    fleet.plan(number, {
      ...(update ? { update } : {}),
      ...(stopsInDownload ? { stopsIn: 'downloading' } : {}),
    });
  }
};
const numbersAt = (places: readonly number[]) => places.map((place) => devices[place]!.number);

beforeAll(async () => {
  database = await freshDatabase();
  db = connect(connectPool(database.url, 4));
  port = await freePort();
  server = await start();
  const project = await makeProject(db);
  devices = [];
  for (let n = 0; n < total; n++) devices.push(await makeDevice(db, { project_id: project.id, type: 3 }));
  const author = await makeUser(db, { role: 1 });
  ({ token } = await openSession(db, author.id, Date.now(), { address: '127.0.0.1', agent: 'test' }));
  fleet = startGatedFleet(port, devices);
}, limitMs);
afterAll(async () => {
  await fleet?.stop();
  await server?.stop();
  await db.destroy();
  await database.drop();
}, limitMs);

test('a rollout over 50 devices, killed in its second wave and started again, ends with the devices’ real versions', {
  timeout: 2 * limitMs,
}, async () => {
  await until(async () => {
    const known = await db
      .selectFrom('devices')
      .innerJoin('device_state', 'device_state.device_id', 'devices.id')
      .select('devices.id')
      .where('online', '=', true)
      .where('firmware', '=', before)
      .execute();
    return known.length === total;
  });
  const { rollout_id: id } = await call<Rollout>('/version/start_rollout', {
    version_id: await addVersion(),
    expected: total,
    canary_percent: 10,
    wave_percent: 45,
    per_minute: 600,
    step_minutes: 60,
    stop_percent: 25,
    password: testPassword,
  });
  await planUpdates(id);
  const summary = async () => (await rowsOf(id)).map(({ number, state, reason }) => [number, state, reason]);

  // The second wave is half done: these devices are still downloading, and the others have finished.
  const stopped = numbersAt([...goOnWithoutServer, ...goOnLater]);
  await until(async () => {
    const second = (await rowsOf(id)).filter(({ wave }) => wave === 2);
    return second.every(({ number, state }) =>
      stopped.includes(number) ? state === 'downloading' : ['updated', 'failed'].includes(state),
    );
  }, summary);
  await server.stop('SIGKILL');
  const atDeath = await rowsOf(id);
  expect((await rolloutOf(id)).wave).toBe(2);
  expect(atDeath.filter(({ state }) => state === 'updated')).toHaveLength(5 + 23 - stopped.length - 1);
  expect(atDeath.filter(({ wave, asked_at }) => wave === 3 && asked_at !== null)).toEqual([]);

  // Devices continue while no server runs, and for longer than a step may take.
  for (const number of numbersAt(goOnWithoutServer)) fleet.goOn(number);
  await until(async () => numbersAt(goOnWithoutServer).every((number) => !fleet.isUpdating(number)));
  await endStepsOf(
    id,
    devices.map((device) => device.id),
  );
  expect((await rowsOf(id)).map(({ state }) => state)).toEqual(atDeath.map(({ state }) => state));
  server = await start();
  // No device failed because of the outage, and those that continued alone have finished.
  const alone = numbersAt(
    goOnWithoutServer.filter((place) => place !== wrong.lies && place !== wrong.rollsBack),
  );
  await until(
    async () =>
      (await rowsOf(id)).every(({ number, state }) => !alone.includes(number) || state === 'updated'),
    summary,
  );
  for (const row of await rowsOf(id))
    if (numbersAt(goOnLater).includes(row.number)) expect(row).toMatchObject({ state: 'downloading' });
  for (const number of numbersAt(goOnLater)) fleet.goOn(number);

  // A device that stops reporting is given up when its time is over.
  const mute = [wrong.silent, wrong.lies, wrong.rollsBack];
  await until(async () => {
    await endStepsOf(
      id,
      mute.map((place) => devices[place]!.id),
    );
    return (await rolloutOf(id)).state !== 'running';
  }, summary);
  expect(await rolloutOf(id)).toMatchObject({ state: 'done', reason: null, wave: 3 });

  // The rows equal the devices' real versions, each device was asked once, and the screen agrees.
  const rows = await rowsOf(id);
  for (const [place, { number }] of devices.entries()) {
    const row = rows.find((each) => each.number === number)!;
    const isWrong = Object.values(wrong).some((at) => at === place);
    expect(fleet.firmwareOf(number), number).toBe(isWrong ? before : after);
    expect(row.firmware, number).toBe(fleet.firmwareOf(number));
    if (isWrong) expect(['failed', 'rolled_back'], number).toContain(row.state);
    else expect(row).toMatchObject({ state: 'updated', reason: null });
    expect(fleet.updatesOf(number), number).toBe(place === wrong.silent ? 0 : 1);
  }
  const reasonAt = (place: number) => rows.find(({ number }) => number === devices[place]!.number)!.reason;
  expect(reasonAt(wrong.silent)).toBe('firmware.timeout');
  expect(reasonAt(wrong.fails)).toBe('sha256');
  const asked = await db
    .selectFrom('commands')
    .select(['device_id', 'cause'])
    .where('verb', '=', 'ota')
    .execute();
  expect(asked).toHaveLength(total);
  expect(new Set(asked.map(({ device_id }) => device_id)).size).toBe(total);
  expect(new Set(asked.map(({ cause }) => cause))).toEqual(new Set(['rollout']));
  const logged = await db
    .selectFrom('operation_log')
    .select('operator')
    .where('key', '=', 'version.update')
    .execute();
  expect(logged).toHaveLength(total);
  const shown = await call<Rollout>('/version/get_rollout', { rollout_id: id });
  const count = (states: readonly string[]) => rows.filter(({ state }) => states.includes(state)).length;
  expect(shown).toMatchObject({ state: 'done', total });
  expect(shown.counts.updated).toBe(total - Object.keys(wrong).length);
  expect((shown.counts.failed ?? 0) + (shown.counts.rolled_back ?? 0)).toBe(count(['failed', 'rolled_back']));
});
