import type { Db } from '#database/connect.ts';
import { backupSchedule } from '#server/backups/schedule.ts';
import type { BackupPlan } from '#server/health/health.store.ts';

/** The intervals of backups and drills, for the check of their age. */
export const backupPlan = async (db: Db): Promise<BackupPlan> => {
  const { enabled, drill_days } = await backupSchedule(db);
  return { backupDays: enabled ? 1 : null, drillDays: enabled && drill_days > 0 ? drill_days : null };
};
