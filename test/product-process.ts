import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import type { TestDatabase } from './database.ts';
import { startPatienceMs } from './patience.ts';
import type { Order, Reply } from './product.ts';
import { type StandIn, standIn } from './stand-in.ts';
import { eventually } from './wait.ts';

const modelName = 'product-test';

export interface CallAnswer {
  /** 0: no answer came (the server was killed, or the connection was cut). */
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the model reads answers freely
  data: any;
  code: number;
}

type DatabaseCrash = 'backend' | 'server';
const recoveryMs = 120_000;

/**
 * The product in a separate process, with a clock that the model advances and a database that survives kills.
 */
export interface Server {
  /** What the product's wall clock shows. */
  now(): number;
  /** True time: what a clock shows that nobody has set since `agree`. */
  time(): number;
  /** The true time when the product's clock showed this; the latest until now, if it showed it more than once. */
  timeOf(shown: number): number;
  /** From now on true time counts from what the product's clock shows. */
  agree(): void;
  db: Db;
  pool: pg.Pool;
  port(): number;
  url(): string;
  /** Number of starts: a device connection belongs to one of them. */
  starts(): number;
  /** How often the process ended without being killed; it is started again. */
  crashes(): number;
  /** Receives the webhooks of all histories. */
  hooks: StandIn;
  /** Advances the clock and waits until the product is idle. */
  advance(ms: number): Promise<void>;
  /** Sets the product's wall clock by so much; no time passes. */
  setClock(ms: number): Promise<void>;
  /** Opens a session of this age. */
  signIn(userId: number, agoMs?: number): Promise<string>;
  call(token: string, path: string, body?: unknown): Promise<CallAnswer>;
  /** Kills the process as a crash does, and starts it again. */
  kill(): Promise<void>;
  /** Ends some of the product's database connections. */
  cutDatabase(share: number): Promise<void>;
  /** Locks every table of lines and commands for some time, like a blocked database. */
  stopDatabase(ms: number): Promise<void>;
  /**
   * PostgreSQL itself crashes and recovers, with every connection: one of its processes is killed, or it is
   * shut down immediately and its starter, in this process, starts it again. Only for a PostgreSQL without
   * other users.
   */
  crashDatabase(how: DatabaseCrash): Promise<void>;
  stop(): Promise<void>;
}

export const startServer = async (
  database: Pick<TestDatabase, 'url' | 'appUrl'>,
  environment: Record<string, string> = {},
): Promise<Server> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-product-'));
  const own = new URL(database.url);
  own.searchParams.set('application_name', modelName);
  const pool = connectPool(own.href, 3);
  const db = connect(pool);
  let now = Date.now();
  /** By how much the wall clock was ahead of true time, from this true time on. */
  let offsets = [{ from: Number.NEGATIVE_INFINITY, ms: 0 }];
  const time = (): number => now - offsets.at(-1)!.ms;
  let serial = 0;
  let starts = 0;
  let crashes = 0;
  const hooks = await standIn();
  let child: ChildProcess;
  let url = '';
  let mqttPort = 0;
  let said = '';
  const waiting = new Map<number, (reply: { now: number } | null) => void>();

  const open = async (): Promise<void> => {
    const opened = fork(new URL('./product.ts', import.meta.url), {
      execArgv: [],
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        NODE_ENV: 'production',
        LOG_LEVEL: process.env['PRODUCT_LOG'] ?? 'silent',
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        DATABASE_APP_URL: database.appUrl,
        PORT: '0',
        MQTT_PORT: '0',
        CAPTCHA: 'off',
        ADMIN_PASSWORD: 'history12345',
        PRODUCT_NOW: String(now),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child = opened;
    starts += 1;
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-20_000);
      if (process.env['PRODUCT_LOG']) process.stderr.write(chunk);
    };
    opened.stdout?.on('data', hear);
    opened.stderr?.on('data', hear);
    opened.on('exit', () => {
      if (child !== opened) return;
      for (const resolve of waiting.values()) resolve(null);
      waiting.clear();
    });
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`the product did not start:\n${said}`)),
        startPatienceMs,
      );
      const done = (error?: Error) => {
        clearTimeout(late);
        if (error) reject(error);
        else resolve();
      };
      opened.on('message', (reply: Reply) => {
        if ('ready' in reply) {
          url = reply.url;
          mqttPort = reply.mqttPort;
          done();
        } else if ('failed' in reply) done(new Error(reply.failed));
        else {
          waiting.get(reply.id)?.(reply);
          waiting.delete(reply.id);
        }
      });
      opened.once('exit', (code, signal) =>
        done(new Error(`the product ended with ${code ?? signal}:\n${said}`)),
      );
    });
  };
  const order = (given: { advance: number } | { step: number }): Promise<{ now: number } | null> =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) {
        resolve(null);
        return;
      }
      serial += 1;
      waiting.set(serial, resolve);
      child.send({ id: serial, ...given } satisfies Order, (error) => {
        if (error) resolve(null);
      });
    });

  await open();
  const server: Server = {
    now: () => now,
    time,
    timeOf(shown) {
      const spans = offsets
        .map(({ from, ms }, index) => ({ at: shown - ms, from, end: offsets[index + 1]?.from ?? time() }))
        .toReversed();
      const shows = spans.find(({ at, from, end }) => at >= from && at <= end);
      if (shows) return shows.at;
      // The clock never showed it: it is still to come, or was skipped.
      const begun = spans.findIndex(({ at, from }) => at >= from);
      return begun === 0 ? spans[0]!.at : spans[begun]!.end;
    },
    agree() {
      offsets = [{ from: Number.NEGATIVE_INFINITY, ms: 0 }];
    },
    db,
    pool,
    port: () => mqttPort,
    url: () => url,
    starts: () => starts,
    crashes: () => crashes,
    hooks,
    async advance(ms) {
      now += ms;
      const reply = await order({ advance: ms });
      if (reply !== null) now = reply.now;
      else {
        crashes += 1;
        await open();
      }
    },
    async setClock(ms) {
      offsets.push({ from: time(), ms: offsets.at(-1)!.ms + ms });
      now += ms;
      if ((await order({ step: ms })) !== null) return;
      crashes += 1;
      await open();
    },
    async signIn(userId, agoMs = 0) {
      return (await openSession(db, userId, now - agoMs, { address: '127.0.0.1', agent: 'history' })).token;
    },
    async call(token, at, body = {}) {
      try {
        const answer = await fetch(`${url}${at}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        });
        const read = (await answer.json()) as { code: number; data: unknown };
        return { status: answer.status, code: read.code, data: read.data };
      } catch {
        return { status: 0, code: 0, data: null };
      }
    },
    async kill() {
      const ending = child;
      if (ending.exitCode === null && ending.signalCode === null) {
        const ended = once(ending, 'exit');
        ending.kill('SIGKILL');
        await ended;
      }
      await open();
    },
    async cutDatabase(share) {
      await pool.query(
        `select pg_terminate_backend(pid) from (
           select pid from pg_stat_activity
           where datname = current_database() and application_name <> $1 and backend_type = 'client backend'
         ) others where pid::bigint * 7919 % 100 < $2`,
        [modelName, share],
      );
    },
    async stopDatabase(ms) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        await client.query('lock table lines, line_latest, commands in access exclusive mode');
        await new Promise((resolve) => setTimeout(resolve, ms));
        await client.query('rollback');
      } catch {
        await client.query('rollback');
      } finally {
        client.release();
      }
    },
    async crashDatabase(how) {
      const { rows } = await pool.query<{ backend: number; server: number }>(
        `select (string_to_array(pg_read_file('postmaster.pid'), E'\\n'))[1]::int as server, (
           select min(pid) from pg_stat_activity
           where datname = current_database() and application_name <> $1 and backend_type = 'client backend'
         ) as backend`,
        [modelName],
      );
      const { backend, server: postmaster } = rows[0]!;
      const before = await startOf(pool);
      if (how === 'backend') process.kill(backend, 'SIGKILL');
      else process.kill(postmaster, 'SIGQUIT');
      const recovered = async () => ![null, before].includes(await startOf(pool).catch(() => null));
      await eventually(recovered, { withinMs: recoveryMs, said: () => 'recovery of PostgreSQL' });
    },
    async stop() {
      const ended = once(child, 'exit');
      child.send({ id: 0, stop: true } satisfies Order);
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(late);
      await db.destroy();
      await hooks.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return server;
};

/** Identifies the present run of PostgreSQL: after a crash its processes are new. */
const startOf = async (pool: pg.Pool): Promise<string> => {
  const { rows } = await pool.query<{ start: string }>(
    `select concat(pg_postmaster_start_time(), ' ', (select min(backend_start) from pg_stat_activity
       where backend_type in ('checkpointer', 'background writer'))) as start`,
  );
  return rows[0]!.start;
};
