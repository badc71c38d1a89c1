import { once } from 'node:events';
import { createConnection } from 'node:net';
import { generate, type Packet } from 'mqtt-packet';
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
const { connected, latestOf, readingsOf, stateOf } = linkProbe(() => world);

describe('a reading', () => {
  it('a reading is on disk completely when its PUBACK arrives', async () => {
    const { client, number, line } = await connected();
    const t = world.clock.now() - 1000;
    await publish(client, number, 'tele', tele(1, t));
    const [row] = await readingsOf(line);
    expect(row).toMatchObject({
      boot: 1,
      seq: 1,
      position: 1,
      energy: 11,
      rx_ms: 1000,
      sent_ms: null,
      flags: null,
    });
    expect(row.at.getTime()).toBe(t);
    expect(row.channels.slice(0, 6)).toEqual([230, 5, null, null, null, 3]);
    expect(await latestOf(line)).toMatchObject({ seq: 1, position: 1, energy: 11 });
  });

  it('a reading is emitted on the bus once it is stored', async () => {
    const { client, number, line, device } = await connected();
    const stored = world.hears('readings.stored', device.id);
    await publish(client, number, 'tele', tele(1, world.clock.now()));
    expect(await stored).toMatchObject([{ lineId: line, n: 1, latest: true, position: 1 }]);
  });

  it('a reading that is repeated is acknowledged and stored once: in a row, later with another time, after a restart', async () => {
    const { client, number, line, device } = await connected();
    const now = world.clock.now();
    await Promise.all([1, 1, 2, 2, 3].map((seq) => publish(client, number, 'tele', tele(seq, now))));
    await publish(client, number, 'tele', tele(2, now - 4000));
    await publish(client, number, 'tele', tele(3, 5));
    client.end(true);
    await world.restart();
    const again = await world.device(device);
    for (const seq of [1, 2, 3, 4]) await publish(again, number, 'tele', tele(seq, now - seq));
    expect((await readingsOf(line)).map((row) => row.seq).sort()).toEqual([1, 2, 3, 4]);
  });

  it('a reading with an impossible time is stored once, at its time of receipt', async () => {
    const { client, number, line } = await connected();
    await publish(client, number, 'tele', tele(1, 86_400_000));
    world.clock.advance(30_000);
    await publish(client, number, 'tele', tele(1, 86_400_000));
    expect(await readingsOf(line)).toMatchObject([{ seq: 1, rx_ms: 0, flags: 4 }]);
  });

  it('a reading of a clock that is hours ahead counts as now, raises 803 after 5 minutes, and counts again once the clock is right', async () => {
    const { client, number, line } = await connected();
    const ahead = 3 * 3_600_000;
    const found = () =>
      world.findings.filter((one) => one.line.deviceNumber === number && one.code === 803 && one.active);
    for (let seq = 1; seq <= 8; seq += 1) {
      world.clock.advance(60_000);
      expect(found()).toEqual([]);
      await publish(client, number, 'tele', tele(seq, world.clock.now() + ahead));
      expect(await latestOf(line)).toMatchObject({ seq, at: new Date(world.clock.now()) });
    }
    expect(found()).toMatchObject([{ level: 2, value: -10_800 }]);
    world.clock.advance(10_000);
    const t = world.clock.now() - 1000;
    await publish(client, number, 'tele', tele(9, t));
    expect(await latestOf(line)).toMatchObject({ seq: 9, at: new Date(t) });
    for (let seq = 10; seq <= 14; seq += 1) {
      world.clock.advance(60_000);
      await publish(client, number, 'tele', tele(seq, world.clock.now()));
    }
    const last = world.findings.filter(({ line: { deviceNumber } }) => deviceNumber === number).at(-1);
    expect(last).toMatchObject({ code: 803, active: false });
  });

  it('a reading that waited while the server was down keeps its time, and no right clock is reported as wrong', async () => {
    const { client, number, line, device } = await connected();
    client.end(true);
    const begin = world.clock.now();
    world.clock.advance(75_000);
    await world.restart();
    const again = await world.device(device);
    for (let seq = 1; seq <= 30; seq += 1)
      await publish(again, number, 'tele', tele(seq, begin + seq * 2_500));
    for (let seq = 31; seq <= 60; seq += 1) {
      world.clock.advance(20_000);
      await publish(again, number, 'tele', tele(seq, world.clock.now() - 700));
    }
    expect(await readingsOf(line)).toHaveLength(60);
    expect((await readingsOf(line)).every((row) => row.sent_ms === null && row.flags === null)).toBe(true);
    expect(world.findings.filter((one) => one.line.deviceNumber === number && one.active)).toEqual([]);
  });

  it('the sender of the next command knows within a second that a clock is ahead', async () => {
    const { client, number, device } = await connected();
    await publish(client, number, 'tele', tele(1, world.clock.now() + 300_000));
    world.clock.advance(1_000);
    const known = await eventually(async () => {
      const state = await stateOf(device.id);
      return state?.clock_ms !== 0 && state;
    });
    expect(known).toMatchObject({ clock_ms: -300_000, skew_ms: 0 });
  });

  it('a reading of a backlog is stored as history and never becomes the latest', async () => {
    const { client, number, line, device } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', tele(5, now));
    const stored = world.hears('readings.stored', device.id);
    await publish(client, number, 'tele', tele(3, now - 6 * 86_400_000, { bf: 1 }));
    expect(await stored).toMatchObject([{ seq: 3, latest: false }]);
    await publish(client, number, 'tele', tele(4, now - 1, { bf: 1 }));
    expect(await latestOf(line)).toMatchObject({ seq: 5 });
    expect((await readingsOf(line)).map((row) => row.seq)).toEqual([3, 4, 5]);
    const dirty = await world.pool.query('select 1 from rollup_dirty where line_id = $1', [line]);
    expect(dirty.rowCount).toBe(2);
  });

  it('open handshakes of QoS 2 are bounded per device and forgotten with its connection', async () => {
    const device = await makeDevice(world.db);
    const open = async (clean: boolean) => {
      const socket = createConnection(world.link.port, '127.0.0.1');
      socket.on('error', () => {});
      const closed = once(socket, 'close');
      const packet = (more: object) => socket.write(generate(more as Packet));
      packet({
        ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean, clientId: device.number },
        ...{ username: device.number, password: Buffer.from(device.secret), keepalive: 60 },
      });
      await once(socket, 'data');
      return { socket, closed, packet };
    };
    const send = (packet: (more: object) => void, from: number, count: number) => {
      for (let id = from; id < from + count; id += 1)
        packet({
          ...{ cmd: 'publish', topic: topicOf(device.number, 'tele'), qos: 2, messageId: id },
          payload: JSON.stringify(tele(id, world.clock.now())),
        });
    };
    const stored = async (seq: number) =>
      (await readingsOf(device.lines[0]!.id)).some((row) => row.seq === seq);
    const first = await open(false);
    send(first.packet, 1, 100);
    await eventually(() => stored(100));
    first.socket.destroy();
    await first.closed;
    const second = await open(false);
    send(second.packet, 101, 100);
    await eventually(() => stored(200)); // the first 100 handshakes no longer count
    send(second.packet, 201, 10);
    await second.closed; // 110 open handshakes exceed the maximum
  });

  it('a reading of QoS 2 or 0 is stored once, and hundreds of open handshakes do not affect other devices', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await client.publishAsync(topicOf(number, 'tele'), JSON.stringify(tele(1, now)), { qos: 2 });
    await client.publishAsync(topicOf(number, 'tele'), JSON.stringify(tele(2, now + 1)), { qos: 0 });
    await publish(client, number, 'tele', tele(3, now + 2));
    expect((await readingsOf(line)).map((row) => row.seq)).toEqual([1, 2, 3]);

    const other = await makeDevice(world.db);
    const socket = createConnection(world.link.port, '127.0.0.1');
    socket.on('error', () => {});
    const packet = (more: object) => generate(more as Packet);
    socket.write(
      packet({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        clientId: other.number,
        username: other.number,
        password: Buffer.from(other.secret),
        keepalive: 60,
      }),
    );
    await once(socket, 'data');
    // Repeated PUBLISH without the PUBREL.
    for (let id = 1; id <= 500; id += 1)
      socket.write(
        packet({
          cmd: 'publish',
          topic: topicOf(other.number, 'tele'),
          payload: JSON.stringify(tele(id, now + id)),
          qos: 2,
          messageId: id,
          dup: false,
          retain: false,
        }),
      );
    await eventually(async () => (await readingsOf(other.lines[0]!.id)).length > 0);
    await publish(client, number, 'tele', tele(4, now + 3));
    expect(await readingsOf(line)).toHaveLength(4);
    socket.destroy();
  });

  it('a reading that arrives after a newer one is history too', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', tele(2, now));
    await publish(client, number, 'tele', tele(1, now - 60_000));
    expect(await latestOf(line)).toMatchObject({ seq: 2 });
  });

  it('a reading of several lines is stored for the known lines, and the unknown ones are counted', async () => {
    const { client, number, device } = await connected({ lines: 2 });
    const ln = [{ n: 1, IL: 'x', trip: 301, T: { m: -50 } }, { n: 7 }, { n: 2, IL: 2 }];
    await publish(client, number, 'tele', tele(1, world.clock.now(), { ln }));
    const [first, second] = device.lines;
    expect(await readingsOf(first!.id)).toMatchObject([{ trip: 301, flags: 8 }]);
    expect(await readingsOf(second!.id)).toHaveLength(1);
    expect(await latestOf(first!.id)).toMatchObject({ trip: 301 });
    world.clock.advance(1_500);
    const state = await eventually(async () => {
      const row = await stateOf(device.id);
      return Object.keys(row.refused).length > 0 && row;
    });
    expect(state.refused).toEqual({ unknown_line: 1 });
  });
});

describe('bad input', () => {
  it('bad input is acknowledged, counted with its reason, and affects nothing else', async () => {
    const { client, number, line, device } = await connected();
    const good = tele(1, world.clock.now());
    const bad: [string | Buffer | object, string][] = [
      ['{"v":', 'not_json'],
      [Buffer.from([0xff, 0xfe, 0]), 'not_json'],
      [`{"v":1,"x":${'['.repeat(4200)}${']'.repeat(4200)}}`, 'not_storable'],
      [Buffer.alloc(17_000, 32), 'oversized'],
      [Buffer.alloc(200_000, 32), 'oversized'],
      [{ ...good, ln: 'x' }, 'wrong_type'],
      [{ ...good, ln: [1] }, 'wrong_type'],
      ['{"v":1,"boot":1,"seq":9,"seq":8,"ln":[]}', 'duplicate_name'],
      [{ ...good, ln: [{ n: 9 }] }, 'unknown_line'],
      [{ ...good, bf: 1, t: good.t - 30 * 86_400_000 }, 'too_old'],
      [{ ...good, seq: -1 }, 'bad_envelope'],
    ];
    await Promise.all(bad.map(([payload]) => publish(client, number, 'tele', payload)));
    await publish(client, number, 'info', '{"v":1,"type":3,"model":"M","fw":"1","lines":[],"x":"\\u0000"}');
    await publish(client, number, 'tele', good);
    expect(await readingsOf(line)).toHaveLength(1);
    world.clock.advance(1_500);
    const expected: Record<string, number> = { not_storable: 1 }; // the escaped U+0000 in the info message
    for (const [, reason] of bad) expected[reason] = (expected[reason] ?? 0) + 1;
    const state = await eventually(async () => {
      const row = await stateOf(device.id);
      return Object.keys(row.refused).length > 0 && row;
    });
    expect(state.refused).toEqual(expected);
    expect(client.connected).toBe(true);
  });

  it('bad input of one device does not affect the others of its group', async () => {
    const one = await connected();
    const two = await connected();
    await Promise.all([
      publish(
        one.client,
        one.number,
        'info',
        '{"v":1,"type":3,"model":"M","fw":"1","lines":[],"x":"\\u0000"}',
      ),
      ...[1, 2, 3].map((seq) => publish(two.client, two.number, 'tele', tele(seq, world.clock.now()))),
    ]);
    expect(await readingsOf(two.line)).toHaveLength(3);
  });

  it('bad input that is too large ends only its own connection, and is counted', async () => {
    const one = await connected();
    const two = await connected();
    const closed = new Promise<void>((resolve) => one.client.once('close', () => resolve()));
    one.client.on('error', () => {});
    one.client.publish(topicOf(one.number, 'tele'), Buffer.alloc(2_000_000, 32), { qos: 1 });
    await closed;
    await publish(two.client, two.number, 'tele', tele(1, world.clock.now()));
    world.clock.advance(1_500);
    const { refused, refused_last: last } = await eventually(async () => {
      const row = await stateOf(one.device.id);
      return row.refused_last && row;
    });
    expect(refused).toEqual({ oversized: 1 });
    expect(last).toMatchObject({ reason: 'oversized', topic: 'tele' });
  });

  it('a connection that never signed in is cut off after fewer bad messages', async () => {
    const socket = createConnection(world.link.port, '127.0.0.1');
    const closed = once(socket, 'close');
    socket.on('error', () => {});
    // A CONNECT that announces 200 MB.
    socket.write(Buffer.from([0x10, 0x80, 0x84, 0xaf, 0x5f]));
    for (let sent = 0; sent < 64; sent += 1) socket.write(Buffer.alloc(1024, 32));
    await closed;
  });
});

describe('the state of devices', () => {
  it('the state of devices is stored for all others when one value of a device cannot be stored', async () => {
    const one = await connected();
    const two = await connected();
    await publish(one.client, one.number, 'tele', tele(1, world.clock.now(), { dev: { rssi: 1e308 } }));
    await publish(two.client, two.number, 'tele', tele(1, world.clock.now(), { dev: { rssi: -70 } }));
    for (let tick = 0; tick < 40; tick += 1) {
      world.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await becomes(async () => (await stateOf(two.device.id)).rssi, -70);
    expect(await stateOf(one.device.id)).toMatchObject({ rssi: null });
  });
});

describe('the way back', () => {
  const command = { v: 1, id: 'c1', no: 1, t: 1, exp: 2, cmd: 'open', n: 1, by: 'u:1', batch: null } as const;

  it('carries a command once, never retained', async () => {
    const { client, number } = await connected();
    const got: [string, boolean][] = [];
    client.on('message', (_topic, payload, packet) => got.push([payload.toString(), packet.retain]));
    await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
    await world.link.deviceLink.publishCommand(number, command);
    await eventually(async () => got.length > 0);
    expect(got).toEqual([[JSON.stringify(command), false]]);
  });

  it('rejects a command for an offline device, and does not send it later', async () => {
    const { client, number, device } = await connected();
    await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
    const gone = world.hears('device.online', device.id);
    await client.endAsync();
    await gone;
    await expect(world.link.deviceLink.publishCommand(number, command)).rejects.toThrow('no live session');
    const back = await world.device(device, { clean: false });
    const got: string[] = [];
    back.on('message', (topic) => got.push(topic));
    await back.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
    await publish(back, number, 'tele', tele(1, world.clock.now()));
    expect(got).toEqual([]);
  });

  it('reports the sequence number up to which every message is stored', async () => {
    const { client, number } = await connected();
    const marks: object[] = [];
    client.on('message', (_topic, payload) => marks.push(JSON.parse(payload.toString())));
    await client.subscribeAsync(topicOf(number, 'hwm'), { qos: 1 });
    for (const seq of [0, 1, 3]) await publish(client, number, 'tele', tele(seq, world.clock.now()));
    world.clock.advance(1_000);
    await eventually(async () => marks.length === 1);
    await publish(client, number, 'tele', tele(2, world.clock.now(), { bf: 1 }));
    world.clock.advance(1_000);
    await eventually(async () => marks.length === 2);
    expect(marks).toEqual([
      { boot: 1, seq: 1 },
      { boot: 1, seq: 3 },
    ]);
  });
});
