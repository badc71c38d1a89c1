import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { makeBackup } from '#database/backup/dump.ts';
import { sizeOf } from '#database/backup/manifest.ts';
import { folderOf } from '#database/backup/shelf.ts';
import { stage } from '#database/backup/stage.ts';
import { connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { makeAhead } from '#database/partitions.ts';
import { backupName, shelfOf } from '#server/backups/place.ts';
import { swapStaged } from '#server/backups/restore.ts';
import type { Figure } from './figure.ts';

const readings = Number(process.env['BACKUP_READINGS'] ?? 10_000_000);
const atOnce = 100_000;
const channels = 10;

/** Duration in s, and the largest growth of the process, MB. */
const measured = async <Result>(run: () => Promise<Result>) => {
  const before = process.memoryUsage().rss;
  let most = before;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 50);
  const begun = performance.now();
  try {
    const result = await run();
    return { result, seconds: (performance.now() - begun) / 1000, before, most };
  } finally {
    clearInterval(look);
  }
};
const megabytes = (bytes: number): number => bytes / 1e6;

/** Backs up `BACKUP_READINGS` (10,000,000) readings of ten channels, deletes them, and restores them. */
export const run = async (): Promise<Figure[]> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const pool = connectPool(postgres.url, 1);
  try {
    await migrate(postgres.url);
    await makeAhead(pool, Date.now());
    for (let done = 0; done < readings; done += atOnce)
      await pool.query(
        `insert into readings (line_id, at, boot, seq, rx_ms, position, trip, lock, energy, channels)
         select n % 1000 + 1, date_trunc('day', now(), 'UTC') + n / 1000 * interval '8 seconds', 12, n / 1000, 120, 1, 0, 0,
           15423.71 + n * 0.001, array(select (220 + random() * 10 + n * 0)::real from generate_series(1, $3))
         from generate_series($1::int, $2::int - 1) n`,
        [done, Math.min(readings, done + atOnce), channels],
      );
    const count = async () =>
      (await pool.query<{ n: number }>('select count(*)::int as n from readings')).rows[0]!.n;
    const stored = await count();
    const size = (
      await pool.query<{ bytes: number }>(
        `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'readings'::regclass`,
      )
    ).rows[0]!.bytes;
    const shelf = shelfOf(dataDir);
    const name = backupName(Date.now(), randomUUID());
    const made = await measured(() =>
      makeBackup({
        ...{ databaseUrl: postgres.url, folder: shelf, name, cause: 'commandLine', tables: null },
        ...{ passphrase: null, version: 'bench', now: Date.now() },
      }),
    );
    await pool.query('truncate readings');
    const put = await measured(async () => {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      try {
        await stage(client, { folder: await folderOf(shelf, name), passphrase: null, tables: null });
      } finally {
        await client.end();
      }
      await swapStaged({
        ...{ databaseUrl: postgres.url, shelf, name, tables: null, requestId: randomUUID(), now: Date.now() },
        operator: { userId: null, username: 'bench', channel: 'console' },
      });
    });
    const back = await count();
    if (back !== stored) throw new Error(`${stored} readings were backed up, ${back} came back`);
    const bytes = sizeOf(made.result);
    console.log(
      `${stored} readings, ${megabytes(size).toFixed(0)} MB in the database, ${megabytes(bytes).toFixed(0)} MB in the backup; memory ${megabytes(made.before).toFixed(0)} to ${megabytes(made.most).toFixed(0)} MB while backing up, ${megabytes(put.before).toFixed(0)} to ${megabytes(put.most).toFixed(0)} MB while restoring`,
    );
    const of = `${(stored / 1e6).toFixed(0)} million readings`;
    return [
      { name: `backup of ${of}`, figure: made.seconds, unit: 's', goal: '≤ 60 a million', anchor: '' },
      { name: `restore of ${of}`, figure: put.seconds, unit: 's', goal: '≤ 120 a million', anchor: '' },
      { name: 'database to backup, size', figure: size / bytes, unit: '×', goal: '≥ 3', anchor: '' },
      {
        name: `growth of memory while backing up ${of}`,
        figure: megabytes(made.most - made.before),
        unit: 'MB',
        goal: '≤ 150, whatever the number',
        anchor: '',
      },
      {
        name: `growth of memory while restoring ${of}`,
        figure: megabytes(put.most - put.before),
        unit: 'MB',
        goal: '≤ 150, whatever the number',
        anchor: '',
      },
    ];
  } finally {
    await pool.end();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
