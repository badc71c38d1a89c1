import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { App } from 'antd';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLanguage } from '#web/i18n/i18n.ts';
import { common } from '#web/parts/words/en-US.ts';
import { JobDialog } from './JobDialog.tsx';
import type { Job } from './jobs.query.ts';
import { deviceJobs } from './words/en-US.ts';

const job: Job = {
  job_id: '7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab',
  kind: 'bind',
  operator: 'wang',
  created_at: '2026-11-21T08:00:00Z',
  total: 1000,
  counts: { done: 43, queued: 956, skipped: 1 },
  succeeded: 43,
  done: false,
  cancelled: null,
  may_cancel: true,
  unfinished: [
    {
      device_id: 5,
      number: 'SW4A0001',
      state: 'skipped',
      reason: 'device.boundThere',
      message: 'The device is already bound to this project',
    },
  ],
};
let calls: string[];
beforeEach(async () => {
  calls = [];
  // biome-ignore lint/suspicious/noDocumentCookie: as the console writes it
  document.cookie = 'language=en-US; path=/';
  let now = job;
  vi.stubGlobal('fetch', async (path: string) => {
    calls.push(path);
    if (path.endsWith('/cancel'))
      now = {
        ...job,
        counts: { done: 43, cancelled: 956, skipped: 1 },
        done: true,
        may_cancel: false,
        cancelled: { operator: 'admin', at: '2026-11-21T08:01:00Z' },
      };
    return new Response(JSON.stringify({ code: 200, msg: '', data: now }));
  });
  await startLanguage(async () => ({ deviceJobs, common }));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <App>
        <JobDialog jobId={job.job_id} onClose={() => {}} />
      </App>
    </QueryClientProvider>,
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a job shows its progress and why devices were left out', async () => {
  expect(await screen.findByText('44 of 1,000')).toBeTruthy();
  expect(screen.getByText(/The device is already bound to this project/)).toBeTruthy();
});

test('a job is cancelled after a question, and shows what was done until then', async () => {
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel the job' }));
  expect(calls.some((path) => path.endsWith('/cancel'))).toBe(false);
  expect(await screen.findByText(/Devices that are done stay changed: 43 of 1,000 so far/)).toBeTruthy();
  fireEvent.click((await screen.findAllByRole('button', { name: 'Cancel the job' })).at(-1)!);
  expect(await screen.findByText('43 of 1,000 done, cancelled by admin')).toBeTruthy();
  // The dialog itself may still be closing.
  expect(document.querySelector('.ant-modal-footer .ant-btn-dangerous')).toBeNull();
});
