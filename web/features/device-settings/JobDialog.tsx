import { useQuery } from '@tanstack/react-query';
import { Modal, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { DataState } from '../../parts/DataState.tsx';
import { TimeText } from '../../values/TimeText.tsx';
import { type Job, jobQuery } from './settings.query.ts';

const states = ['waiting', 'applied', 'conflict', 'rejected', 'superseded', 'skipped', 'denied'] as const;
const wordOf = (state: string) => states.find((each) => each === state);

/** How far the devices of a push have got; it goes on when this is closed, and the address leads back. */
export const JobDialog = ({ jobId, onClose }: { jobId: string; onClose: () => void }) => {
  const { t } = useTranslation('deviceSettings');
  const query = useQuery(jobQuery(jobId));
  return (
    <Modal open width={620} title={t(($) => $.job.title)} footer={null} onCancel={onClose}>
      <DataState query={query} rows={5}>
        {(job) => <JobState job={job} />}
      </DataState>
    </Modal>
  );
};

const JobState = ({ job }: { job: Job }) => {
  const { t } = useTranslation('deviceSettings');
  const waiting = job.counts['waiting'] ?? 0;
  const ended = job.total - waiting;
  return (
    <>
      <Progress
        percent={job.total === 0 ? 100 : Math.round((100 * ended) / job.total)}
        format={() => `${ended} / ${job.total}`}
        status={job.done ? 'normal' : 'active'}
        aria-label={t(($) => $.job.title)}
      />
      <p className="setting-tools" role="status">
        {states
          .filter((state) => (job.counts[state] ?? 0) > 0)
          .map((state) => (
            <span key={state}>
              {t(($) => $.job.state[state])}: <strong className="tabular">{job.counts[state]}</strong>
            </span>
          ))}
      </p>
      <p className="soft">
        {job.operator} · <TimeText at={job.created_at} />
        {!job.done && ` · ${t(($) => $.job.goesOn)}`}
      </p>
      <ul className="plain-list result-list">
        {job.unfinished.map(({ device_id, number, state, message }) => {
          const word = wordOf(state);
          return (
            <li key={device_id}>
              <span className="tabular">{number}</span>
              <span>
                {word ? t(($) => $.job.state[word]) : state}
                {message && <span className="soft"> · {message}</span>}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
};
