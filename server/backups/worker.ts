import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { BackupError } from '#database/backup/backup-error.ts';
import { makeBackup } from '#database/backup/dump.ts';
import { rowsOf, sizeOf } from '#database/backup/manifest.ts';
import { proveBackup } from '#database/backup/scratch.ts';
import { folderOf, readShelf, sweepShelf } from '#database/backup/shelf.ts';
import { stage } from '#database/backup/stage.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { createRounds } from '#server/core/rounds.ts';
import { maintenanceStore, type OpenJob } from './backups.store.ts';
import { backupName, maintenanceLock, shelfOf } from './place.ts';
import { backupSchedule, removeOutdated } from './schedule.ts';
import { optimise, repair } from './upkeep.ts';
import type { Vault } from './vault.ts';

interface MaintenanceDeps extends CoreDeps {
  /** Connects as the owner of the tables. */
  databaseUrl: string;
  dataDir: string;
  vault: Vault;
  version: string;
  /** Free space to keep on the disk; tests change it. */
  reserveBytes?: number;
}
const mostAttempts = 3;
const noteEveryMs = 500;
const pollMs = 15_000;

/**
 * Runs the maintenance jobs on the database, one at a time over all nodes. A job of a killed server is
 * started again.
 */
export const createMaintenance = (deps: MaintenanceDeps) => {
  const { db, bus, clock, log, databaseUrl } = deps;
  const store = maintenanceStore(db);
  let current: AbortController | null = null;
  let stopping = false;
  let leave = () => {};

  /** Stores progress at most twice a second, and checks then whether the job should end. */
  const reporter = (id: string, cancel: AbortController) => {
    let at = Number.NEGATIVE_INFINITY;
    let writing: Promise<void> = Promise.resolve();
    let busy = false;
    return {
      progress: (given: { step: string; done: number; total: number }) => {
        if (busy || performance.now() - at < noteEveryMs) return;
        at = performance.now();
        busy = true;
        writing = store
          .progress(id, given)
          .then((asked) => {
            if (asked) cancel.abort(new Error('cancelled'));
          })
          .catch((error: unknown) => log.warn({ err: error }, 'progress was not noted'))
          .finally(() => {
            busy = false;
          });
      },
      settled: () => writing,
    };
  };

  const work = async (job: OpenJob): Promise<void> => {
    if (job.attempts > mostAttempts)
      return store.end(job.id, 'failed', { now: clock.now(), fault: 'backup.interrupted' });
    const cancel = new AbortController();
    current = cancel;
    const { progress, settled } = reporter(job.id, cancel);
    try {
      const passphrase = job.passphrase && (await deps.vault.unseal(job.passphrase));
      if (job.passphrase && passphrase === null) throw new BackupError('lost');
      await acts[job.kind](deps, job, { passphrase, progress, signal: cancel.signal });
      await settled();
      if (job.kind !== 'restore') await store.end(job.id, 'done', { now: clock.now() });
    } catch (error) {
      await settled();
      if (stopping) return store.giveBack(job.id, job.attempts - 1);
      await fail(job, cancel.signal.aborted ? new BackupError('cancelled', {}, error) : error);
    } finally {
      current = null;
    }
  };
  const fail = async (job: OpenJob, error: unknown): Promise<void> => {
    const now = clock.now();
    log.warn({ err: error, job: job.id, kind: job.kind }, 'maintenance job ended without success');
    if (!(error instanceof BackupError))
      return store.end(job.id, 'failed', { now, fault: 'backup.failed', with: { error: textOf(error) } });
    if (error.flaw === 'cancelled') return store.end(job.id, 'cancelled', { now });
    return store.end(job.id, 'failed', { now, fault: `backup.${error.flaw}`, with: error.about });
  };

  const turn = async (): Promise<boolean> => {
    const lock = await takeLock(databaseUrl);
    if (lock === null) return false;
    try {
      await sweepShelf(shelfOf(deps.dataDir));
      const job = await store.takeNext(clock.now());
      if (!job) return false;
      await work(job);
      await store.trim();
      return true;
    } finally {
      await lock.end().catch(() => {}); // the connection was cut, and the lock is released
    }
  };
  const rounds = createRounds({
    name: 'maintenance',
    clock,
    log,
    longestMs: pollMs,
    round: async () => (!stopping && (await turn()) ? clock.now() : null),
  });
  return {
    start() {
      leave = bus.on('maintenance.changed', () => rounds.wake());
      rounds.start();
    },
    async stop() {
      stopping = true;
      leave();
      current?.abort(new Error('stopping'));
      await rounds.stop();
    },
  };
};
const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 300);

/** A connection that holds the only maintenance lock of this database; null: another node has it. */
export const takeLock = async (databaseUrl: string): Promise<pg.Client | null> => {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'ampwatch maintenance' });
  client.on('error', () => {}); // the lock is lost; the current work continues to its own end
  await client.connect();
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
    maintenanceLock,
  ]);
  if (rows[0]!.mine) return client;
  await client.end();
  return null;
};

interface Given {
  passphrase: string | null;
  progress: (given: { step: string; done: number; total: number }) => void;
  signal: AbortSignal;
}
type Act = (deps: MaintenanceDeps, job: OpenJob, given: Given) => Promise<void>;

const runBackup: Act = async (deps, job, given) => {
  const name = backupName(deps.clock.now(), job.id);
  const manifest = await makeBackup({
    ...given,
    databaseUrl: deps.databaseUrl,
    folder: shelfOf(deps.dataDir),
    name,
    cause: job.cause,
    tables: job.tables,
    version: deps.version,
    now: deps.clock.now(),
    ...(deps.reserveBytes === undefined ? {} : { reserveBytes: deps.reserveBytes }),
  });
  const result = { rows: rowsOf(manifest), tables: manifest.tables.length, bytes: sizeOf(manifest) };
  await maintenanceStore(deps.db).note(job.id, result, name);
  if (job.cause === 'schedule') await tidyShelf(deps);
};
/** Removes scheduled backups that are too old or too many. */
const tidyShelf = async ({
  db,
  dataDir,
  clock,
}: Pick<MaintenanceDeps, 'db' | 'dataDir' | 'clock'>): Promise<string[]> => {
  const folder = shelfOf(dataDir);
  return removeOutdated(folder, await backupSchedule(db), await readShelf(folder), clock.now());
};

const runOptimise: Act = (deps, job, { progress, signal }) =>
  optimise({ databaseUrl: deps.databaseUrl, tables: job.tables ?? [], progress, signal });

const runRepair: Act = async (deps, job, { progress, signal }) => {
  const tables = job.tables ?? [];
  const findings = await repair({ databaseUrl: deps.databaseUrl, tables, progress, signal });
  await maintenanceStore(deps.db).note(job.id, { tables: tables.length, findings });
};

const runDrill: Act = async (deps, job, { passphrase, progress, signal }) => {
  const folder = shelfOf(deps.dataDir);
  const name = job.backup ?? (await newestWhole(folder));
  const store = maintenanceStore(deps.db);
  await store.note(job.id, {}, name);
  const proof = await proveBackup({
    databaseUrl: deps.databaseUrl,
    folder: await folderOf(folder, name),
    passphrase,
    progress,
    signal,
  });
  await store.note(job.id, { ...proof });
};
/** The newest full backup; a damaged one is reported as damaged, not skipped. */
const newestWhole = async (folder: string): Promise<string> => {
  const newest = (await readShelf(folder)).find(({ manifest }) => manifest === null || manifest.whole);
  if (!newest) throw new BackupError('missing', { name: '*' });
  return newest.name;
};

const runRestore: Act = async (deps, job, { passphrase, progress, signal }) => {
  const shelf = shelfOf(deps.dataDir);
  const store = maintenanceStore(deps.db);
  const folder = await folderOf(shelf, job.backup ?? '');
  const client = new pg.Client({ connectionString: deps.databaseUrl, application_name: 'ampwatch restore' });
  client.on('error', () => {}); // a lost connection rejects the current query
  await client.connect();
  try {
    await stage(client, { folder, passphrase, tables: job.tables, progress, signal });
    await store.readyToSwap(job.id);
  } finally {
    await client.end();
  }
  // Every node stops in order and restarts, which swaps the data.
  deps.bus.emit('maintenance.swapping', {});
};
const acts: Record<OpenJob['kind'], Act> = {
  backup: runBackup,
  optimise: runOptimise,
  repair: runRepair,
  restore: runRestore,
  drill: runDrill,
};
