import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { hashSecret } from '#server/link/credentials.ts';
import type { LinkStats } from '#server/link/link.ts';
import { type LoadOrder, numberOf } from './link-load.ts';
import { processorTime } from './processor-time.ts';

export const benchSecret = 'a-secret-for-the-benchmark';

interface BenchWorld {
  databaseUrl: string;
  server: ChildProcess;
  port: number;
  postmaster: number;
  stats(): Promise<LinkStats & { memory: NodeJS.MemoryUsage }>;
  close(): Promise<void>;
}

const ask = async <Answer>(child: ChildProcess, message: object | string): Promise<Answer> => {
  const answer = once(child, 'message');
  child.send(message);
  return (await answer)[0] as Answer;
};

/** A durable PostgreSQL with `devices` devices of one line each, and a server that uses it. */
export const benchWorld = async (devices: number, type = 3): Promise<BenchWorld> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  await migrate(postgres.url);
  const pool = connectPool(postgres.url, 2);
  await pool.query(
    `with made as (
       insert into devices (number, type, secret_hash, registered_at)
       select number, $3, $2, now() from unnest($1::text[]) as number returning id)
     insert into lines (device_id, n, created_at) select id, n, now() from made, generate_series(0, 1) n`,
    [Array.from({ length: devices }, (_, index) => numberOf(index)), hashSecret(benchSecret), type],
  );
  const { rows } = await pool.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
  await pool.query('analyze');
  await pool.end();
  const postmaster = Number((await readFile(join(rows[0]!.folder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const server = fork(new URL('./link-server.ts', import.meta.url), [postgres.url], {
    execArgv: ['--expose-gc'],
  });
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  return {
    databaseUrl: postgres.url,
    server,
    port,
    postmaster,
    stats: () => ask(server, 'stats'),
    async close() {
      const ended = once(server, 'exit');
      server.send('stop');
      await ended;
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

interface Measured {
  messagesPerSecond: number;
  microseconds: number;
}

let boot = 0;

/**
 * Runs one load for a while and reports rate and CPU time per message, over the server and every PostgreSQL
 * process.
 */
export const measure = async (
  world: BenchWorld,
  order: Omit<LoadOrder, 'port' | 'secret' | 'first' | 'boot'>,
  seconds: number,
): Promise<Measured> => {
  const load = fork(new URL('./link-load.ts', import.meta.url));
  boot += 1;
  await ask(load, { load: { ...order, first: 0, port: world.port, secret: benchSecret, boot } });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const roots = [world.server.pid ?? 0, world.postmaster];
  const before = await ask<{ acknowledged: number }>(load, { ask: true });
  const beforeAt = performance.now();
  const beforeCpu = processorTime(roots);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const after = await ask<{ acknowledged: number }>(load, { ask: true });
  const cpu = processorTime(roots) - beforeCpu;
  const elapsed = (performance.now() - beforeAt) / 1000;
  const ended = once(load, 'exit');
  load.send({ end: true });
  await ended;
  const messages = after.acknowledged - before.acknowledged;
  return { messagesPerSecond: messages / elapsed, microseconds: cpu / messages };
};
