import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import mqtt from 'mqtt';
import { generate, type Packet } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { forgetOrder } from '#server/core/report-order.ts';
import { makeDevice } from '#test/factories.ts';
import { becomes, eventually } from '#test/world.ts';
import { hashSecret } from './credentials.ts';
import { type LinkWorld, linkWorld, publish, tele } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());

const connected = async (given: Parameters<typeof makeDevice>[1] = {}) => {
  const device = await makeDevice(world.db, given);
  const client = await world.device(device);
  return { device, client, number: device.number, line: device.lines[0]!.id };
};
const readingsOf = async (lineId: number) =>
  (await world.pool.query('select * from readings where line_id = $1 order by at, seq', [lineId])).rows;
const latestOf = async (lineId: number) =>
  (await world.pool.query('select * from line_latest where line_id = $1', [lineId])).rows[0];
const stateOf = async (deviceId: number) =>
  (await world.pool.query('select * from device_state where device_id = $1', [deviceId])).rows[0];

describe('a reading', () => {
  it('is on disk, whole, when its PUBACK arrives', async () => {
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

  it('is emitted on the bus once it is stored', async () => {
    const { client, number, line } = await connected();
    const stored = world.hears('readings.stored');
    await publish(client, number, 'tele', tele(1, world.clock.now()));
    expect(await stored).toMatchObject([{ lineId: line, n: 1, latest: true, position: 1 }]);
  });

  it('sent again is acknowledged and stored once: in a row, later with another time, after a restart', async () => {
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

  it('with a nonsense clock is stored once, at the time it came in', async () => {
    const { client, number, line } = await connected();
    await publish(client, number, 'tele', tele(1, 86_400_000));
    world.clock.advance(30_000);
    await publish(client, number, 'tele', tele(1, 86_400_000));
    expect(await readingsOf(line)).toMatchObject([{ seq: 1, rx_ms: 0, flags: 4 }]);
  });

  it('of a clock that is hours ahead counts as of now, raises 803 after 5 minutes, and counts again once right', async () => {
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

  it('that waited while the server was down keeps its time, and no right clock is found wrong', async () => {
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

  it('of a clock that is ahead is known to the sender of the next command within a second', async () => {
    const { client, number, device } = await connected();
    await publish(client, number, 'tele', tele(1, world.clock.now() + 300_000));
    world.clock.advance(1_000);
    const known = await eventually(async () => {
      const state = await stateOf(device.id);
      return state?.clock_ms !== 0 && state;
    });
    expect(known).toMatchObject({ clock_ms: -300_000, skew_ms: 0 });
  });

  it('of a backlog fills history and never becomes the latest', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', tele(5, now));
    const stored = world.hears('readings.stored');
    await publish(client, number, 'tele', tele(3, now - 6 * 86_400_000, { bf: 1 }));
    expect(await stored).toMatchObject([{ seq: 3, latest: false }]);
    await publish(client, number, 'tele', tele(4, now - 1, { bf: 1 }));
    expect(await latestOf(line)).toMatchObject({ seq: 5 });
    expect((await readingsOf(line)).map((row) => row.seq)).toEqual([3, 4, 5]);
    const dirty = await world.pool.query('select 1 from rollup_dirty where line_id = $1', [line]);
    expect(dirty.rowCount).toBe(2);
  });

  it('of QoS 2 whose handshakes stay open is bounded per device and forgotten with its connection', async () => {
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
    await eventually(() => stored(200)); // the 100 handshakes before are forgotten
    send(second.packet, 201, 10);
    await second.closed; // 110 open at once are too many
  });

  it('of QoS 2 or 0 is stored once, and hundreds of open handshakes disturb no other device', async () => {
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
    // PUBLISH after PUBLISH whose PUBREL never comes.
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

  it('that arrives after a newer one is history too', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', tele(2, now));
    await publish(client, number, 'tele', tele(1, now - 60_000));
    expect(await latestOf(line)).toMatchObject({ seq: 2 });
  });

  it('of several lines is stored for the lines that are known, and what was left out is counted', async () => {
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

describe('the facts of a line', () => {
  const report = (seq: number, t: number, line: object, more: object = {}) => ({
    v: 1,
    boot: 1,
    seq,
    t,
    ln: [{ n: 1, ...line }],
    ...more,
  });
  const at = (ms: number) => new Date(ms);

  it('keep their value and time when a report lacks them, and become unknown when it carries null', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now - 3000, { sw: 1, trip: 301, lock: 2 }));
    await publish(client, number, 'tele', report(2, now - 2000, { U: { a: 230 } }));
    expect(await latestOf(line)).toMatchObject({
      ...{ seq: 2, at: at(now - 2000), position: 1, position_at: at(now - 3000), position_seq: 1 },
      ...{ trip: 301, trip_at: at(now - 3000), trip_seq: 1, lock: 2, lock_at: at(now - 3000), lock_boot: 1 },
    });
    await publish(client, number, 'tele', report(3, now - 1000, { sw: null, trip: null, lock: null }));
    expect(await latestOf(line)).toMatchObject({
      ...{ position: null, position_at: at(now - 1000), position_seq: 3 },
      ...{ trip: null, trip_at: at(now - 1000), trip_seq: 3, lock: null, lock_at: at(now - 1000) },
    });
  });

  it('survive a later message of the same group that lacks them', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await Promise.all([
      publish(client, number, 'tele', report(1, now, { sw: 0, trip: 301 })),
      publish(client, number, 'tele', report(2, now, { lock: 0 })),
      publish(client, number, 'tele', report(3, now, { U: { a: 230 } })),
    ]);
    expect(await latestOf(line)).toMatchObject({
      ...{ seq: 3, position: 0, position_seq: 1, trip: 301, trip_seq: 1, lock: 0, lock_seq: 2 },
    });
  });

  it('come from an older message that arrives late, when no newer one carried them', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now, { sw: 1, trip: 0 }));
    await publish(client, number, 'tele', report(3, now, { sw: 1 }));
    await publish(client, number, 'tele', report(2, now, { sw: 0, trip: 301 }));
    expect(await latestOf(line)).toMatchObject({
      ...{ seq: 3, position: 1, position_seq: 3, trip: 301, trip_seq: 2 },
    });
  });

  it('follow the sequence when the clock of the device is set back', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now, { sw: 0, trip: 0, I: { a: 0 } }));
    await publish(client, number, 'tele', report(2, now - 4000, { sw: 1, trip: 301, I: { a: 5.2 } }));
    const latest = await latestOf(line);
    expect(latest).toMatchObject({ seq: 2, position: 1, trip: 301, position_at: at(now - 4000) });
    expect(latest.channels[1]).toBeCloseTo(5.2);
    await publish(client, number, 'event', {
      ...{
        v: 1,
        boot: 1,
        seq: 3,
        t: now - 9000,
        eid: '1-1',
        kind: 'pos',
        n: 1,
        sw: 0,
        by: 'trip',
        code: 201,
      },
    });
    expect(await latestOf(line)).toMatchObject({
      ...{ position: 0, position_at: at(now - 9000), position_seq: 3, trip: 201, trip_seq: 3 },
    });
  });

  it('are not replaced by a position event of an earlier sequence', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(7, now - 5000, { sw: 1, trip: 0 }));
    await publish(client, number, 'event', {
      ...{ v: 1, boot: 1, seq: 6, t: now, eid: '1-1', kind: 'pos', n: 1, sw: 0, by: 'trip' },
    });
    expect(await latestOf(line)).toMatchObject({ position: 1, position_seq: 7, trip: 0 });
  });

  it('are not replaced by a reading of an older boot with any time, also after a restart', async () => {
    const { client, number, line, device } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now - 9000, { sw: 1, trip: 301 }, { boot: 2 }));
    await publish(client, number, 'tele', report(99, now, { sw: 0, trip: 0 }));
    expect(await latestOf(line)).toMatchObject({ boot: 2, seq: 1, position: 1, trip: 301 });
    client.end(true);
    await world.restart();
    const again = await world.device(device);
    await publish(again, number, 'tele', report(100, now, { sw: 0, trip: 0 }));
    expect(await latestOf(line)).toMatchObject({ boot: 2, seq: 1, position: 1, trip: 301 });
  });

  it('follow a boot counter that started again, once the device names its boot at its connection', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(9, now, { sw: 1, trip: 301 }, { boot: 500 }));
    await publish(client, number, 'presence', { v: 1, on: true, boot: 1 }, true);
    await publish(client, number, 'tele', report(1, now, { sw: 0 }));
    expect(await latestOf(line)).toMatchObject({
      ...{ boot: 1, seq: 1, position: 0, position_boot: 1, trip: 301, trip_at: at(now), trip_boot: -1 },
    });
    await world.restart();
    await becomes(async () => (await latestOf(line)).boot, 1);
  });

  it('follow other hardware with the same boot number once the device got a new secret', async () => {
    const { client, number, line, device } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(900, now - 60_000, { sw: 1, trip: 301 }));
    const secret = hashSecret('other hardware');
    await world.db.transaction().execute(async (trx) => {
      await trx.updateTable('devices').set({ secret_hash: secret }).where('id', '=', device.id).execute();
      await forgetOrder(trx, device.id);
    });
    world.bus.emit('device.changed', { deviceId: device.id, what: 'place' });
    client.end(true);
    const other = await eventually(() =>
      world.device({ number, secret: 'other hardware' }).catch(() => null),
    );
    await publish(other, number, 'tele', report(1, now, { sw: 0 }));
    expect(await latestOf(line)).toMatchObject({
      seq: 1,
      position: 0,
      position_seq: 1,
      trip: 301,
      trip_seq: -1,
    });
    await publish(other, number, 'tele', report(1, now, { sw: 0 }));
    expect(await readingsOf(line)).toHaveLength(2);
  });

  it('follow a boot counter that started again after a minute of nothing else', async () => {
    const { client, number, line, device } = await connected();
    await publish(client, number, 'tele', report(9, world.clock.now(), { sw: 1 }, { boot: 500 }));
    for (let seq = 1; seq <= 3; seq += 1) {
      await publish(client, number, 'tele', report(seq, world.clock.now(), { sw: 0 }, { boot: 3 }));
      expect(await latestOf(line)).toMatchObject({ boot: seq < 3 ? 500 : 3 });
      world.clock.advance(30_000);
    }
    client.end(true);
    await world.restart();
    const again = await world.device(device);
    await publish(again, number, 'tele', report(2, world.clock.now(), { sw: 1 }, { boot: 3 })); // a duplicate
    await publish(again, number, 'tele', report(4, world.clock.now(), { sw: 0 }, { boot: 3 }));
    expect(await latestOf(line)).toMatchObject({ boot: 3, seq: 4, position: 0 });
    expect((await readingsOf(line)).map((row) => [row.boot, row.seq])).toHaveLength(5);
  });
});

describe('bad input', () => {
  it('is acknowledged, counted with its reason, and disturbs nothing else', async () => {
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
    const expected: Record<string, number> = { not_storable: 1 }; // of the info
    for (const [, reason] of bad) expected[reason] = (expected[reason] ?? 0) + 1;
    const state = await eventually(async () => {
      const row = await stateOf(device.id);
      return Object.keys(row.refused).length > 0 && row;
    });
    expect(state.refused).toEqual(expected);
    expect(client.connected).toBe(true);
  });

  it('of one device in a group leaves the others of the group stored', async () => {
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

  it('too large to be taken in ends only its own connection, and is counted', async () => {
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

  it('of a stranger is cut off sooner', async () => {
    const socket = createConnection(world.link.port, '127.0.0.1');
    const closed = once(socket, 'close');
    socket.on('error', () => {});
    // A CONNECT that says it has 200 MB.
    socket.write(Buffer.from([0x10, 0x80, 0x84, 0xaf, 0x5f]));
    for (let sent = 0; sent < 64; sent += 1) socket.write(Buffer.alloc(1024, 32));
    await closed;
  });
});

describe('the state of devices', () => {
  it('is kept for all others when one value of a device cannot be stored', async () => {
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

describe('access', () => {
  it('is refused with wrong credentials, a foreign client id, or a will elsewhere', async () => {
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

  it('is given to a right secret however many wrong and anonymous connections come from the same address', async () => {
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

  it('is given any keep-alive that a device asks for, including none', async () => {
    for (const keepalive of [0, 65_535]) {
      const device = await makeDevice(world.db);
      const client = await world.device(device, { keepalive, reschedulePings: false });
      expect(client.connected).toBe(true);
    }
  });

  it('reaches only the own topics, and others are not disturbed', async () => {
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

  it('from a second connection takes over; the device stays online and the takeover is counted', async () => {
    const event = world.hears('device.online');
    const { client, device, number, line } = await connected();
    await event;
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

  it('ends when the device is disconnected by the server', async () => {
    const { client, number } = await connected();
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    await world.link.deviceLink.disconnect(number);
    await closed;
  });
});

describe('what a device reports about itself', () => {
  it('brings new lines, whose readings may follow at once', async () => {
    const { client, number, device } = await connected();
    const event = world.hears('device.info');
    const info = {
      v: 1,
      type: 3,
      model: 'SW3-40',
      fw: '1.4.2',
      hw: 'B',
      imei: '86',
      lines: [
        { n: 1, in: 40 },
        { n: 2, in: 32, ctl: true },
      ],
    };
    await Promise.all([
      publish(client, number, 'info', info, true),
      publish(client, number, 'tele', tele(1, world.clock.now(), { ln: [{ n: 2, IL: 3 }] })),
    ]);
    expect(await event).toMatchObject({ deviceId: device.id });
    const { rows } = await world.pool.query(
      `select l.n, l.rated_current, l.switchable, t.seq from lines l left join line_latest t on t.line_id = l.id
       where device_id = $1 and n > 0 order by n`,
      [device.id],
    );
    expect(rows).toMatchObject([
      { n: 1, rated_current: 40 },
      { n: 2, rated_current: 32, switchable: true, seq: 1 },
    ]);
    expect(
      (await world.pool.query('select model, firmware from devices where id = $1', [device.id])).rows,
    ).toEqual([{ model: 'SW3-40', firmware: '1.4.2' }]);
  });

  it('mirrors its upload interval and whether remote control is enabled', async () => {
    const { client, number, device } = await connected();
    await publish(
      client,
      number,
      'cfg',
      { v: 1, rev: 2, p: { dev: { tele_s: 300 } }, en: { net_ctrl: false } },
      true,
    );
    expect(
      (await world.pool.query('select net_ctrl, upload_seconds from devices where id = $1', [device.id]))
        .rows,
    ).toEqual([{ net_ctrl: false, upload_seconds: 300 }]);
  });

  it('a position change is an event, and the observed position follows', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', tele(1, now));
    const heard = world.hears('position.changed');
    await publish(client, number, 'event', {
      v: 1,
      boot: 1,
      seq: 3,
      t: now,
      eid: 'a',
      kind: 'pos',
      n: 1,
      sw: 0,
      by: 'trip',
      code: 301,
    });
    expect(await heard).toMatchObject([{ lineId: line, position: 0, cause: 'trip', code: 301 }]);
    await publish(client, number, 'tele', tele(2, now + 5));
    expect(await latestOf(line)).toMatchObject({ seq: 2, position: 0, position_seq: 3 });
    expect(
      (
        await world.pool.query(
          'select position, cause, received_at from position_events where line_id = $1',
          [line],
        )
      ).rows,
    ).toEqual([{ position: 0, cause: 'trip', received_at: new Date(now) }]);
  });

  it('an answer to a command is on disk, once, when its PUBACK arrives', async () => {
    const { client, number, device } = await connected();
    const id = randomUUID();
    const done = { v: 1, id, boot: 1, seq: 2, st: 'done', n: 1, sw: 0 };
    await publish(client, number, 'ack', { v: 1, id, boot: 1, seq: 1, st: 'accepted', n: 1 });
    await publish(client, number, 'ack', done);
    const receivedAt = new Date(world.clock.now());
    world.clock.advance(1000);
    await publish(client, number, 'ack', done);
    await publish(client, number, 'ack', { ...done, seq: 3, id: 'no command of ours' });
    const { rows } = await world.pool.query(
      'select command_id, received_at, ack from command_answers where device_id = $1 order by id',
      [device.id],
    );
    expect(rows).toMatchObject([{ ack: { st: 'accepted', seq: 1 } }, { ack: done }]);
    for (const row of rows) expect(row).toMatchObject({ command_id: id, received_at: receivedAt });
  });

  it('an answer of a device that counts answers apart is taken, and hides none of its reports', async () => {
    const { client, number, device, line } = await connected();
    const now = world.clock.now();
    for (const seq of [1, 2, 3]) await publish(client, number, 'tele', tele(seq, now + seq));
    const id = randomUUID();
    const answers = ['accepted', 'done'].map((st, index) => ({
      v: 1,
      id,
      boot: 1,
      seq: index + 1,
      st,
      n: 1,
    }));
    for (const each of [...answers, ...answers]) await publish(client, number, 'ack', each);
    const later = [3, 4, 5, 6].map((seq) => ({ v: 1, id: randomUUID(), boot: 1, seq, st: 'done', n: 1 }));
    for (const each of later) await publish(client, number, 'ack', each);
    for (const seq of [4, 5, 6]) await publish(client, number, 'tele', tele(seq, now + seq));
    const { rows } = await world.pool.query(
      'select ack from command_answers where device_id = $1 order by id',
      [device.id],
    );
    expect(rows.map(({ ack }) => [ack.st, ack.seq])).toEqual([
      ...[
        ['accepted', 1],
        ['done', 2],
      ],
      ...later.map(({ st, seq }) => [st, seq]),
    ]);
    expect((await readingsOf(line)).map((row) => row.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('a fault-arc detector has no line that can be switched, even if it reports one', async () => {
    const { client, number, device } = await connected({ type: 5 });
    await publish(client, number, 'info', {
      ...{ v: 1, type: 5, model: 'D', fw: '1', caps: ['open', 'close'] },
      lines: [{ n: 1, ctl: true }],
    });
    const { rows } = await world.pool.query('select switchable from lines where device_id = $1 and n = 1', [
      device.id,
    ]);
    expect(rows).toEqual([{ switchable: false }]);
  });

  it('a trip reported by an event stays until a reading of a later sequence reports that it was reset', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    const ln = (trip: number) => ({ ln: [{ n: 1, sw: 0, trip, U: { a: 230 }, I: { a: 0 } }] });
    await publish(client, number, 'tele', tele(1, now, ln(0)));
    const event = { v: 1, boot: 1, seq: 3, t: now, eid: 'a', kind: 'pos', n: 1, sw: 0 };
    await publish(client, number, 'event', { ...event, by: 'trip', code: 301 });
    expect(await latestOf(line)).toMatchObject({ position: 0, trip: 301 });
    await publish(client, number, 'tele', tele(2, now + 5, ln(0)));
    expect(await latestOf(line)).toMatchObject({ seq: 2, trip: 301 });
    await publish(client, number, 'tele', tele(4, now + 20, ln(0)));
    expect(await latestOf(line)).toMatchObject({ seq: 4, trip: 0 });
    await publish(client, number, 'event', { ...event, seq: 5, t: now + 30, eid: 'b', by: 'trip' });
    expect((await latestOf(line)).trip).toBe(701);
    await publish(client, number, 'event', { ...event, seq: 6, t: now + 31, eid: 'c', by: 'manual' });
    expect((await latestOf(line)).trip).toBe(701);
  });

  it('an answer to a command reaches the bus', async () => {
    const { client, number, device } = await connected();
    const heard = world.hears('device.ack');
    await publish(client, number, 'ack', { v: 1, id: 'c1', boot: 1, seq: 1, st: 'done', n: 1, sw: 0 });
    expect(await heard).toMatchObject({ deviceId: device.id, ack: { id: 'c1', st: 'done' } });
  });
});

it('the report of a device waits for the lock on the device, without locking its lines', async () => {
  const { client, number, device, line } = await connected();
  await publish(client, number, 'tele', tele(1, world.clock.now() - 1000));
  const holder = await world.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from devices where id = $1 for no key update', [device.id]);
    const event = Promise.all([
      publish(client, number, 'tele', tele(2, world.clock.now())),
      publish(client, number, 'cfg', { v: 1, rev: 1, p: {}, en: { net_ctrl: true } }),
    ]);
    await eventually(async () => {
      const { rows } = await world.pool.query(
        `select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))`,
        [(holder as unknown as { processID: number }).processID],
      );
      return rows.length > 0;
    });
    await holder.query('select from line_latest where line_id = $1 for update nowait', [line]);
    await holder.query('commit');
    await event;
  } finally {
    holder.release(true);
  }
  expect(await latestOf(line)).toMatchObject({ seq: 2 });
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

  it('rejects for a device that is away, and keeps nothing for its return', async () => {
    const { client, number, device } = await connected();
    await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
    const gone = world.hears('device.online');
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

  it('reports what is stored without a gap', async () => {
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

describe('a report that comes late', () => {
  const factsOf = (lineId: number) =>
    world.db
      .selectFrom('line_latest')
      .select(['position', 'trip', 'lock'])
      .where('line_id', '=', lineId)
      .executeTakeFirstOrThrow();
  it('forbids closing with its trip and lock where it is the newest, and permits nothing', async () => {
    const { client, number, device } = await connected();
    const line = device.lines[0]!.id;
    const now = world.clock.now();
    const send = (seq: number, facts: object, late = true) => {
      const message = tele(seq, now - 10_000 + seq * 1000, late ? { bf: 1 } : {});
      Object.assign(message.ln[0]!, facts);
      return publish(client, number, 'tele', message);
    };
    await send(1, { sw: 0, trip: 0, lock: 0 }, false);
    await send(3, { sw: 1, trip: 301, lock: 2 });
    expect(await factsOf(line)).toEqual({ position: 0, trip: 301, lock: 2 });
    await send(2, { sw: 0, trip: 205, lock: 1 });
    await send(4, { sw: 0, trip: 0, lock: 0 });
    expect(await factsOf(line)).toEqual({ position: 0, trip: 301, lock: 2 });
    await send(5, { sw: 0, trip: 0, lock: 0 }, false);
    expect(await factsOf(line)).toEqual({ position: 0, trip: 0, lock: 0 });
  });
});

describe('presence', () => {
  it('follows the connection and the last will', async () => {
    const device = await makeDevice(world.db);
    const on = world.hears('device.online');
    const payload = Buffer.from('{"v":1,"on":false,"boot":1,"why":"lwt"}');
    const client = await world.device(device, {
      will: { topic: topicOf(device.number, 'presence'), payload, qos: 1, retain: true },
    });
    expect(await on).toMatchObject({ deviceId: device.id, online: true });
    const off = world.hears('device.online');
    client.stream.destroy();
    expect(await off).toMatchObject({ deviceId: device.id, online: false, why: 'lwt' });
    expect(await stateOf(device.id)).toMatchObject({ online: false });
  });

  it('is lost after three upload intervals of silence, once, and found again by traffic', async () => {
    const { client, number, device } = await connected();
    await publish(client, number, 'tele', tele(1, world.clock.now()));
    const mine = () => world.findings.filter(({ line, code }) => line.deviceId === device.id && code === 801);
    world.findings.length = 0;
    world.clock.advance(175_000);
    await publish(client, number, 'tele', tele(2, world.clock.now()));
    const off = world.hears('device.online');
    for (let second = 0; second < 200; second += 1) {
      world.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(async () => mine().length > 0);
    expect(mine()).toMatchObject([{ active: true, level: 2, line: { n: 0 } }]);
    expect(await off).toMatchObject({ online: false });
    const on = world.hears('device.online');
    await publish(client, number, 'tele', tele(3, world.clock.now()));
    expect(await on).toMatchObject({ online: true });
    await eventually(async () => mine().length === 2);
    expect(mine()[1]).toMatchObject({ active: false });
  });

  it('learns how often a device really reports: no alarm for a device that reports every 15 minutes', async () => {
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
    world.findings.length = 0;
    for (let seq = 6; seq <= 8; seq += 1) {
      await publish(client, number, 'tele', tele(seq, world.clock.now()));
      await minutes(15);
    }
    // Fast reports after an event do not make it forget.
    for (let seq = 9; seq <= 60; seq += 1) {
      await publish(client, number, 'tele', tele(seq, world.clock.now()));
      world.clock.advance(5_000);
    }
    await minutes(15);
    const offline = () => world.findings.filter((one) => one.line.deviceId === device.id && one.active);
    expect(offline()).toEqual([]);
    // A restart knows it, and silence still counts.
    client.end(true);
    await world.restart();
    await minutes(44);
    expect(offline()).toEqual([]);
    await minutes(3);
    await eventually(async () => offline().length === 1);
    expect((await intervals()).interval_seconds).toBe(900);
  });

  it('is given time after a restart', async () => {
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

  it('is shown by a refused message too', async () => {
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
