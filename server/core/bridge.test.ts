import { once } from 'node:events';
import net from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeClock } from '#test/clock.ts';
import { eventually } from '#test/wait.ts';
import { createWorld, type World } from '#test/world.ts';
import { type Bridge, createBridge } from './bridge.ts';
import { type Bus, createBus, type Events, type StoredReading } from './bus.ts';
import { systemClock } from './clock.ts';

let world: World;
const nodes: { bus: Bus; bridge: Bridge; heard: { name: keyof Events; event: unknown }[] }[] = [];

beforeAll(async () => {
  world = await createWorld(() => {});
  for (let n = 0; n < 2; n += 1) {
    const bus = createBus(() => {});
    const bridge = createBridge({
      databaseUrl: world.databaseUrl,
      bus,
      clock: systemClock,
      log: pino({ level: 'silent' }),
    });
    const heard: (typeof nodes)[number]['heard'] = [];
    for (const name of ['session.ended', 'alarms.changed', 'readings.stored', 'device.config'] as const)
      bus.on(name, (event) => heard.push({ name, event }));
    await bridge.start();
    nodes.push({ bus, bridge, heard });
  }
});
afterAll(async () => {
  for (const { bridge } of nodes) await bridge.stop();
  await world.close();
});

const reading = (deviceId: number): StoredReading => ({
  lineId: deviceId * 10,
  deviceId,
  n: 1,
  at: 1,
  receivedAt: 2,
  boot: 1,
  seq: 1,
  position: 1,
  trip: 0,
  lock: 0,
  energy: 1,
  channels: Array(30).fill(230.5),
  latest: true,
});

it('reports missed events after its connection was cut', async () => {
  const missed = nodes.map(({ bus }) => {
    let times = 0;
    bus.on('events.missed', () => (times += 1));
    return () => times;
  });
  await world.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query = 'listen ampwatch'`,
  );
  await eventually(async () => missed.every((times) => times() === 1));
});

/** A way to PostgreSQL that can be closed: then each attempt to connect ends at once. */
const gateTo = async (databaseUrl: string) => {
  const url = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  const gate = { isOpen: true, attempts: 0, passed: 0 };
  const server = net.createServer((socket) => {
    gate.attempts += 1;
    socket.on('error', () => {});
    if (!gate.isOpen) return void socket.destroy();
    gate.passed += 1;
    const inner = net.connect(`${url.searchParams.get('host')}/.s.PGSQL.5432`);
    inner.on('error', () => {});
    for (const one of [socket, inner]) sockets.add(one);
    socket.pipe(inner).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const through = new URL(databaseUrl);
  through.searchParams.delete('host');
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as net.AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    gate,
    url: through.href,
    close() {
      gate.isOpen = false;
      cut();
    },
    end() {
      cut();
      server.close();
    },
  };
};

it('tries once a second to connect again, and has one connection afterwards', async () => {
  const { gate, url, close, end } = await gateTo(world.databaseUrl);
  const clock = fakeClock(Date.now());
  const bus = createBus(() => {});
  let missed = 0;
  bus.on('events.missed', () => (missed += 1));
  const bridge = createBridge({ databaseUrl: url, bus, clock, log: pino({ level: 'silent' }) });
  await bridge.start();
  close();
  const before = gate.attempts;
  let seconds = 0;
  const second = () => {
    clock.advance(1000);
    seconds += 1;
  };
  await eventually(async () => {
    second();
    return gate.attempts >= before + 4;
  });
  expect(gate.attempts - before).toBeLessThanOrEqual(seconds);
  gate.isOpen = true;
  await eventually(async () => {
    second();
    return missed > 0;
  });
  expect({ passed: gate.passed, missed }).toEqual({ passed: 2, missed: 1 });
  await bridge.stop();
  end();
});

it('carries an event to the other node once, and not back', async () => {
  const [one, two] = nodes;
  one!.bus.emit('session.ended', { userId: 7 });
  await eventually(async () => two!.heard.length > 0);
  expect(two!.heard).toEqual([{ name: 'session.ended', event: { userId: 7 } }]);
  expect(one!.heard).toHaveLength(1);
});

it('carries events that are too long for one notification, and survives ones that it cannot read', async () => {
  const [one, two] = nodes;
  await world.pool.query("select pg_notify('ampwatch', 'no letter')");
  const timers = Array.from({ length: 64 }, (_, n) => ({ n, name: '定时 ✂ \u{1f600}'.repeat(20) }));
  const config = { v: 1 as const, rev: 1, p: {}, timers };
  one!.bus.emit('device.config', { deviceId: 5, config: config as never });
  one!.bus.emit('session.ended', { userId: 8 });
  await eventually(async () => two!.heard.some(({ event }) => (event as { userId?: number }).userId === 8));
  expect(two!.heard.filter(({ name }) => name === 'device.config')).toEqual([
    { name: 'device.config', event: { deviceId: 5, config } },
  ]);
  expect(Buffer.byteLength(JSON.stringify(config))).toBeGreaterThan(16_000);
});

it('carries readings only of the devices that the other node asked for, however many', async () => {
  const [one, two] = nodes;
  one!.bus.emit('readings.stored', [reading(1)]);
  two!.bridge.want([1]);
  const count = () =>
    two!.heard
      .filter(({ name }) => name === 'readings.stored')
      .flatMap(({ event }) => event as StoredReading[]);
  await eventually(async () => {
    one!.bus.emit('readings.stored', [...Array.from({ length: 100 }, () => reading(1)), reading(2)]);
    return count().length >= 100;
  });
  expect(count().every(({ deviceId }) => deviceId === 1)).toBe(true);
});
