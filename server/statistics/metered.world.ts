import mqtt from 'mqtt';
import { topicOf } from '#contract/telemetry.ts';
import type { Clock } from '#server/core/clock.ts';
import { linkOn, noJudge } from '#server/link/link.world.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { bindAll } from '#test/all-features.ts';
import { makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

interface Meter {
  number: string;
  secret: string;
}
/** What a device measures from one instant to another, with a reading at both. */
interface Measured {
  from: string;
  to: string;
  /** Minutes between two readings. */
  every?: number;
  watts: number;
  /** Register at `from`, kWh. Without it the device has no register. */
  kWh?: number;
  /** The device reports no power. */
  noPower?: boolean;
  /** The last reading is a live one. */
  live?: boolean;
}

export interface SentReading {
  at: number;
  watts?: number;
  kWh?: number;
  live?: boolean;
}

/** All calls of the product, the device link, and rollups; the test sets the clock, and nothing waits for it. */
export interface MeteredWorld extends World {
  admin(): Promise<Client>;
  /** Sends readings of a device in order, as after an interruption. Returns its register at the end. */
  measure(meter: Meter, measured: Measured): Promise<number>;
  /** Sends readings in the given order; the clock must have reached the newest. */
  send(meter: Meter, readings: readonly SentReading[]): Promise<void>;
  /** Rolls up everything that was sent until this time. */
  rollUp(until: string): Promise<void>;
}

const minuteMs = 60_000;

export const meteredWorld = async (): Promise<MeteredWorld> => {
  const world = await createWorld((serve, parts) => bindAll(serve, parts));
  await world.pool.query('create table readings_all partition of readings default');
  world.clock.set(Date.parse('2026-09-01T00:00:00Z'));
  const clock: Clock = {
    now: () => world.clock.now(),
    steady: () => world.clock.now(),
    after: () => () => {},
  };
  const link = await linkOn(world.pool, world.bus, clock, noJudge());
  const rollups = createRollups({ ...world, clock });
  let seq = 0;
  const send = async ({ number, secret }: Meter, readings: readonly SentReading[]): Promise<void> => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${link.port}`, {
      clientId: number,
      username: number,
      password: secret,
      reconnectPeriod: 0,
      keepalive: 0,
    });
    await Promise.all(
      readings.map(({ at, watts, kWh, live = false }) => {
        seq += 1;
        const ln = {
          ...{ n: 1, sw: 1, U: { a: 230 } },
          ...(watts === undefined ? {} : { P: { t: watts } }),
          ...(kWh === undefined ? {} : { E: kWh }),
        };
        const message = JSON.stringify({ v: 1, boot: 1, seq, t: at, ...(live ? {} : { bf: 1 }), ln: [ln] });
        return client.publishAsync(topicOf(number, 'tele'), message, { qos: 1 });
      }),
    );
    client.end(true);
  };
  return {
    ...world,
    send,
    async admin() {
      return world.as((await makeUser(world.db, { role: 1 })).id);
    },
    async measure(meter, { from, to, every = 15, watts, kWh, noPower = false, live = false }) {
      world.clock.set(Math.max(world.clock.now(), Date.parse(to)));
      const registerAt = (at: number) => (kWh ?? 0) + (watts * (at - Date.parse(from))) / 3.6e9;
      const readings: SentReading[] = [];
      for (let at = Date.parse(from); at <= Date.parse(to); at += every * minuteMs)
        readings.push({
          at,
          ...(noPower ? {} : { watts }),
          ...(kWh === undefined ? {} : { kWh: registerAt(at) }),
          live: live && at === Date.parse(to),
        });
      await send(meter, readings);
      return registerAt(Date.parse(to));
    },
    async rollUp(until) {
      world.clock.set(Math.max(world.clock.now(), Date.parse(until)));
      await rollups.round();
    },
    async close() {
      await rollups.stop();
      await link.stop();
      await world.close();
    },
  };
};
