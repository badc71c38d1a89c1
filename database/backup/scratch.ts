import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '#database/migrate.ts';
import { BackupError, flawed } from './backup-error.ts';
import { quoted } from './catalogue.ts';
import type { Progress } from './dump.ts';
import { rowsOf } from './manifest.ts';
import { stage } from './stage.ts';
import { swapIn } from './swap.ts';

const prefix = 'ampwatch_drill_';

/** Result of a test restore. */
interface Proof {
  tables: number;
  rows: number;
}

/**
 * Restores a backup into a new database, compares the row count of every table with the manifest, and drops
 * the database again. Throws BackupError: `noScratch` if the database user may not create databases.
 */
export const proveBackup = async (order: {
  databaseUrl: string;
  /** Folder of the backup. */
  folder: string;
  passphrase: string | null;
  progress?: Progress;
  signal?: AbortSignal;
}): Promise<Proof> => {
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  await administer(order.databaseUrl, async (client) => {
    await dropLeftovers(client);
    await client.query(`create database ${quoted(name)}`).catch((error: unknown) => {
      throw error instanceof Error && 'code' in error && error.code === '42501'
        ? new BackupError('noScratch', {}, error)
        : error;
    });
  });
  const url = new URL(order.databaseUrl);
  url.pathname = `/${name}`;
  try {
    await migrate(url.href);
    return await restoreInto(url.href, order);
  } finally {
    await administer(order.databaseUrl, async (client) => {
      await client.query(`drop database if exists ${quoted(name)} with (force)`);
    });
  }
};

const administer = async (databaseUrl: string, act: (client: pg.Client) => Promise<void>): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
};
/** Drops databases of drills whose server was killed; only one drill runs at a time. */
const dropLeftovers = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    `select d.datname as name from pg_database d where starts_with(d.datname, $1)
     and not exists (select from pg_stat_activity a where a.datid = d.oid)`,
    [prefix],
  );
  for (const { name } of rows) await client.query(`drop database if exists ${quoted(name)}`);
};

const restoreInto = async (
  url: string,
  { folder, passphrase, progress, signal }: Parameters<typeof proveBackup>[0],
): Promise<Proof> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { manifest, targets } = await stage(client, {
      folder,
      passphrase,
      tables: null,
      signal,
      ...(progress ? { progress } : {}),
    });
    await client.query('begin');
    await swapIn(client, manifest, targets, { whole: true });
    await client.query('commit');
    for (const { given } of targets) {
      const { rows } = await client.query<{ n: number }>(`select count(*) as n from ${quoted(given.name)}`);
      if (Number(rows[0]!.n) !== given.pieces.reduce((sum, piece) => sum + piece.rows, 0))
        flawed('counted', { table: given.name });
    }
    return { tables: targets.length, rows: rowsOf(manifest) };
  } finally {
    await client.end();
  }
};
