import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { removeEmbeddedPostgres } from '#database/embedded.ts';
import { findPlace } from '#database/embedded-place.ts';
import {
  ensureCluster,
  makeSocketFolder,
  startPostmaster,
  superuser,
} from '#database/embedded-postmaster.ts';
import { patienceMs, startPatienceMs } from './patience.ts';
import { startServer } from './server-process.ts';

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

it('a server whose PostgreSQL was killed ends on SIGTERM', { timeout: 2 * startPatienceMs }, async () => {
  const postgres = await lonePostgres();
  try {
    const server = await startServer({ DATABASE_URL: postgres.url });
    try {
      const noticed = new Promise<void>((resolve) => {
        let said = '';
        server.process.stdout?.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('a round failed')) resolve();
        });
      });
      process.kill(postgres.pid, 'SIGKILL');
      await noticed;
      const ended = once(server.process, 'exit');
      server.process.kill('SIGTERM');
      expect((await ended)[0]).not.toBeNull();
    } finally {
      await server.stop('SIGKILL');
    }
  } finally {
    await postgres.remove();
  }
});
