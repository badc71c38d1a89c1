import { setImmediate as turn } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { becomes } from './wait.ts';

let world: AlarmWorld;
beforeAll(async () => {
  world = await createAlarmWorld();
});
afterAll(() => world.close());

type Device = Awaited<ReturnType<typeof makeDevice>>;
const made = async (): Promise<Device> =>
  makeDevice(world.db, { project_id: (await makeProject(world.db)).id });
const connect = (device: Device, boot = 1) =>
  world.connect(device, {
    will: {
      topic: topicOf(device.number, 'presence'),
      payload: Buffer.from(JSON.stringify({ v: 1, on: false, boot, why: 'lwt' })),
      qos: 1,
      retain: true,
    },
  });
const isOnline = async (device: Device) =>
  (
    await world.db
      .selectFrom('device_state')
      .select('online')
      .where('device_id', '=', device.id)
      .executeTakeFirst()
  )?.online;
const alarmsOf = async (device: Device) => {
  const operator = await world.as((await makeUser(world.db, { role: 1 })).id);
  const { list } = (
    await operator.call('/device_warning/WarningList', { limit: 200, sort: 'time', device_id: device.id })
  ).data;
  return (list as { typeNumber: number; active: boolean; device_id: number }[]).filter(
    (row) => row.device_id === device.id,
  );
};

it('a second connection of a device in mid-episode: never offline, each event an alarm once, in whatever way the first one ends', async () => {
  const device = await made();
  let client = await connect(device);
  await world.report(device);
  const rounds = 24;
  let seq = 1000;
  for (let round = 0; round < rounds; round += 1) {
    const send = (by: MqttClient, message: object) =>
      by.publishAsync(topicOf(device.number, 'event'), JSON.stringify({ v: 1, boot: 1, ...message }), {
        qos: 1,
      });
    const event = { kind: 'alarm', code: 502, lvl: 2, n: 1, eid: `1-${round}` };
    world.clock.advance(4_000_000);
    const raise = { ...event, st: 'raise', seq: ++seq, t: world.clock.now() };
    void send(client, raise).catch(() => {});
    for (let turns = 0; turns < round % 8; turns += 1) await turn();
    const old = client;
    const closed = new Promise<void>((resolve) => old.once('close', () => resolve()));
    if (round % 3 === 1) old.stream.destroy();
    client = await connect(device);
    if (round % 3 === 2) old.stream.destroy();
    await send(client, raise);
    await closed;
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(await isOnline(device)).toBe(true);
    world.clock.advance(60_000);
    await send(client, { ...event, st: 'clear', seq: ++seq, t: world.clock.now() });
  }
  const alarms = (await alarmsOf(device)).filter(({ typeNumber }) => typeNumber === 502);
  expect(alarms.map(({ active }) => active)).toEqual(Array.from({ length: rounds }, () => false));
  await becomes(() => isOnline(device), true);
});
