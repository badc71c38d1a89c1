import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { isBackedUp, quoted, readTables } from '#database/backup/catalogue.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, testPassword, type World } from '#test/world.ts';
import { backupRoutes } from './backups.routes.ts';
import { finishRestore } from './finish.ts';
import { shelfOf } from './place.ts';
import { openVault } from './vault.ts';
import { createMaintenance } from './worker.ts';

export interface BackupWorld extends World {
  admin: Client;
  dataDir: string;
  shelf: string;
  /** A call with the caller's password. */
  act(path: string, body?: object, client?: Client): ReturnType<Client['call']>;
  /** Resolves with the job when it has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  ended(jobId: string): Promise<any>;
  /** Begins a job and waits for its end. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  run(path: string, body?: object): Promise<any>;
  /** Every row of every table that backups hold, by table. */
  rows(): Promise<Record<string, string[]>>;
  startWorker(options?: { reserveBytes?: number }): void;
  stopWorker(): Promise<void>;
}

/**
 * The endpoints and the worker on a database with rows in most tables; the swap is done as a restarted server
 * does it.
 */
export const createBackupWorld = async (): Promise<BackupWorld> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-backups-'));
  const vault = openVault(dataDir);
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const world = await createWorld((serve, { databaseUrl }) =>
    backupRoutes(serve, { provePassword, vault, dataDir, databaseUrl }),
  );
  const { db, bus, clock, databaseUrl } = world;
  await furnish(world);
  const user = await makeUser(db, { role: 1 });
  let admin = await world.as(user.id);
  let worker: ReturnType<typeof createMaintenance> | null = null;
  let swapping: Promise<unknown> = Promise.resolve();
  bus.on('maintenance.swapping', () => {
    swapping = finishRestore({
      db,
      databaseUrl,
      dataDir,
      vault,
      version: 'test',
      now: clock.now,
      log,
    });
  });
  const self: BackupWorld = {
    ...world,
    get admin() {
      return admin;
    },
    dataDir,
    shelf: shelfOf(dataDir),
    act: (callPath, body = {}, client = admin) =>
      client.call(callPath, { password: testPassword, ...body }, { 'accept-language': 'en' }),
    async ended(jobId) {
      const endOf = async () => {
        await swapping;
        const job = await db
          .selectFrom('maintenance_jobs')
          .select('ended_at')
          .where('id', '=', jobId)
          .executeTakeFirst();
        return job?.ended_at;
      };
      await eventually(endOf, { said: () => `the end of job ${jobId}` });
      // A restore of everything ends every session.
      admin = await world.as(user.id);
      return (await admin.call('/database/get_job', { job_id: jobId }, { 'accept-language': 'en' })).data;
    },
    async run(callPath, body) {
      const begun = await self.act(callPath, body);
      if (begun.status !== 200) throw new Error(`${callPath}: ${begun.msg} ${JSON.stringify(begun.data)}`);
      return self.ended(begun.data.job_id);
    },
    async rows() {
      const client = await world.pool.connect();
      try {
        const found: Record<string, string[]> = {};
        for (const { name } of await readTables(client)) {
          if (!isBackedUp(name)) continue;
          const { rows } = await client.query<{ row: string }>(
            `select to_jsonb(t)::text as row from ${quoted(name)} t order by 1`,
          );
          found[name] = rows.map(({ row }) => row);
        }
        return found;
      } finally {
        client.release();
      }
    },
    startWorker(options = {}) {
      worker = createMaintenance({
        ...options,
        db,
        bus,
        clock,
        log,
        databaseUrl,
        dataDir,
        vault,
        version: 'test',
      });
      worker.start();
    },
    async stopWorker() {
      await worker?.stop();
      worker = null;
    },
    async close() {
      await worker?.stop();
      await swapping;
      await world.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  self.startWorker();
  return self;
};

/** Two projects with devices, alarms and readings in two partitions, with values that break naive formats. */
const furnish = async ({ db, pool, clock }: World): Promise<void> => {
  for (const name of ['Backup Tower', 'Line\nbreak\tand \\ "quote" 备份']) {
    const project = await makeProject(db, { name });
    const devices = await Promise.all(
      [1, 2, 3].map(() => makeDevice(db, { project_id: project.id, type: 3 })),
    );
    for (const { id, lines } of devices)
      await makeAlarm(pool, { id, project_id: project.id, part_id: null, lines }, { at: clock.now() });
  }
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  for (const offset of [0, 1])
    await pool.query(
      `create table if not exists ${partitionName(day, offset)} partition of readings
       for values from (date '${day}' - ${offset}) to (date '${day}' - ${offset} + 1)`,
    );
  await pool.query(
    `insert into readings (at, energy, line_id, boot, seq, rx_ms, position, channels)
     select $1::date - past + interval '1 second' * s, s / 3.0, lines.id, 1, s, 5, 1, array[s / 7.0, null, -1.5e-9]::real[]
     from lines, generate_series(0, 1) past, generate_series(1, 500) s`,
    [day],
  );
};
const partitionName = (day: string, offset: number): string => {
  const at = new Date(Date.parse(day) - offset * 86_400_000).toISOString().slice(0, 10);
  return `readings_${at.replaceAll('-', '')}`;
};
