import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type pg from 'pg';
import { connectPool, type Db } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { hashSecret } from '#server/link/credentials.ts';
import { type ServerProcess, startServer } from '#test/server-process.ts';
import { numberOf } from './link-load.ts';

export interface Product {
  url: string;
  port: number;
  databaseUrl: string;
  secret: string;
  server: ServerProcess;
  postmaster: number;
  stop(): Promise<void>;
}

/** The whole product as one process, on a separate durable database; with `DEMO: '1'` furnished. */
export const startProduct = async (environment: Record<string, string> = {}): Promise<Product> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const server = await startServer({ DATABASE_URL: postgres.url, ...environment });
  const pool = connectPool(postgres.url, 1);
  const { rows } = await pool.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
  await pool.end();
  const pid = await readFile(join(rows[0]!.folder, 'postmaster.pid'), 'utf8');
  return {
    url: /ready after .*?(http:\S+)/.exec(server.said)?.[1] ?? '',
    port: Number(/MQTT to port (\d+)/.exec(server.said)?.[1]),
    databaseUrl: postgres.url,
    secret: 'a-secret-for-the-benchmark',
    server,
    postmaster: Number(pid.split('\n')[0]),
    async stop() {
      await server.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** So many devices of one switchable line each, in one project. */
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
