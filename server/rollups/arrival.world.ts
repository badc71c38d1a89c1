import mqtt, { type MqttClient } from 'mqtt';
import type pg from 'pg';
import { topicOf } from '#contract/telemetry.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { createBus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Link } from '#server/link/link.ts';
import { linkOn, noJudge } from '#server/link/link.world.ts';
import { freshDatabase } from '#test/database.ts';
import { makeDevice, makeProject } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { createRollups, type Rollups } from './worker.ts';

const second = 1000;
const linkName = 'arrival-link';
const roundsName = 'arrival-rounds';

/** A device whose messages the test sends, and a link and two nodes with rollups that the test can halt and kill. */
export interface ArrivalWorld {
  pool: pg.Pool;
  now(): number;
  advance(seconds: number): void;
  /** A new device with one line; the first reading of the line is stored. */
  begin(given: { uploadSeconds: number; hasRegister: boolean }): Promise<Sender>;
  /** A round of one of two nodes; returns early if it needs a row that a held transaction has. */
  round(node: 0 | 1): Promise<void>;
  /** All rounds that were begun have ended. */
  roundsEnded(): Promise<void>;
  /** A round that loses its connection after it wrote minutes, before it commits. */
  crashRound(): Promise<void>;
  close(): Promise<void>;
}
export interface Sender {
  lineId: number;
  /** Resolves when the link has the message, and its storage if nothing holds it up. */
  send(message: { seq: number; t: number; bf?: 1; watts: number; kWh: number }): Promise<void>;
  /** From now on the link's transactions wait after they wrote their readings, before they commit. */
  hold(): Promise<void>;
  /** Ends the connection of the transaction that waits; the link writes its messages again. */
  killHeld(): Promise<void>;
  release(): Promise<void>;
  /** All messages are stored. */
  settled(): Promise<void>;
}

interface Parts {
  pool: pg.Pool;
  db: Db;
  link: Link;
  clock: Clock;
}

const waitingOf = async (pool: pg.Pool, name: string): Promise<number[]> => {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`,
    [name],
  );
  return rows.map(({ pid }) => pid);
};

const senderOf = (
  { pool, link }: Parts,
  client: MqttClient,
  { number, lineId, hasRegister }: { number: string; lineId: number; hasRegister: boolean },
): Sender => {
  let blocker: pg.PoolClient | null = null;
  let halted = false;
  const acknowledged: Promise<unknown>[] = [];
  let received = link.stats().messages;
  const release = async () => {
    await blocker?.query('rollback');
    blocker?.release();
    blocker = null;
    halted = false;
  };
  const settled = async () => {
    await Promise.all(acknowledged.splice(0));
  };
  return {
    lineId,
    async send({ seq, t, bf, watts, kWh }) {
      const ln = [
        {
          n: 1,
          sw: 1,
          U: { a: 230 },
          I: { a: watts / 230 },
          P: { t: watts },
          ...(hasRegister && { E: kWh }),
        },
      ];
      const message = JSON.stringify({ v: 1, boot: 1, seq, t, ...(bf && { bf }), ln });
      received += 1;
      let isStored = false;
      const stored = client.publishAsync(topicOf(number, 'tele'), message, { qos: 1 }).then(() => {
        isStored = true;
      });
      acknowledged.push(stored);
      if (!blocker) return settled();
      await eventually(async () => link.stats().messages >= received);
      // A late reading alone touches no row that the blocker holds.
      if (!halted) await eventually(async () => isStored || (await waitingOf(pool, linkName)).length > 0);
      halted ||= !isStored;
    },
    async hold() {
      if (blocker) return;
      blocker = await pool.connect();
      await blocker.query('begin');
      await blocker.query('select from line_latest where line_id = $1 for update', [lineId]);
    },
    async killHeld() {
      for (const pid of await waitingOf(pool, linkName))
        await pool.query('select pg_terminate_backend($1)', [pid]);
    },
    release,
    async settled() {
      await release();
      await settled();
    },
  };
};

const crash = async (pool: pg.Pool, rollups: Rollups): Promise<void> => {
  const blocker = await pool.connect();
  await blocker.query('begin; lock table rollup_day in share row exclusive mode');
  let ended = false;
  const round = rollups.round().then(
    () => {},
    () => {},
  );
  void round.then(() => {
    ended = true;
  });
  const pids = await eventually(async () => {
    const waiting = await waitingOf(pool, roundsName);
    return (waiting.length > 0 || ended) && waiting;
  });
  for (const pid of pids) await pool.query('select pg_terminate_backend($1)', [pid]);
  await round;
  await blocker.query('rollback');
  blocker.release();
};

export const arrivalWorld = async (): Promise<ArrivalWorld> => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 6);
  const named = (name: string) =>
    connectPool(`${database.appUrl}${database.appUrl.includes('?') ? '&' : '?'}application_name=${name}`, 4);
  const linkPool = named(linkName);
  const roundPool = named(roundsName);
  await pool.query('create table readings_all partition of readings default');
  let now = Date.parse('2026-11-20T02:00:00Z');
  const clock: Clock = { now: () => now, after: () => () => {} };
  const link = await linkOn(
    linkPool,
    createBus(() => {}),
    clock,
    noJudge(),
  );
  const db = connect(pool);
  const parts = { pool, db, link, clock };
  const nodes = [0, 1].map(() => createRollups({ pool: roundPool, clock, patienceMs: 20 }));
  const clients: MqttClient[] = [];
  const rounds: Promise<unknown>[] = [];
  return {
    pool,
    now: () => now,
    advance(seconds) {
      now += seconds * second;
    },
    async begin({ uploadSeconds, hasRegister }) {
      const project = await makeProject(db, { time_zone: 'Asia/Kolkata' });
      const device = await makeDevice(db, { project_id: project.id, rated_current: 63 });
      await pool.query('update devices set upload_seconds = $2 where id = $1', [device.id, uploadSeconds]);
      const { number, secret } = device;
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${link.port}`, {
        clientId: number,
        username: number,
        password: secret,
        reconnectPeriod: 0,
        keepalive: 0,
      });
      clients.push(client);
      const sender = senderOf(parts, client, { number, lineId: device.lines[0]!.id, hasRegister });
      await sender.send({ seq: 1, t: now, watts: 1000, kWh: 100 });
      return sender;
    },
    async round(node) {
      const round = nodes[node]!.round();
      let ended = false;
      const end = round.finally(() => {
        ended = true;
      });
      rounds.push(end);
      await eventually(async () => ended || (await waitingOf(pool, roundsName)).length > 0);
    },
    async roundsEnded() {
      await Promise.all(rounds.splice(0));
    },
    crashRound: () => crash(pool, nodes[0]!),
    async close() {
      for (const client of clients) client.end(true);
      for (const node of nodes) await node.stop();
      await link.stop();
      for (const one of [linkPool, roundPool, pool]) await one.end();
      await database.drop();
    },
  };
};
