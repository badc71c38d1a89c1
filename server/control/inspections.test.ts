import mqtt from 'mqtt';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { topicOf, type UpTopic } from '#contract/telemetry.ts';
import { makeAhead } from '#database/partitions.ts';
import { createAlarmRecorder } from '#server/alarms/engine/engine.ts';
import { type Link, startLink } from '#server/link/link.ts';
import { maintenanceRoutes } from '#server/maintenance/maintenance.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { settingsRoutes } from '#server/settings/settings.routes.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { type Control, createControl } from './commands.ts';
import { controlRoutes } from './control.routes.ts';

let world: World;
let link: Link;
let control: Control;
let project: number;
let operator: Client;
let chief: Client;

beforeAll(async () => {
  let bind: Control | undefined;
  const log = pino({ level: 'silent' });
  world = await createWorld((serve, parts) => {
    bind = createControl({
      ...parts,
      link: { publishCommand: (number, command) => link.deviceLink.publishCommand(number, command) },
      raiseFinding: async () => {},
      log,
    });
    controlRoutes(serve, { control: bind, provePassword });
    maintenanceRoutes(serve);
    settingsRoutes(serve);
  });
  control = bind!;
  const { pool, bus, clock } = world;
  await makeAhead(pool, clock.now());
  const judge = createAlarmRecorder();
  await judge.load(pool);
  link = await startLink({ pool, bus, clock, judge, log, config: { mqttHost: '127.0.0.1', mqttPort: 0 } });
  await control.start();
  project = (await makeProject(world.db)).id;
});
afterAll(async () => {
  await control.stop();
  await link.stop();
  await world.close();
});
beforeEach(async () => {
  // Calls and connections are limited in time.
  world.clock.advance(50_000);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id);
  chief = await world.as((await makeUser(world.db, { role: 1 })).id);
});

/** A switch that is connected and reports an open, healthy line. */
const connect = async () => {
  const device = await makeDevice(world.db, { project_id: project, lines: 2 });
  const { number, secret } = device;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${link.port}`, {
    ...{ clientId: number, username: number, password: secret, reconnectPeriod: 0 },
  });
  let seq = 0;
  const send = (topic: UpTopic, message: object) => {
    seq += 1;
    const text = JSON.stringify({ v: 1, boot: 1, seq, t: world.clock.now(), ...message });
    return client.publishAsync(topicOf(number, topic), text, { qos: 1 });
  };
  const reading = (line: object = {}) =>
    send('tele', {
      ln: [{ n: 1, sw: 0, trip: 0, lock: 0, U: { a: 230 }, I: { a: 0 }, P: { t: 0 }, ...line }],
    });
  await reading();
  return { device, line: device.lines[0]!, client, send, reading };
};
type Connected = Awaited<ReturnType<typeof connect>>;

/** The line trips and is reset: it reports nothing that forbids closing. */
const tripAndReset = async ({ reading }: Connected, code: number) => {
  await reading({ trip: code });
  world.clock.advance(1000);
  await reading();
};
const closing = async ({ device, line }: Connected) => {
  const { data } = await operator.call('/device_do/get_device_do_info', { device_id: device.id });
  return data.actions.find(
    (each: { action: string; line_id: number }) => each.action === 'close' && each.line_id === line.id,
  );
};
const isRefused = async (one: Connected) => (await closing(one)).reason as string | null;
const recordOf = ({ device, line }: Connected, given: object = {}) => ({
  project_id: project,
  device_id: device.id,
  kind: 'inspection',
  maintenance_time: new Date(world.clock.now()).toISOString(),
  handler_name: 'Wang Jun',
  handler_phone: '13900000202',
  content: 'Insulation measured: 80 MΩ',
  line_ids: [line.id],
  ...given,
});
const record = async (one: Connected, given: object = {}) => {
  const answer = await operator.call('/maintenance/add_record', recordOf(one, given));
  expect(answer.status).toBe(200);
  return answer.data as { record_id: number; revision: number };
};

test('after a trip by leakage a line is closed only when its inspection is recorded', async () => {
  const one = await connect();
  expect(await isRefused(one)).toBeNull();
  await tripAndReset(one, 301);
  const ask = () =>
    operator.call(
      '/device_do/device_do',
      { device_id: one.device.id, line_id: one.line.id, action: 'close' },
      { 'accept-language': 'en' },
    );
  expect(await ask()).toMatchObject({
    status: 409,
    msg: 'The line has tripped and nobody has inspected it yet: record the inspection before you close',
    data: { reason: 'uninspected' },
  });
  const { record_id } = await record(one);
  expect(await isRefused(one)).toBeNull();
  await operator.call('/maintenance/del_record', { record_id });
  expect(await isRefused(one)).toBe('uninspected');
  await record(one);
  expect((await ask()).status).toBe(200);
  await control.settled();
  one.client.end(true);
});

describe('an inspection is', () => {
  let one: Connected;
  beforeEach(async () => {
    one = await connect();
    return () => void one.client.end(true);
  });

  test.each<[string, (connected: Connected) => object, string | null]>([
    ['an inspection', () => ({}), null],
    ['a repair', () => ({ kind: 'repair' }), null],
    ['a replacement', () => ({ kind: 'replacement' }), null],
    ['no routine visit', () => ({ kind: 'routine' }), 'uninspected'],
    ['none of another line', ({ device }) => ({ line_ids: [device.lines[1]!.id] }), 'uninspected'],
    ['none of no line', () => ({ line_ids: [] }), 'uninspected'],
    [
      'none of a time before the trip',
      () => ({ maintenance_time: new Date(world.clock.now() - 3_600_000).toISOString() }),
      'uninspected',
    ],
  ])('%s', async (_, given, refusal) => {
    await tripAndReset(one, 502);
    await record(one, given(one));
    expect(await isRefused(one)).toBe(refusal);
  });

  test('none that was written before the trip', async () => {
    await record(one);
    world.clock.advance(1000);
    await tripAndReset(one, 301);
    expect(await isRefused(one)).toBe('uninspected');
  });

  test('asked for again by the next trip, and by an edit that takes the line out', async () => {
    await tripAndReset(one, 301);
    const written = await record(one);
    const edited = await operator.call('/maintenance/edit_record', {
      ...recordOf(one, { line_ids: [] }),
      ...{ record_id: written.record_id, revision: written.revision },
    });
    expect(edited.status).toBe(200);
    expect(await isRefused(one)).toBe('uninspected');
    await record(one);
    expect(await isRefused(one)).toBeNull();
    world.clock.advance(1000);
    await tripAndReset(one, 301);
    expect(await isRefused(one)).toBe('uninspected');
  });

  test('asked for also when a trip follows that alone needs none', async () => {
    await tripAndReset(one, 301);
    world.clock.advance(1000);
    await tripAndReset(one, 101);
    expect(await isRefused(one)).toBe('uninspected');
    world.clock.advance(1000);
    // Without a reset in between.
    await one.reading({ trip: 402 });
    await tripAndReset(one, 202);
    expect(await isRefused(one)).toBe('uninspected');
    await record(one);
    expect(await isRefused(one)).toBeNull();
    world.clock.advance(1000);
    await tripAndReset(one, 101);
    expect(await isRefused(one)).toBeNull();
  });

  test('asked for by a trip that is reported late, unless it was recorded since', async () => {
    const tripLate = (minutesAgo: number) =>
      one.send('event', {
        ...{ eid: `late-${minutesAgo}`, kind: 'pos', n: 1, sw: 0, by: 'trip', code: 301, bf: 1 },
        t: world.clock.now() - minutesAgo * 60_000,
      });
    await record(one);
    world.clock.advance(120_000);
    await one.reading();
    await tripLate(10);
    expect(await isRefused(one)).toBeNull();
    await tripLate(1);
    expect(await isRefused(one)).toBe('uninspected');
    await record(one);
    expect(await isRefused(one)).toBeNull();
  });

  test('not needed after the trip that a leakage test asks for', async () => {
    const asked = await operator.call('/device_do/device_do', {
      ...{ device_id: one.device.id, line_id: one.line.id, action: 'leak_test' },
    });
    expect(asked.status).toBe(200);
    world.clock.advance(2000);
    await tripAndReset(one, 301);
    expect(await isRefused(one)).not.toBe('uninspected');
  });
});

test('which trips need one is a setting: dangerous ones, every one, or none', async () => {
  const one = await connect();
  const set = async (value: string | null) =>
    expect((await chief.call('/settings/set', { name: 'control.inspectAfter', value })).status).toBe(200);
  await tripAndReset(one, 101);
  expect(await isRefused(one)).toBeNull();
  await set('any');
  expect(await isRefused(one)).toBe('uninspected');
  await set(null);
  world.clock.advance(1000);
  // It names no cause.
  await one.send('event', { eid: 'a', kind: 'pos', n: 1, sw: 0, by: 'trip' });
  world.clock.advance(1000);
  await one.reading();
  expect(await isRefused(one)).toBe('uninspected');
  await set('never');
  expect(await isRefused(one)).not.toBe('uninspected');
  await set(null);
  one.client.end(true);
});

test('a trip is remembered when nobody judges its type, and when its alarm is gone', async () => {
  const one = await connect();
  await world.pool.query(
    `insert into alarm_types (code, enabled, updated_at) values (701, false, now())
      on conflict (code) do update set enabled = false`,
  );
  await tripAndReset(one, 402);
  await world.pool.query('update alarms set deleted_at = now() where line_id = $1', [one.line.id]);
  expect(await isRefused(one)).toBe('uninspected');
  one.client.end(true);
});
