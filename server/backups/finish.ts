import type { Logger } from 'pino';
import { BackupError } from '#database/backup/backup-error.ts';
import { makeBackup } from '#database/backup/dump.ts';
import type { Db } from '#database/connect.ts';
import { maintenanceStore } from './backups.store.ts';
import { backupName, shelfOf } from './place.ts';
import { swapStaged } from './restore.ts';
import type { Vault } from './vault.ts';
import { takeLock } from './worker.ts';

interface FinishDeps {
  db: Db;
  databaseUrl: string;
  dataDir: string;
  vault: Vault;
  version: string;
  now: () => number;
  log: Logger;
  /** Called with a sentence at each slow step. */
  onProgress?: (sentence: string) => void;
}
const lockWaitMs = 500;

const waitingIn = (db: Db) =>
  db
    .selectFrom('maintenance_jobs')
    .select(['id', 'backup', 'tables', 'passphrase', 'user_id', 'operator', 'attempts'])
    .where('state', '=', 'swapping')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
type Waiting = NonNullable<Awaited<ReturnType<typeof waitingIn>>>;

/**
 * Replaces the present data with a staged restore, before any part of the server reads a row: nothing changes
 * between the backup of the old rows and the swap. One node does it, the others wait. If it fails, the old
 * rows stay and the job gets the reason.
 */
export const finishRestore = async (deps: FinishDeps): Promise<boolean> => {
  const { db, databaseUrl } = deps;
  let lock: Awaited<ReturnType<typeof takeLock>> = null;
  while ((await waitingIn(db)) && lock === null) {
    lock = await takeLock(databaseUrl);
    if (lock === null) await new Promise((resolve) => setTimeout(resolve, lockWaitMs));
  }
  if (lock === null) return false;
  try {
    const job = await waitingIn(db);
    return job ? await putInPlace(deps, job) : false;
  } finally {
    await lock.end();
  }
};

const putInPlace = async (deps: FinishDeps, job: Waiting): Promise<boolean> => {
  const { db, log, now } = deps;
  const store = maintenanceStore(db);
  try {
    const snapshot = await keepOld(deps, job);
    deps.onProgress?.(`Putting backup ${job.backup} in place …`);
    await swapStaged({
      databaseUrl: deps.databaseUrl,
      shelf: shelfOf(deps.dataDir),
      name: job.backup ?? '',
      tables: job.tables,
      operator: { userId: job.user_id, username: job.operator, channel: 'web' },
      requestId: job.id,
      now: now(),
      also: async (trx, { tables, rows, logKept, carried, withdrawn }) => {
        await maintenanceStore(trx).note(job.id, {
          ...{ snapshot, tables, rows, log_kept: logKept },
          ...{ tags_kept: carried.tags, inspections_kept: carried.inspections, tags_lost: carried.lost },
          projects_tagged: carried.checks,
          ...(withdrawn && {
            accounts_off: withdrawn.accounts,
            timers_off: withdrawn.timers,
            devices_tagged: withdrawn.devices,
            devices_moved: withdrawn.moved,
            settings_withdrawn: withdrawn.settings,
            rollouts_paused: withdrawn.rollouts,
          }),
          accounts: withdrawn ? 'kept' : 'restored',
        });
        await maintenanceStore(trx).end(job.id, 'done', { now: now() });
      },
    });
    return true;
  } catch (error) {
    log.error({ err: error, job: job.id }, 'the restore was not put in place; everything is as before');
    // A crash emptied the staged tables, so they are staged again.
    if (error instanceof BackupError && error.flaw === 'counted') await store.giveBack(job.id, job.attempts);
    else
      await store.end(job.id, 'failed', {
        now: now(),
        ...(error instanceof BackupError
          ? { fault: `backup.${error.flaw}`, with: error.about }
          : { fault: 'backup.failed', with: { error: String(error).slice(0, 300) } }),
      });
    return false;
  }
};

/**
 * Backs up the data that the restore replaces; with the restore's own passphrase if it has one. Returns the
 * backup's name.
 */
const keepOld = async (deps: FinishDeps, job: Waiting): Promise<string> => {
  deps.onProgress?.('Backing up what the restore replaces …');
  const name = backupName(deps.now(), job.id);
  await makeBackup({
    databaseUrl: deps.databaseUrl,
    folder: shelfOf(deps.dataDir),
    name,
    cause: 'beforeRestore',
    tables: job.tables,
    passphrase: job.passphrase && (await deps.vault.unseal(job.passphrase)),
    version: deps.version,
    now: deps.now(),
  });
  return name;
};
