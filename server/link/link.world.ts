import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import type pg from 'pg';
import pino from 'pino';
import { topicOf, type UpTopic } from '#contract/telemetry.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { makeAhead } from '#database/partitions.ts';
import { type Bus, createBus, type Events } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { GroupFinding, Judge } from '#server/core/group.ts';
import { type FakeClock, fakeClock } from '#test/clock.ts';
import { freshDatabase } from '#test/database.ts';
import { makeDevice } from '#test/factories.ts';
import { type Link, type LinkConfig, startLink } from './link.ts';

/** Judges nothing, and records the findings that it gets. */
export const noJudge = (findings: GroupFinding[] = []): Judge => ({
  inTurn: (work) => work(),
  judge: (_readings, _events, found) => ({
    empty: true,
    write: async () => {},
    tripped: () => [],
    settle: () => {
      findings.push(...found);
      return [];
    },
    undo: () => {},
  }),
});

/** The dependencies of a link under test. */
export const linkOn = (
  pool: pg.Pool,
  bus: Bus,
  clock: Clock,
  judge: Judge,
  config: Partial<LinkConfig> = {},
) =>
  startLink({
    pool,
    bus,
    clock,
    judge,
    log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
    config: { mqttHost: '127.0.0.1', mqttPort: 0, ...config },
  });

export interface LinkWorld {
  pool: pg.Pool;
  db: Db;
  bus: Bus;
  clock: FakeClock;
  link: Link;
  findings: GroupFinding[];
  /** Stops the link, and starts it again after so much time. */
  restart(afterMs?: number): Promise<void>;
  device(who: { number: string; secret: string }, options?: IClientOptions): Promise<MqttClient>;
  /** The next event with the name about the device: events of others may still arrive. */
  hears<Name extends keyof Events>(name: Name, deviceId: number): Promise<Events[Name]>;
  close(): Promise<void>;
}

/** A separate database, a clock that the test advances, and the link with its embedded broker. */
export const linkWorld = async (): Promise<LinkWorld> => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 6);
  // The link's connections; the test itself reads as the owner.
  const appPool = connectPool(database.appUrl, 6);
  const clock = fakeClock();
  const bus = createBus((error) => {
    throw error;
  });
  await makeAhead(pool, clock.now());
  const findings: GroupFinding[] = [];
  const clients: MqttClient[] = [];
  const judge = noJudge(findings);
  const world: LinkWorld = {
    pool,
    db: connect(pool),
    bus,
    clock,
    findings,
    link: await linkOn(appPool, bus, clock, judge),
    async restart(afterMs = 0) {
      await world.link.stop();
      clock.advance(afterMs);
      world.link = await linkOn(appPool, bus, clock, judge);
    },
    async device({ number, secret }, options = {}) {
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${world.link.port}`, {
        clientId: number,
        username: number,
        password: secret,
        reconnectPeriod: 0,
        ...options,
      });
      clients.push(client);
      return client;
    },
    hears(name, deviceId) {
      const { promise, resolve } = Promise.withResolvers<Events[typeof name]>();
      const leave = bus.on(name, (event) => {
        const about: readonly object[] = Array.isArray(event) ? event : [event];
        if (!about.some((each) => 'deviceId' in each && each.deviceId === deviceId)) return;
        leave();
        resolve(event);
      });
      return promise;
    },
    async close() {
      for (const client of clients) client.end(true);
      await world.link.stop();
      await appPool.end();
      await pool.end();
      await database.drop();
    },
  };
  return world;
};

export const tele = (seq: number, t: number, more: object = {}) => ({
  v: 1,
  boot: 1,
  seq,
  t,
  ln: [{ n: 1, sw: 1, U: { a: 230 }, I: { a: 5 }, IL: 3, E: 10 + seq }],
  ...more,
});

export const publish = (
  client: MqttClient,
  number: string,
  topic: UpTopic,
  message: unknown,
  retain = false,
) =>
  client.publishAsync(
    topicOf(number, topic),
    typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
    { qos: 1, retain },
  );

/** A connected device, and the rows that the link stored for it. */
export const linkProbe = (world: () => LinkWorld) => ({
  async connected(given: Parameters<typeof makeDevice>[1] = {}) {
    const device = await makeDevice(world().db, given);
    const client = await world().device(device);
    return { device, client, number: device.number, line: device.lines[0]!.id };
  },
  async readingsOf(lineId: number) {
    const { rows } = await world().pool.query('select * from readings where line_id = $1 order by at, seq', [
      lineId,
    ]);
    return rows;
  },
  async latestOf(lineId: number) {
    return (await world().pool.query('select * from line_latest where line_id = $1', [lineId])).rows[0];
  },
  async stateOf(deviceId: number) {
    return (await world().pool.query('select * from device_state where device_id = $1', [deviceId])).rows[0];
  },
});
