import type { Db } from '#database/connect.ts';
import type { Bus } from '#server/core/bus.ts';
import type { TimedWork } from '#server/core/scheduled.ts';
import { maintenanceStore } from './backups.store.ts';
import { backupSchedule, nextBackup, nextDrill, storedPassphrase } from './schedule.ts';
import type { Vault } from './vault.ts';

interface PlannedDeps {
  db: Db;
  bus: Bus;
  vault: Vault;
}

/** A job of the schedule, encrypted with the schedule's passphrase if it has one. */
const enqueue = async (
  { db, bus, vault }: PlannedDeps,
  kind: 'backup' | 'drill',
  now: number,
): Promise<void> => {
  const passphrase = await storedPassphrase(vault, await backupSchedule(db));
  await maintenanceStore(db).create({
    kind,
    cause: 'schedule',
    tables: null,
    backup: null,
    passphrase: passphrase === null ? null : await vault.seal(passphrase),
    by: { userId: null, username: '' },
    now,
  });
  bus.emit('maintenance.changed', {});
};

/** The daily backup; its job reports the result, and removes outdated backups. */
export const backupWork = (deps: PlannedDeps): TimedWork => ({
  name: 'backup',
  next: async (last, now) => nextBackup(await backupSchedule(deps.db), last, now),
  async run({ now }) {
    await enqueue(deps, 'backup', now);
    return { made: 1 };
  },
});

/** Restores the newest backup into a scratch database from time to time, to prove that this works. */
export const drillWork = (deps: PlannedDeps): TimedWork => ({
  name: 'restoreDrill',
  next: async (last, now) => nextDrill(await backupSchedule(deps.db), last, now),
  async run({ now }) {
    await enqueue(deps, 'drill', now);
    return { made: 1 };
  },
});
