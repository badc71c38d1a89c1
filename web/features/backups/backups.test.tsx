import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BackupRow, MaintenanceJob } from '#contract/backups.ts';
import { useSession } from '#web/api/session.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { DatabasePage } from './DatabasePage.tsx';
import { backups } from './words/en-US.ts';

const name = '20261120-023000-1a2b3c';
const backup: BackupRow = {
  name,
  cause: 'schedule',
  made_at: '2026-11-20T02:30:00Z',
  whole: true,
  tables: 60,
  rows: 123_456,
  volumes: 61,
  compression: 'zstd',
  encrypted: true,
  bytes: 12_300_000,
  state: 'complete',
  proved_at: null,
};
const summary = {
  last_backup: { name, at: backup.made_at },
  last_drill: {
    backup: name,
    at: '2026-11-20T03:30:00Z',
    passed: false,
    rows: 0,
    seconds: 2,
    message: 'It is damaged',
  },
  proved_at: '2026-11-13T03:30:00Z',
  next_backup_at: '2026-11-21T02:30:00Z',
  next_drill_at: null,
  backups: 1,
  backups_bytes: 12_300_000,
  free_bytes: 5e10,
};
let stage: Stage;
let jobs: MaintenanceJob[];
const jobOf = (
  kind: MaintenanceJob['kind'],
  state: MaintenanceJob['state'],
  tables: string[],
): MaintenanceJob => ({
  job_id: crypto.randomUUID(),
  kind,
  cause: 'manual',
  state,
  tables,
  backup: null,
  operator: 'root',
  step: null,
  done: 0,
  total: 0,
  created_at: backup.made_at,
  started_at: backup.made_at,
  ended_at: state === 'running' ? null : backup.made_at,
  message: state === 'failed' ? 'The disk is full' : null,
  result: {},
  may_cancel: false,
});
beforeEach(async () => {
  jobs = [jobOf('optimise', 'done', ['readings'])];
  const page = { page: 1, limit: 20, total: 1 };
  stage = await setStage({
    words: { backups, common },
    permissions: ['database.write'],
    replies: {
      '/database/summary': summary,
      '/database/get_list': {
        ...page,
        list: [
          {
            name: 'readings',
            rows: 1_000_000,
            partitions: 90,
            data_bytes: 5e8,
            size_bytes: 7e8,
            created_at: '2026-01-01T00:00:00Z',
            status: 'completed',
            last_backup: { name, at: backup.made_at },
          },
        ],
      },
      '/database/get_jobs': ({ running }: { running?: boolean }) => {
        const list = jobs.filter(({ state }) => running !== true || state === 'running');
        return { ...page, total: list.length, list };
      },
      '/database/backup': ({ tables }: { tables: string[] }) => {
        jobs = [jobOf('backup', 'done', tables), jobOf('repair', 'failed', tables)];
        return { job_id: jobs[0]!.job_id };
      },
      '/database/get_backups': { ...page, list: [backup] },
      '/database/get_backup': {
        ...backup,
        version: '0.1.0',
        contents: [{ name: 'readings', rows: 1_000_000, bytes: 5 }],
        restorable: true,
        message: null,
      },
      '/database/optimize': { job_id: '7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab' },
      '/database/restore': { job_id: '7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab' },
    },
  });
});
afterEach(cleanup);

test('shows the time of the last backup and the last drill, and that the last drill failed', async () => {
  showAt(<DatabasePage />);
  expect(await screen.findByText('The last restore drill failed: It is damaged')).toBeTruthy();
  expect(screen.getByText(/1 backup · 50 GB free/)).toBeTruthy();
  expect(await screen.findByText('90 partitions')).toBeTruthy();
});

test('an act names its table and sends the password with the call', async () => {
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  showAt(<DatabasePage />);
  await user.click(await screen.findByRole('button', { name: 'Optimise' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/statistics of: readings/)).toBeTruthy();
  await user.type(dialog.getByLabelText('Your password'), 'abc12345');
  await user.click(dialog.getByRole('button', { name: 'Optimise' }));
  await waitFor(() =>
    expect(stage.sent('/database/optimize')).toEqual([{ tables: ['readings'], password: 'abc12345' }]),
  );
});

test('a restore asks for the passphrase, the typed name and the password', async () => {
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  showAt(<DatabasePage />, '/x?tab=backups');
  await user.click(await screen.findByRole('button', { name: 'Restore' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(await dialog.findByLabelText('Passphrase'), 'correct horse');
  await user.type(dialog.getByLabelText('Type the name of the backup'), name);
  await user.type(dialog.getByLabelText('Your password'), 'abc12345');
  await user.click(dialog.getByRole('button', { name: 'Restore' }));
  await waitFor(() =>
    expect(stage.sent('/database/restore')).toEqual([
      { name, passphrase: 'correct horse', confirm: name, password: 'abc12345' },
    ]),
  );
});

test('a reader without the permission to act sees no buttons that act', async () => {
  useSession.setState(({ session }) => ({ session: session && { ...session, role: 100 } }));
  showAt(<DatabasePage />);
  expect(await screen.findByText(/You have read-only access/)).toBeTruthy();
  await screen.findByText('90 partitions');
  expect(screen.queryByRole('button', { name: 'Optimise' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Back up everything' })).toBeNull();
});

test('reports how a job that was started here ended, and nothing of jobs that had ended before', async () => {
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  showAt(<DatabasePage />);
  await user.click(await screen.findByRole('button', { name: 'Back up' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.type(dialog.getByLabelText('Your password'), 'abc12345');
  await user.click(dialog.getByRole('button', { name: 'Back up' }));
  expect(await screen.findByText('Backup successful')).toBeTruthy();
  expect(await screen.findByText('Repair: Operation failed! The disk is full')).toBeTruthy();
  expect(screen.queryByText('Optimise: Operation successful!')).toBeNull();
});
