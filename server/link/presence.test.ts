import { once } from 'node:events';
import { createConnection } from 'node:net';
import mqtt from 'mqtt';
import { generate } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { makeDevice } from '#test/factories.ts';
import { becomes, eventually } from '#test/wait.ts';
import { type LinkWorld, linkProbe, linkWorld, publish, tele } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());
const { connected, readingsOf, stateOf } = linkProbe(() => world);

describe('access', () => {
  it('access is refused with wrong credentials, a foreign client id, or a last will on another topic', async () => {
    const device = await makeDevice(world.db);
    const foreign = await makeDevice(world.db);
    const will = {
      topic: topicOf(foreign.number, 'presence'),
      payload: Buffer.from('{}'),
      qos: 1 as const,
      retain: true,
    };
    for (const [who, options] of [
      [{ ...device, secret: 'wrong' }, {}],
      [{ ...device, number: 'NOBODY001' }, {}],
      [device, { clientId: foreign.number }],
      [device, { will }],
    ] as const)
      await expect(world.device(who, options)).rejects.toMatchObject({ code: 5 });
  });

  it('access is given to a right secret despite many wrong and anonymous connections from the same address', async () => {
    const device = await makeDevice(world.db);
    for (let tries = 0; tries < 30; tries += 1)
      await expect(world.device({ ...device, secret: 'wrong' })).rejects.toMatchObject({ code: 5 });
    const anonymous = generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: 'x',
      keepalive: 60,
    });
    for (let round = 0; round < 25; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const socket = createConnection(world.link.port, '127.0.0.1', () => socket.write(anonymous));
          socket.on('error', () => {});
          socket.resume();
          await once(socket, 'close');
        }),
      );
    expect((await world.device(device)).connected).toBe(true);
  });

  it('accepts any keep-alive that a device requests, including none', async () => {
    for (const keepalive of [0, 65_535]) {
      const device = await makeDevice(world.db);
      const client = await world.device(device, { keepalive, reschedulePings: false });
      expect(client.connected).toBe(true);
    }
  });

  it('access is limited to the device’s own topics, and others are not affected', async () => {
    const { client, number, device } = await connected();
    const other = await connected();
    await publish(client, other.number, 'tele', tele(1, world.clock.now()));
    await client.publishAsync(topicOf(number, 'cmd'), '{}', { qos: 1, retain: true });
    await client.publishAsync('elsewhere', '{}', { qos: 1 });
    await publish(client, number, 'tele', tele(2, world.clock.now()), true);
    expect(await readingsOf(other.line)).toHaveLength(0);
    for (const topic of [
      '#',
      'ess/v1/+/cmd',
      `ess/v1/${number}/#`,
      topicOf(other.number, 'cmd'),
      topicOf(number, 'tele'),
    ])
      await expect(client.subscribeAsync(topic, { qos: 1 })).rejects.toThrow();
    await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
    world.clock.advance(1_500);
    await becomes(async () => (await stateOf(device.id)).refused.foreign_topic, 3);
    expect((await stateOf(device.id)).refused).toEqual({ foreign_topic: 3, retained: 1 });
  });

  it('a second connection takes over; the device stays online and the takeover is counted', async () => {
    const { client, device, number, line } = await connected();
    await becomes(async () => (await stateOf(device.id)).online, true);
    const changes: unknown[] = [];
    const leave = world.bus.on('device.online', (change) => changes.push(change));
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    const second = await world.device(device);
    await closed;
    await publish(second, number, 'tele', tele(1, world.clock.now()));
    world.clock.advance(1_500);
    await becomes(async () => (await stateOf(device.id)).takeovers, 1);
    expect(await stateOf(device.id)).toMatchObject({ online: true, address: '127.0.0.1' });
    expect(changes.filter((change) => (change as { deviceId: number }).deviceId === device.id)).toEqual([]);
    expect(await readingsOf(line)).toHaveLength(1);
    leave();
  });

  it('access ends when the device is disconnected by the server', async () => {
    const { client, number } = await connected();
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    await world.link.deviceLink.disconnect(number);
    await closed;
  });
});

describe('presence', () => {
  it('presence follows the connection and the last will', async () => {
    const device = await makeDevice(world.db);
    const on = world.hears('device.online', device.id);
    const payload = Buffer.from('{"v":1,"on":false,"boot":1,"why":"lwt"}');
    const client = await world.device(device, {
      will: { topic: topicOf(device.number, 'presence'), payload, qos: 1, retain: true },
    });
    expect(await on).toMatchObject({ deviceId: device.id, online: true });
    const off = world.hears('device.online', device.id);
    client.stream.destroy();
    expect(await off).toMatchObject({ deviceId: device.id, online: false, why: 'lwt' });
    expect(await stateOf(device.id)).toMatchObject({ online: false });
  });

  it('presence ignores a last will of an earlier boot that arrives after the device announced a later one', async () => {
    const { client, device, number } = await connected();
    const will = (boot: number) => publish(client, number, 'presence', { v: 1, on: false, boot, why: 'lwt' });
    await publish(client, number, 'presence', { v: 1, on: true, boot: 2 }, true);
    await will(1);
    expect(await stateOf(device.id)).toMatchObject({ online: true });
    await will(2);
    expect(await stateOf(device.id)).toMatchObject({ online: false });
  });

  it('presence is lost after three upload intervals of silence, once, and found again by the next message', async () => {
    const { client, number, device } = await connected();
    await publish(client, number, 'tele', tele(1, world.clock.now()));
    const mine = () => world.findings.filter(({ line, code }) => line.deviceId === device.id && code === 801);
    world.findings.length = 0;
    world.clock.advance(175_000);
    await publish(client, number, 'tele', tele(2, world.clock.now()));
    const off = world.hears('device.online', device.id);
    for (let second = 0; second < 200; second += 1) {
      world.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(async () => mine().length > 0);
    expect(mine()).toMatchObject([{ active: true, level: 2, line: { n: 0 } }]);
    expect(await off).toMatchObject({ online: false });
    const on = world.hears('device.online', device.id);
    await publish(client, number, 'tele', tele(3, world.clock.now()));
    expect(await on).toMatchObject({ online: true });
    await eventually(async () => mine().length === 2);
    expect(mine()[1]).toMatchObject({ active: false });
  });

  it('presence learns how often a device really reports, and raises no alarm for one that reports every 15 minutes', async () => {
    const { client, number, device } = await connected();
    const minutes = async (count: number) => {
      for (let second = 0; second < count * 60; second += 5) {
        world.clock.advance(5_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const intervals = async () =>
      (
        await world.pool.query('select upload_seconds, interval_seconds from devices where id = $1', [
          device.id,
        ])
      ).rows[0];
    for (let seq = 1; seq <= 5; seq += 1) {
      await publish(client, number, 'tele', tele(seq, world.clock.now()));
      await minutes(15);
    }
    await becomes(async () => (await intervals()).interval_seconds, 900);
    expect(await intervals()).toEqual({ upload_seconds: 60, interval_seconds: 900 });
    // A finding that was made before the interval was known may arrive now.
    const knownAt = world.clock.now();
    for (let seq = 6; seq <= 8; seq += 1) {
      await publish(client, number, 'tele', tele(seq, world.clock.now()));
      await minutes(15);
    }
    // Faster reports after an event do not make the link forget the interval.
    for (let seq = 9; seq <= 60; seq += 1) {
      await publish(client, number, 'tele', tele(seq, world.clock.now()));
      world.clock.advance(5_000);
    }
    await minutes(15);
    const offline = () =>
      world.findings.filter(({ line, active, at }) => line.deviceId === device.id && active && at > knownAt);
    expect(offline()).toEqual([]);
    // The interval is known after a restart, and silence still counts.
    client.end(true);
    await world.restart();
    await minutes(44);
    expect(offline()).toEqual([]);
    await minutes(3);
    await eventually(async () => offline().length === 1);
    expect((await intervals()).interval_seconds).toBe(900);
  });

  it('presence allows devices extra time after a restart of the server', async () => {
    const { number, device } = await connected();
    await eventually(async () => (await stateOf(device.id)).online);
    await world.restart();
    world.findings.length = 0;
    world.clock.advance(100_000);
    expect(await stateOf(device.id)).toMatchObject({ online: true });
    const again = await mqtt.connectAsync(`mqtt://127.0.0.1:${world.link.port}`, {
      clientId: number,
      username: number,
      password: device.secret,
    });
    await publish(again, number, 'tele', tele(1, world.clock.now()));
    expect(world.findings.filter(({ active, line }) => active && line.deviceId === device.id)).toEqual([]);
    await again.endAsync();
  });

  it('presence is lost also by a device that left shortly before the server was stopped for hours', async () => {
    const { client, number, device } = await connected();
    await publish(client, number, 'tele', tele(1, world.clock.now()));
    await eventually(async () => (await stateOf(device.id)).online);
    client.end(true);
    await eventually(async () => !(await stateOf(device.id)).online);
    await world.restart(7_200_000);
    world.findings.length = 0;
    const mine = () => world.findings.filter(({ line, code }) => line.deviceId === device.id && code === 801);
    world.clock.advance(170_000);
    expect(mine()).toEqual([]);
    world.clock.advance(20_000);
    await eventually(async () => mine().length > 0);
    expect(mine()).toMatchObject([{ active: true }]);
  });

  it('a refused message also proves that the device is online', async () => {
    const { client, number, device } = await connected();
    await publish(client, number, 'tele', tele(1, world.clock.now()));
    for (let minute = 0; minute < 6; minute += 1) {
      world.clock.advance(60_000);
      await publish(client, number, 'tele', 'no JSON');
    }
    const found = world.findings.filter((one) => one.line.deviceId === device.id && one.code === 801);
    expect(found.every(({ active }) => !active)).toBe(true);
    expect((await stateOf(device.id)).online).toBe(true);
  });
});
