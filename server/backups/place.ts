import { createHash } from 'node:crypto';
import path from 'node:path';

/** Who holds it is the one that maintains the database: the server's worker or a command. */
export const maintenanceLock = 7_204_030;

/** The folder of all backups. */
export const shelfOf = (dataDir: string): string => path.join(dataDir, 'backups');

/** Sorts by time, and is another one for each job. */
export const backupName = (now: number, job: string): string => {
  const at = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return `${at}-${createHash('sha256').update(job).digest('hex').slice(0, 6)}`;
};
