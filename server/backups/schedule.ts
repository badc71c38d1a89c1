import { DateTime } from 'luxon';
import * as z from 'zod';
import type { BackupSchedule } from '#contract/backups.ts';
import { removeBackup, type Shelved } from '#database/backup/shelf.ts';
import type { Db } from '#database/connect.ts';
import { readSetting, writeSetting } from '#server/core/settings.ts';
import { defaultZone } from '#server/core/zone.ts';
import type { Vault } from './vault.ts';

const dayMs = 24 * 3_600_000;
const gigabyte = 1_000_000_000;

const schema = z.object({
  enabled: z.boolean().catch(true),
  time: z
    .string()
    .regex(/^\d\d:\d\d$/)
    .catch('02:30'),
  keep_days: z.int().min(1).catch(30),
  keep_least: z.int().min(1).catch(7),
  keep_gigabytes: z.int().min(0).catch(0),
  drill_days: z.int().min(0).catch(7),
  /** Encrypted, in base64. Only the key in the DATA_DIR of this installation can decrypt it. */
  sealed: z.string().nullable().catch(null),
});
export type StoredSchedule = BackupSchedule & { sealed: string | null };
const settingsKey = 'backups';

/** The row `backups` of the settings; a missing or invalid value means the default. */
export const backupSchedule = async (db: Db): Promise<StoredSchedule> => {
  const given = z.record(z.string(), z.unknown()).safeParse(await readSetting(db, settingsKey));
  const absent = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, undefined]));
  return schema.parse({ ...absent, ...(given.success ? given.data : {}) });
};
export const storeSchedule = (db: Db, schedule: StoredSchedule, now: number): Promise<void> =>
  writeSetting(db, settingsKey, schedule, now);

/** The first such time of day after an instant; if a clock change skips it, the first time after the gap. */
export const nextTime = (time: string, after: number, zone = defaultZone): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const day = DateTime.fromMillis(after, { zone }).set({ hour, minute, second: 0, millisecond: 0 });
  return (day.toMillis() > after ? day : day.plus({ days: 1 }).set({ hour, minute })).toMillis();
};
export const nextBackup = (
  { enabled, time }: BackupSchedule,
  last: number | null,
  now: number,
): number | null => (enabled ? nextTime(time, last ?? now) : null);
/** An hour after that day's backup. */
export const nextDrill = (
  { drill_days, time }: BackupSchedule,
  last: number | null,
  now: number,
): number | null => {
  if (drill_days === 0) return null;
  const due = last === null ? now : last + (drill_days - 1) * dayMs;
  return nextTime(time, Math.max(due, last ?? 0)) + 3_600_000;
};

/** An upgrade can be undone for this many versions, whatever their age. */
const keptUpgrades = 3;

/**
 * The backups that may be deleted, oldest first. Scheduled: too old, or above the space limit; the newest
 * `keep_least` complete ones stay. Upgrades: too old, and not among the last `keptUpgrades`; they do not
 * count for the space limit. Backups made by a person always stay.
 */
export const outdated = (
  { keep_days, keep_least, keep_gigabytes }: BackupSchedule,
  shelf: readonly Shelved[],
  now: number,
): string[] => {
  const own = shelf.filter(({ manifest }) => manifest?.cause === 'schedule').sort((a, b) => b.at - a.at);
  const kept = new Set(own.filter(({ isWhole }) => isWhole).slice(0, keep_least));
  const most = keep_gigabytes === 0 ? Number.POSITIVE_INFINITY : keep_gigabytes * gigabyte;
  let bytes = 0;
  const tooOld = ({ at }: Shelved) => now - at > keep_days * dayMs;
  const upgrades = shelf
    .filter(({ manifest }) => manifest?.cause === 'beforeUpgrade')
    .sort((a, b) => b.at - a.at);
  const lastUpgrades = new Set(upgrades.filter(({ isWhole }) => isWhole).slice(0, keptUpgrades));
  const old = upgrades.filter((each) => !lastUpgrades.has(each) && tooOld(each));
  const ofSchedule = own.filter((each) => {
    bytes += each.bytes;
    return !kept.has(each) && (tooOld(each) || bytes > most);
  });
  return [...old, ...ofSchedule].sort((a, b) => a.at - b.at).map(({ name }) => name);
};

export const removeOutdated = async (
  folder: string,
  schedule: BackupSchedule,
  shelf: readonly Shelved[],
  now: number,
): Promise<string[]> => {
  const names = outdated(schedule, shelf, now);
  for (const name of names) await removeBackup(folder, name);
  return names;
};

/** The passphrase of the schedule; null: it has none, or another installation encrypted it. */
export const storedPassphrase = async (vault: Vault, { sealed }: StoredSchedule): Promise<string | null> =>
  sealed === null ? null : vault.unseal(Buffer.from(sealed, 'base64'));
