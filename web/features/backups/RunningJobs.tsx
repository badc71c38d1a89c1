import { useQuery } from '@tanstack/react-query';
import { Button, Progress } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { backupEndpoints, type MaintenanceJob } from '#contract/backups.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useRestore } from '#web/api/restore-state.ts';
import { useFormats } from '#web/i18n/format.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { runningJobs, useChanged } from './backups.query.ts';
import { useEndedJobs } from './use-ended-jobs.ts';

/** Waiting and running jobs with their progress; the lists are loaded again when one ends. */
export const RunningJobs = ({ mayAct }: { mayAct: boolean }) => {
  const { data } = useQuery(runningJobs);
  useEndedJobs();
  const changed = useChanged();
  const latest = useRef(changed);
  latest.current = changed;
  const before = useRef(0);
  const running = data?.total ?? 0;
  useEffect(() => {
    if (running < before.current) void latest.current();
    before.current = running;
  }, [running]);
  return data?.list.map((job) => <RunningJob key={job.job_id} job={job} mayAct={mayAct} />);
};

const RunningJob = ({ job, mayAct }: { job: MaintenanceJob; mayAct: boolean }) => {
  const { t } = useTranslation('backups');
  const { number } = useFormats();
  const confirm = useConfirm();
  const changed = useChanged();
  const restarting = useRestore(({ since }) => since !== null) && job.kind === 'restore';
  const cancel = async () => {
    const sure = await confirm({
      title: t(($) => $.job.cancelTitle),
      content: t(($) => $.job.cancelText),
      okText: t(($) => $.job.cancel),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      await call(backupEndpoints.cancel, { job_id: job.job_id });
    });
    await changed();
  };
  const percent = job.total === 0 ? 0 : Math.min(99, Math.floor((100 * job.done) / job.total));
  return (
    <aside className="backup-running" role="status">
      <strong>{t(($) => $.job.kind[job.kind])}</strong>
      <span className="tabular">
        {restarting
          ? t(($) => $.job.restarting)
          : job.step === null
            ? t(($) => $.job.state[job.state])
            : t(($) => $.job.progress, { step: job.step, done: number(job.done), total: number(job.total) })}
      </span>
      {/* The server cannot report the progress of its restart, so the bar only moves. */}
      <Progress
        {...(restarting ? { percent: 100, status: 'active' } : { percent })}
        showInfo={false}
        aria-label={t(($) => $.job.kind[job.kind])}
      />
      {mayAct && job.may_cancel && !restarting && (
        <Button size="small" danger onClick={() => void cancel()}>
          {t(($) => $.job.cancel)}
        </Button>
      )}
    </aside>
  );
};
