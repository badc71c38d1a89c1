import mqtt, { type MqttClient } from 'mqtt';
import type pg from 'pg';
import { topicOf } from '#contract/telemetry.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { type Bus, createBus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Link } from '#server/link/link.ts';
import { linkOn, noJudge } from '#server/link/link.world.ts';
import { freshDatabase } from '#test/database.ts';
import { makeDevice, makeProject } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { correctQuarters } from './correct.ts';
import { quarterMs } from './energy.ts';
import { rebuildDays } from './rebuild.ts';
import { createRollups, type Rollups } from './worker.ts';

const second = 1000;
const linkName = 'arrival-link';
const roundsName = 'arrival-rounds';

/** A device whose messages the test sends, with a device link and two rollup nodes that the test can stop and kill. */
export interface ArrivalWorld {
  pool: pg.Pool;
  now(): number;
  advance(seconds: number): void;
  /** A new device with two lines that measure the same; their first readings are stored. */
  begin(given: { uploadSeconds: number; hasRegister: boolean; kWh: number }): Promise<Sender>;
  /** Chooses whether another node stores the readings from now on. Node 0 is not notified of those. */
  storeElsewhere(isElsewhere: boolean): void;
  /** Restarts node 0. */
  restart(): Promise<void>;
  /** How many times node 0 added up minutes of a line while its readings came in. */
  added(): number;
  /** A round of one of two nodes; returns early if it needs a row that a held transaction has. */
  round(node: 0 | 1): Promise<void>;
  /** All rounds that were begun have ended. */
  roundsEnded(): Promise<void>;
  /** A round that loses its connection after it wrote minutes, before it commits. */
  crashRound(): Promise<void>;
  moveTo(sender: Sender, zone: string): Promise<void>;
  rate(sender: Sender, amperes: number): Promise<void>;
  /** Adds energy to the newest completed quarter of an hour of both lines. */
  correct(sender: Sender, kWh: number): Promise<void>;
  close(): Promise<void>;
}
export interface Sender {
  projectId: number;
  lineId: number;
  /** The readings of this line are not reported to the rounds, which must read them from the table. */
  readLineId: number;
  /** Resolves when the link has received the message and, unless its transactions are held, stored it. */
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
  {
    number,
    hasRegister,
    ...ids
  }: Pick<Sender, 'projectId' | 'lineId' | 'readLineId'> & {
    number: string;
    hasRegister: boolean;
  },
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
    ...ids,
    async send({ seq, t, bf, watts, kWh }) {
      const ln = [1, 2].map((n) => ({
        n,
        sw: 1,
        U: { a: 230 },
        I: { a: watts / 230 },
        P: { t: watts },
        ...(hasRegister && { E: kWh }),
      }));
      const message = JSON.stringify({ v: 1, boot: 1, seq, t, ...(bf && { bf }), ln });
      received += 1;
      let isStored = false;
      const stored = client.publishAsync(topicOf(number, 'tele'), message, { qos: 1 }).then(() => {
        isStored = true;
      });
      acknowledged.push(stored);
      if (!blocker) return settled();
      await eventually(async () => link.stats().messages >= received);
      // If the group contains only late readings, it needs no row that the blocker has locked.
      if (!halted) await eventually(async () => isStored || (await waitingOf(pool, linkName)).length > 0);
      halted ||= !isStored;
    },
    async hold() {
      if (blocker) return;
      blocker = await pool.connect();
      await blocker.query('begin');
      await blocker.query('select from line_latest where line_id = $1 for update', [ids.lineId]);
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

/** `crash` kills the round that it starts, and any round that waits for a held transaction. */
const onlyKilled = (error: { code?: string }) => {
  if (error.code !== '57P01') throw error;
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
  const clock: Clock = { now: () => now, steady: () => now, after: () => () => {} };
  const stored = createBus((error) => {
    throw error;
  });
  const link = await linkOn(linkPool, stored, clock, noJudge());
  const db = connect(pool);
  const parts = { pool, db, link, clock };
  const reported = [0, 1].map(() => createBus(() => {}));
  const nodeOn = (bus: Bus) => createRollups({ pool: roundPool, clock, bus, patienceMs: 20, manyLines: 1 });
  const nodes = reported.map(nodeOn);
  const onlyRead = new Set<number>();
  let isElsewhere = false;
  let added = 0;
  stored.on('readings.stored', (readings) => {
    const heard = readings.filter(({ lineId }) => !onlyRead.has(lineId));
    reported[isElsewhere ? 1 : 0]!.emit('readings.stored', heard);
  });
  const clients: MqttClient[] = [];
  const rounds: Promise<unknown>[] = [];
  return {
    pool,
    now: () => now,
    advance(seconds) {
      now += seconds * second;
    },
    storeElsewhere(given) {
      isElsewhere = given;
    },
    async restart() {
      added += nodes[0]!.counts.added;
      await nodes[0]!.stop();
      nodes[0] = nodeOn(reported[0]!);
    },
    added: () => added + nodes[0]!.counts.added,
    async begin({ uploadSeconds, hasRegister, kWh }) {
      const project = await makeProject(db, { time_zone: 'Asia/Kolkata' });
      const device = await makeDevice(db, { project_id: project.id, rated_current: 63, lines: 2 });
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
      const [lineId, readLineId] = device.lines.map(({ id }) => id) as [number, number];
      onlyRead.add(readLineId);
      const ids = { projectId: project.id, lineId, readLineId };
      const sender = senderOf(parts, client, { ...ids, number, hasRegister });
      await sender.send({ seq: 1, t: now, watts: 1000, kWh });
      return sender;
    },
    async round(node) {
      const round = nodes[node]!.round();
      let ended = false;
      const end = round.catch(onlyKilled).finally(() => {
        ended = true;
      });
      rounds.push(end);
      await eventually(async () => ended || (await waitingOf(pool, roundsName)).length > 0);
    },
    async roundsEnded() {
      await Promise.all(rounds.splice(0));
    },
    crashRound: () => crash(pool, nodes[0]!),
    async moveTo({ projectId }, zone) {
      await db.transaction().execute(async (trx) => {
        await trx.updateTable('projects').set({ time_zone: zone }).where('id', '=', projectId).execute();
        await rebuildDays(trx, projectId);
      });
    },
    async rate({ lineId, readLineId }, amperes) {
      await pool.query('update lines set rated_current = $2 where id = any($1)', [
        [lineId, readLineId],
        amperes,
      ]);
    },
    async correct({ projectId, lineId, readLineId }, kWh) {
      const bucket = Math.floor(now / quarterMs) * quarterMs - quarterMs;
      const { time_zone: zone } = await db
        .selectFrom('projects')
        .select('time_zone')
        .where('id', '=', projectId)
        .executeTakeFirstOrThrow();
      for (const line of [lineId, readLineId])
        await db.transaction().execute(async (trx) => {
          const { id: correctionId } = await trx
            .insertInto('energy_corrections')
            .values({
              ...{ line_id: line, project_id: projectId, before_kwh: 0, after_kwh: kWh, reason: 'a test' },
              ...{ from_at: new Date(bucket), to_at: new Date(bucket + quarterMs), undoes: null },
              ...{ user_id: 1, operator: 'a test', created_at: new Date(now) },
            })
            .returning('id')
            .executeTakeFirstOrThrow();
          await correctQuarters(trx, { lineId: line, correctionId, zone, parts: [{ bucket, kwh: kWh }] });
        });
    },
    async close() {
      for (const client of clients) client.end(true);
      for (const node of nodes) await node.stop();
      await link.stop();
      for (const one of [linkPool, roundPool, pool]) await one.end();
      await database.drop();
    },
  };
};
