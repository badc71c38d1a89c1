import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import * as z from 'zod';
import { deviceJobEndpoints } from '#contract/device-jobs.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';
import { addWords } from '../../i18n/i18n.ts';
import { optionalText, useUrlState } from '../../parts/url-state.ts';
import { runningJobsQuery } from './jobs.query.ts';

const words = {
  'zh-CN': () => import('./words/zh-CN.ts'),
  'en-US': () => import('./words/en-US.ts'),
  'ru-RU': () => import('./words/ru-RU.ts'),
};
const JobPanel = lazy(async () => {
  const panel = import('./JobPanel.tsx');
  await addWords(async (language) => ({ deviceJobs: (await words[language]()).deviceJobs }));
  return { default: (await panel).JobPanel };
});
const search = z.object({ job: optionalText });

/** Works that go on by themselves, on every screen; the address `?job=` opens one. Nothing while there is none. */
export const JobDoor = () => {
  const [{ job }, setSearch] = useUrlState(search);
  const { data } = useQuery(runningJobsQuery);
  useLiveRefresh(['job'], [deviceJobEndpoints.list, deviceJobEndpoints.job], 300);
  const running = data?.list ?? [];
  if (running.length === 0 && job === undefined) return null;
  return (
    <Suspense fallback={null}>
      <JobPanel
        running={running.filter(({ job_id }) => job_id !== job)}
        shown={job}
        onShow={(id) => setSearch({ job: id }, { push: true })}
        onClose={() => setSearch({ job: undefined })}
      />
    </Suspense>
  );
};
