import { hash } from '@node-rs/argon2';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type pg from 'pg';
import pino from 'pino';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { buildApp } from '#server/app.ts';
import { crossing } from '#server/core/bridge.ts';
import { type Bus, createBus, type Events } from '#server/core/bus.ts';
import type { Config } from '#server/core/config.ts';
import { createLive, type Live } from '#server/core/live.ts';
import type { Serve } from '#server/core/serve.ts';
import { openSession } from '#server/core/session.ts';
import { createStrangers } from '#server/core/strangers.ts';
import { type FakeClock, fakeClock } from './clock.ts';
import { freshDatabase } from './database.ts';
import { patienceMs } from './patience.ts';

export interface Answer {
  status: number;
  code: number;
  msg: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; the contract's schemas check them on the way out
  data: any;
  response: LightMyRequestResponse;
}
export interface Client {
  token: string;
  userId: number;
  /** Calls an endpoint with the session's token; `headers` may add a language or a serial. */
  call(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}
export interface World {
  db: Db;
  pool: pg.Pool;
  databaseUrl: string;
  app: FastifyInstance;
  bus: Bus;
  clock: FakeClock;
  live: Live;
  /** Events of one kind since the start of the world. */
  heard<Name extends keyof Events>(name: Name): Events[Name][];
  /** Resolves with the first matching event, from the past or within `patienceMs`. */
  hears<Name extends keyof Events>(
    name: Name,
    fits?: (event: Events[Name]) => boolean,
  ): Promise<Events[Name]>;
  call(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Signs in an existing user. */
  as(userId: number): Promise<Client>;
  close(): Promise<void>;
}
export interface WorldParts {
  db: Db;
  pool: pg.Pool;
  databaseUrl: string;
  bus: Bus;
  clock: FakeClock;
  live: Live;
  app: FastifyInstance;
}

/** A separate database, the app with the features that `bind` adds, and a clock that the test advances. */
export const createWorld = async (
  bind: (serve: Serve, parts: WorldParts) => void,
  { trustProxy = false }: Partial<Pick<Config, 'trustProxy'>> = {},
): Promise<World> => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 6);
  const db = connect(pool);
  // The test reads and prepares as the owner; the product works with a role that owns nothing.
  const appPool = connectPool(database.appUrl, 6);
  const appDb = connect(appPool);
  const clock = fakeClock();
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const bus = createBus((error) => log.error(error));
  const live = createLive();
  const heard: { name: string; event: unknown }[] = [];
  const waiting = new Set<() => void>();
  const record = (name: keyof Events) =>
    bus.on(name, (event) => {
      heard.push({ name, event });
      for (const look of waiting) look();
    });
  for (const name of ['readings.stored', ...crossing] as const) record(name);
  const strangers = createStrangers(log);
  let sessions = 0;
  const app = await buildApp(
    { db: appDb, pool: appPool, bus, clock, live, log, strangers, trustProxy, version: 'test' },
    (serve, instance) =>
      bind(serve, {
        db: appDb,
        pool: appPool,
        databaseUrl: database.url,
        bus,
        clock,
        live,
        app: instance,
      }),
  );
  await app.ready();

  const call = async (
    path: string,
    body: unknown = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = response.headers['content-type']?.toString().startsWith('application/json')
      ? response.json()
      : {};
    return { status: response.statusCode, code: answer.code, msg: answer.msg, data: answer.data, response };
  };
  const of = <Name extends keyof Events>(name: Name) =>
    heard.filter((entry) => entry.name === name).map((entry) => entry.event as Events[Name]);

  return {
    db,
    pool,
    databaseUrl: database.url,
    app,
    bus,
    clock,
    live,
    call,
    heard: of,
    hears(name, fits = () => true) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`no event ${name} within ${patienceMs} ms`));
        }, patienceMs);
        const look = () => {
          const found = of(name).find(fits);
          if (found === undefined) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
    async as(userId) {
      const { token } = await openSession(db, userId, clock.now(), { address: '127.0.0.1', agent: 'test' });
      // Each session has its own address: the clock stands still, so the limit of unknown tokens per address
      // would never refill.
      sessions += 1;
      const address = `10.${(sessions >> 16) & 255}.${(sessions >> 8) & 255}.${sessions & 255}`;
      await strangers.callerOf(db, token, address, clock.now());
      return {
        token,
        userId,
        call: (path, body, headers) => call(path, body, { authorization: `Bearer ${token}`, ...headers }),
      };
    },
    async close() {
      live.stop();
      await app.close();
      await appDb.destroy();
      await db.destroy();
      await database.drop();
    },
  };
};

/** A cheap hash for test users; the product's own cost is tested separately. */
export const testPassword = 'abc12345';
export const testPasswordHash = hash(testPassword, { memoryCost: 8, timeCost: 1, parallelism: 1 });
