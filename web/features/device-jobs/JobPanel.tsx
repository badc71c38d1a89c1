import { Button, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { JobDialog } from './JobDialog.tsx';
import './jobs.css';
import { endedOf, type JobSummary } from './jobs.query.ts';

/** The progress of each running job, one row each, and the details of the opened job. */
export const JobPanel = ({
  running,
  shown,
  onShow,
  onClose,
}: {
  running: readonly JobSummary[];
  shown: string | undefined;
  onShow: (jobId: string) => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('deviceJobs');
  const { number } = useFormats();
  return (
    <>
      {running.map((job) => (
        <aside key={job.job_id} className="job-banner" role="status">
          <strong>{t(($) => $.kind[job.kind])}</strong>
          <span className="tabular">
            {t(($) => $.progress, { done: number(endedOf(job)), total: number(job.total) })}
          </span>
          <Progress
            className="job-bar"
            percent={Math.floor((100 * endedOf(job)) / job.total)}
            showInfo={false}
            aria-label={t(($) => $.kind[job.kind])}
          />
          <Button size="small" onClick={() => onShow(job.job_id)}>
            {t(($) => $.show)}
          </Button>
        </aside>
      ))}
      {shown !== undefined && <JobDialog jobId={shown} onClose={onClose} />}
    </>
  );
};
