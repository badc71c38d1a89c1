import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { backupEndpoints, type MaintenanceJob, maintenanceUnderWay } from '#contract/backups.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';

const runningMs = 1000;
const idleMs = 15_000;

/** Waiting and running jobs; loaded every second while there is one. */
export const runningJobs = {
  ...endpointQuery(backupEndpoints.jobs, { running: true, limit: 20 }),
  refetchInterval: ({ state }: { state: { data?: { total: number } | undefined } }) =>
    (state.data?.total ?? 0) > 0 ? runningMs : idleMs,
} as const;
/** Jobs including ended ones, newest first; loaded every second until all have ended. */
export const latestJobs = {
  ...endpointQuery(backupEndpoints.jobs, { limit: 20 }),
  refetchInterval: ({ state }: { state: { data?: { list: MaintenanceJob[] } | undefined } }) =>
    state.data?.list.some((job) => maintenanceUnderWay(job.state)) ? runningMs : idleMs,
} as const;

/** Loads everything again that an act may have changed. */
export const useChanged = (): (() => Promise<void>) =>
  useReload(
    backupEndpoints.tables,
    backupEndpoints.backups,
    backupEndpoints.jobs,
    backupEndpoints.summary,
    backupEndpoints.schedule,
  );
/** Reports that a job has begun and shows it. */
export const useBegun = (): (() => Promise<void>) => {
  const { t } = useTranslation('backups');
  const { message } = App.useApp();
  const changed = useChanged();
  return async () => {
    void message.success(t(($) => $.job.begun));
    await changed();
  };
};
