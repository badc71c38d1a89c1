import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type pg from 'pg';
import { connectPool, type Db } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { hashSecret } from '#server/link/credentials.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import { type ServerProcess, startServer } from '#test/server-process.ts';
import { numberOf } from './link-load.ts';
import { postmasterOf } from './postmaster.ts';

export interface Product {
  url: string;
  port: number;
  databaseUrl: string;
  secret: string;
  server: ServerProcess;
  postmaster: number;
  stop(): Promise<void>;
}

/**
 * The whole product as one process, on a separate durable database; with `DEMO: '1'` it has the demo estate.
 */
export const startProduct = async (environment: Record<string, string> = {}): Promise<Product> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const server = await startServer({ DATABASE_URL: postgres.url, ...environment });
  const pool = connectPool(postgres.url, 1);
  const postmaster = await postmasterOf(pool);
  await pool.end();
  return {
    url: /ready after .*?(http:\S+)/.exec(server.said)?.[1] ?? '',
    port: Number(/MQTT to port (\d+)/.exec(server.said)?.[1]),
    databaseUrl: postgres.url,
    secret: 'a-secret-for-the-benchmark',
    server,
    postmaster,
    async stop() {
      await server.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** Adds this many devices with one switchable line each, in one project. */
export const furnishDevices = async (pool: pg.Pool, count: number, secret: string): Promise<void> => {
  await pool.query(
    `with place as (
       insert into projects (code, name, region_id, lat, lng, joined_at)
       select 'BENCH', 'Bench', id, 22.5, 113.9, now() from regions where level = 3 order by id limit 1 returning id
     ), made as (
       insert into devices (number, type, secret_hash, registered_at, bound_at, project_id)
       select number, 3, $2, now(), now(), place.id from unnest($1::text[]) as number, place returning id)
     insert into lines (device_id, n, rated_current, switchable, created_at)
     select id, n, 40, n > 0, now() from made, generate_series(0, 1) n`,
    [Array.from({ length: count }, (_, index) => numberOf(index)), hashSecret(secret)],
  );
  await pool.query('analyze');
};

export const makeAdmin = async (db: Db): Promise<number> => {
  const role = await db.selectFrom('roles').select('id').where('code', '=', 1).executeTakeFirstOrThrow();
  const user = await db
    .insertInto('users')
    .values({
      username: 'bench',
      password_hash: await hash('bench12345'),
      password_changed_at: new Date(),
      role_id: role.id,
      created_at: new Date(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return user.id;
};

/** Simulated switches of an office, one closed line each, for the rows of `furnishDevices`; not started yet. */
export const officeFleet = (
  { port, secret }: Pick<Product, 'port' | 'secret'>,
  count: number,
  teleSeconds: number,
): Fleet =>
  createFleet({
    brokerUrl: `mqtt://127.0.0.1:${port}`,
    seed: 1,
    devices: Array.from({ length: count }, (_, index) => ({
      number: numberOf(index),
      secret,
      type: 3 as const,
      lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office', position: 1 as const }],
      nominalVoltage: 220,
      projectKey: 'one',
      tele_s: teleSeconds,
    })),
  });
