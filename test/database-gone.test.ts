import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { removeEmbeddedPostgres } from '#database/embedded.ts';
import { findPlace } from '#database/embedded-place.ts';
import {
  ensureCluster,
  makeSocketFolder,
  startPostmaster,
  superuser,
} from '#database/embedded-postmaster.ts';
import { firstStartKey } from '#database/seed/base.ts';
import { patienceMs, startPatienceMs } from './patience.ts';
import { startServer } from './server-process.ts';
import { eventually } from './wait.ts';

const settings = { listen_addresses: '', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** A separate PostgreSQL that is never restarted. */
const lonePostgres = async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-lone-'));
  const place = await findPlace(dataDir);
  await ensureCluster(place, false);
  const socketFolder = await makeSocketFolder(place);
  const started = await startPostmaster(place, socketFolder, settings, patienceMs);
  return {
    url: `postgresql://${superuser}@localhost/postgres?host=${encodeURIComponent(socketFolder)}`,
    pid: started!.pid,
    async remove() {
      await removeEmbeddedPostgres(dataDir);
      await rm(socketFolder, { recursive: true, force: true });
    },
  };
};

/** Locks the row as soon as it exists, so that the first start cannot finish. */
const holdFirstStart = async (url: string): Promise<void> => {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await eventually(async () => {
    await client.query('rollback; begin');
    const { rowCount } = await client
      .query('select from settings where key = $1 for update', [firstStartKey])
      .catch(() => ({ rowCount: 0 }));
    return rowCount === 1;
  });
};

it('a server whose PostgreSQL is killed as soon as it is ready stays up, and ends on SIGTERM', {
  timeout: 2 * startPatienceMs,
}, async () => {
  const postgres = await lonePostgres();
  try {
    const [server] = await Promise.all([
      startServer({ DATABASE_URL: postgres.url }),
      holdFirstStart(postgres.url),
    ]);
    try {
      const ended = once(server.process, 'exit');
      const noticed = new Promise<string>((resolve) => {
        let said = '';
        server.process.stdout?.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('a round failed')) resolve('a round failed');
        });
      });
      process.kill(postgres.pid, 'SIGKILL');
      expect(await Promise.race([noticed, ended])).toBe('a round failed');
      server.process.kill('SIGTERM');
      expect((await ended)[0]).not.toBeNull();
    } finally {
      await server.stop('SIGKILL');
    }
  } finally {
    await postgres.remove();
  }
});
