import { useQuery } from '@tanstack/react-query';
import * as z from 'zod';
import { deviceJobEndpoints } from '#contract/device-jobs.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { runningJobsQuery } from '#web/features/device-jobs/jobs.query.ts';
import { late } from '#web/parts/late.tsx';
import { optionalText, useUrlState } from '#web/parts/url-state.ts';
import { withWords } from '../feature.ts';

const JobPanel = late(
  withWords(['device-jobs'], async () => (await import('#web/features/device-jobs/JobPanel.tsx')).JobPanel),
);
const search = z.object({ job: optionalText });

/** Running jobs, on every screen; the address `?job=` opens one. Nothing is shown without jobs. */
export const JobDoor = () => {
  const [{ job }, setSearch] = useUrlState(search);
  const { data } = useQuery(runningJobsQuery);
  useLiveRefresh(['job'], [deviceJobEndpoints.list, deviceJobEndpoints.job], 300);
  const running = data?.list ?? [];
  if (running.length === 0 && job === undefined) return null;
  return (
    <JobPanel
      running={running.filter(({ job_id }) => job_id !== job)}
      shown={job}
      onShow={(id) => setSearch({ job: id }, { push: true })}
      onClose={() => setSearch({ job: undefined })}
    />
  );
};
