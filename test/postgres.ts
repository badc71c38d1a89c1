import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { embeddedAppRole } from '#database/app-role.ts';
import { type EmbeddedPostgres, removeEmbeddedPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the run's PostgreSQL; `freshDatabase()` makes databases in it. */
    postgresUrl: string;
  }
}

export const template = 'ampwatch_template';
const prefix = 'ampwatch-test-';

interface Shared {
  users: number;
  postgres: Promise<EmbeddedPostgres>;
  folder: string;
}
const shared = globalThis as typeof globalThis & { ampwatchTestPostgres?: Shared };

/** One PostgreSQL for the run, with the newest schema in a template database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!shared.ampwatchTestPostgres) {
    const folder = path.join(await parentFolder(), `${prefix}${process.pid}`);
    shared.ampwatchTestPostgres ??= { users: 0, postgres: start(folder), folder };
  }
  const run = shared.ampwatchTestPostgres;
  run.users++;
  project.provide('postgresUrl', (await run.postgres).url);
  return async () => {
    if (--run.users > 0) return;
    delete shared.ampwatchTestPostgres;
    await (await run.postgres).stop();
    await fs.rm(run.folder, { recursive: true, force: true });
  };
}

/** A file system in memory, where Linux has one. */
const memory = '/dev/shm';
const gigabyte = 1024 ** 3;

/**
 * Making and dropping a database writes and deletes more than a thousand files; in memory that takes a fraction of
 * the time. Files with many rows took 0.5 GB there, and the linter beside it takes 5 GB.
 */
const parentFolder = async (): Promise<string> => {
  const { bavail, bsize } = await fs.statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 4 * gigabyte && process.availableMemory() > 8 * gigabyte ? memory : tmpdir();
};

const start = async (folder: string): Promise<EmbeddedPostgres> => {
  await removeLeftovers();
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '200',
      max_wal_size: '512MB',
    },
  });
  try {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`create database ${template}`);
    await client.end();
    await migrate(urlFor(postgres.url, template), embeddedAppRole);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return postgres;
};

/** The address of another database on the same server. */
export const urlFor = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

export interface TestDatabase {
  /** Address for the owner, for the preparation and checks of a test. */
  url: string;
  /** Address for the role of the product. */
  appUrl: string;
  drop(): Promise<void>;
}

/** A new database of the newest schema on the run's PostgreSQL. */
export const createDatabase = async (postgresUrl: string): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  // Copying files takes a third of the time of writing each page to the log, which nobody replays here.
  await administer(`create database ${name} template ${template} strategy file_copy`);
  const url = urlFor(postgresUrl, name);
  const appUrl = new URL(url);
  appUrl.username = embeddedAppRole;
  return {
    url,
    appUrl: appUrl.href,
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
};

/** Removes the PostgreSQL of killed test runs. */
const removeLeftovers = async (): Promise<void> => {
  for (const parent of [tmpdir(), memory])
    for (const name of await fs.readdir(parent).catch(() => [])) {
      const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : 0;
      if (pid && (pid === process.pid || !isAlive(pid)))
        await removeEmbeddedPostgres(path.join(parent, name)).catch(() => {}); // it belongs to another user
    }
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
