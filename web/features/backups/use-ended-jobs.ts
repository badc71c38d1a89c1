import { useQuery } from '@tanstack/react-query';
import { App } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type MaintenanceJob, maintenanceUnderWay } from '#contract/backups.ts';
import { latestJobs } from './backups.query.ts';

/** Reports the end of each job that was still running when the page was opened. */
export const useEndedJobs = (): void => {
  const { t } = useTranslation('backups');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const { data } = useQuery(latestJobs);
  const ended = useRef<ReadonlySet<string> | null>(null);
  const say = ({ kind, state, message: why }: MaintenanceJob) => {
    const said = (outcome: string) => t(($) => $.job.ended, { kind: t(($) => $.job.kind[kind]), outcome });
    if (state === 'failed') void message.error(said(`${tc(($) => $.failed)} ${why ?? ''}`.trim()));
    if (state === 'done')
      void message.success(kind === 'backup' ? t(($) => $.job.backedUp) : said(tc(($) => $.done)));
  };
  const latest = useRef(say);
  latest.current = say;
  useEffect(() => {
    if (!data) return;
    const now = data.list.filter(({ state }) => !maintenanceUnderWay(state));
    const before = ended.current;
    ended.current = new Set([...(before ?? []), ...now.map(({ job_id }) => job_id)]);
    if (before !== null) for (const job of now) if (!before.has(job.job_id)) latest.current(job);
  }, [data]);
};
