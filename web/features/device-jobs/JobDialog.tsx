import { useQuery } from '@tanstack/react-query';
import { Alert, Modal, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { deviceJobEndpoints, jobRowStates } from '#contract/device-jobs.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { CancelButton } from './CancelButton.tsx';
import './jobs.css';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { endedOf, type Job, jobQuery } from './jobs.query.ts';

/** Progress of a job and its failed devices; the job continues when this is closed. */
export const JobDialog = ({ jobId, onClose }: { jobId: string; onClose: () => void }) => {
  useFocusBack();
  const { t } = useTranslation('deviceJobs');
  const query = useQuery(jobQuery(jobId));
  const job = query.data;
  return (
    <Modal
      open
      width={620}
      title={job ? t(($) => $.kind[job.kind]) : ''}
      footer={
        <>
          <ExportButton
            endpoint={deviceJobEndpoints.exportJob}
            body={{ job_id: jobId }}
            fileName={job ? t(($) => $.kind[job.kind]) : jobId}
          />
          {job?.may_cancel && <CancelButton job={job} />}
        </>
      }
      onCancel={onClose}
    >
      <DataState query={query} rows={5}>
        {(found) => <JobState job={found} />}
      </DataState>
    </Modal>
  );
};

const mostListed = 500;
const JobState = ({ job }: { job: Job }) => {
  const { t } = useTranslation('deviceJobs');
  const { number, colon } = useFormats();
  // Number of completed devices of a cancelled job, or of ended devices of any other job.
  const ended = job.cancelled ? job.succeeded : endedOf(job);
  const counts = { done: number(job.succeeded), total: number(job.total) };
  return (
    <>
      {job.cancelled && (
        <Alert
          type="warning"
          showIcon
          className="job-cancelled"
          title={t(($) => $.cancelled, { ...counts, operator: job.cancelled.operator })}
          description={<TimeText at={job.cancelled.at} />}
        />
      )}
      <Progress
        percent={job.total === 0 ? 100 : Math.floor((100 * ended) / job.total)}
        format={() => t(($) => $.progress, { done: number(ended), total: number(job.total) })}
        status={job.done ? 'normal' : 'active'}
        aria-label={t(($) => $.kind[job.kind])}
      />
      <p className="job-counts" role="status">
        {jobRowStates
          .filter((state) => (job.counts[state] ?? 0) > 0)
          .map((state) => (
            <span key={state}>
              {t(($) => $.state[state])}
              {colon}
              <strong className="tabular">{number(job.counts[state] ?? 0)}</strong>
            </span>
          ))}
      </p>
      <p className="soft">
        {job.operator} · <TimeText at={job.created_at} />
        {!job.done && ` · ${t(($) => $.goesOn)}`}
      </p>
      <ul className="plain-list result-list">
        {job.unfinished.map(({ device_id, number: shown, state, message }) => (
          <li key={device_id}>
            <span className="tabular">{shown}</span>
            <span>
              {t(($) => $.state[state])}
              {message && <span className="soft"> · {message}</span>}
            </span>
          </li>
        ))}
      </ul>
      {job.unfinished.length === mostListed && (
        <p className="soft">{t(($) => $.listed, { count: mostListed })}</p>
      )}
    </>
  );
};
