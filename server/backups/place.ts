import { createHash } from 'node:crypto';
import path from 'node:path';

/** The holder of this lock maintains the database: the server's worker or a command. */
export const maintenanceLock = 7_204_030;

/** The folder of all backups. */
export const shelfOf = (dataDir: string): string => path.join(dataDir, 'backups');

/** Sortable by time, and unique for each job. */
export const backupName = (now: number, job: string): string => {
  const at = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return `${at}-${createHash('sha256').update(job).digest('hex').slice(0, 6)}`;
};
