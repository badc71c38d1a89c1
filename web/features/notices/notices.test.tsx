import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NoticeRow } from '#contract/notices.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Refusal, type Stage, setStage, showAt } from '#web/test-stage.tsx';
// Loaded before the page needs it, so that no waiting dialog appears.
import './NoticeForm.tsx';
import { NoticeListPage } from './NoticeListPage.tsx';
import { NoticePanel } from './NoticePanel.tsx';
import { notices } from './words/en-US.ts';

const add = '/device_warning/add_warning_timing';
const edit = '/device_warning/edit_warning_timing';
const change = '/device_warning/change_frame';
const row: NoticeRow = {
  id: 7,
  name: 'Night shift',
  channel: 'webhook',
  to_contacts: false,
  users: [],
  projects: [{ id: 3, name: 'Bay Tower' }],
  typeNumbers: [301],
  levels: [2],
  silence_minutes: 30,
  window_from: '22:00',
  window_to: '06:00',
  status: 'enabled',
  webhook_url: 'https://example.org/hook',
  has_secret: true,
  webhook_unreadable: false,
  owner: 'admin',
  updated_at: '2026-11-21T08:00:00Z',
};
let stage: Stage;
let answer: object;
beforeEach(async () => {
  answer = row;
  stage = await setStage({
    words: { notices, common },
    permissions: ['notice.read', 'notice.write'],
    replies: {
      '/device_warning/warning_timing_list': { list: [row], total: 1, page: 1, limit: 20 },
      '/project/options': { list: [{ project_id: 3, name: 'Bay Tower', parts: [] }] },
      [add]: () => answer,
      [edit]: () => answer,
      '/device_warning/estimate_warning_timing': ({ user_ids }: { user_ids: number[] }) => ({
        people: user_ids.length,
        alarms: 90,
      }),
      '/push/key': { key: 'k', subscriptions: 2, here: true, wechat: false },
      '/device_warning/bullet_frame': {
        enabled: true,
        levels: [],
        typeNumbers: [],
        sound: 'soft',
        seconds: 10,
      },
      [change]: (body: object) => body,
    },
  });
});
afterEach(cleanup);

const openForm = async (name: string) => {
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  await user.click(await screen.findByRole('button', { name }));
  const form = within(await screen.findByRole('dialog'));
  return { user, form };
};

test('a list row shows recipients, time window and silence period, across midnight too', async () => {
  showAt(<NoticeListPage />);
  const line = within((await screen.findByRole('button', { name: 'Night shift' })).closest('li')!);
  expect(line.getByText('https://example.org/hook')).toBeTruthy();
  expect(line.getByText('next day')).toBeTruthy();
  expect(line.getByText('silent 30 minutes')).toBeTruthy();
});

test('a new rule has no recipients, and shows whom it will reach and how often', async () => {
  showAt(<NoticeListPage />);
  const { form, user } = await openForm('plus Add a rule');
  await form.findByText('Notifies 0 people.');
  expect(form.getByText(/90 alarms matched: 3.0 a day/)).toBeTruthy();
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(stage.sent(add)[0]).toMatchObject({ to_contacts: false, user_ids: [], project_ids: [] }),
  );
});

test('a webhook without an address is not sent, and the field says so', async () => {
  showAt(<NoticeListPage />);
  const { user, form } = await openForm('plus Add a rule');
  await user.click(form.getByRole('radio', { name: 'Webhook' }));
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(form.getByLabelText('Address').getAttribute('aria-invalid')).toBe('true'));
  expect(stage.sent(add)).toEqual([]);
});

test('typed values stay when the server refuses, with its reason at the field', async () => {
  answer = {
    refused: true,
    status: 422,
    code: 422,
    msg: 'Some fields are wrong',
    data: { webhook_url: 'This address is in a private network' },
  } satisfies Refusal;
  showAt(<NoticeListPage />);
  const { user, form } = await openForm('plus Add a rule');
  await user.type(form.getByLabelText('Name'), 'Control room');
  await user.click(form.getByRole('radio', { name: 'Webhook' }));
  await user.type(await form.findByLabelText('Address'), 'http://10.0.0.1/x');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await form.findByText('This address is in a private network');
  expect(form.getByLabelText<HTMLInputElement>('Name').value).toBe('Control room');
  expect(stage.sent(add)).toHaveLength(1);
});

test('editing keeps the signing key unless a new one is given', async () => {
  showAt(<NoticeListPage />);
  const { user, form } = await openForm('Night shift');
  await form.findByText('A key is set. Leave this empty to keep it.');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(stage.sent(edit)).toHaveLength(1));
  expect(stage.sent(edit)[0]).toMatchObject({
    id: 7,
    channel: 'webhook',
    project_ids: [3],
    typeNumbers: [301],
    window_from: '22:00',
    window_to: '06:00',
  });
  expect(stage.sent(edit)[0]).not.toHaveProperty('webhook_secret');
});

test('in a project’s view a new rule is of that project, and the project filter is hidden', async () => {
  showAt(<NoticeListPage project={{ id: 3, name: 'Bay Tower' }} />);
  await screen.findByRole('heading', { name: 'Bay Tower · Notification rules' });
  expect(screen.queryByLabelText('Project')).toBeNull();
  const { form } = await openForm('plus Add a rule');
  await form.findByText('Bay Tower');
});

test('the panel explains why this browser cannot receive notifications, and saves each pop-up setting at once', async () => {
  showAt(<NoticePanel />);
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  await screen.findByText(/Not possible over plain http/);
  await screen.findByText('2 of your devices receive notifications.');
  await user.click(await screen.findByRole('radio', { name: 'Loud' }));
  await user.click(screen.getByRole('checkbox', { name: 'Early warning' }));
  await waitFor(() =>
    expect(stage.sent(change)).toEqual([
      expect.objectContaining({ sound: 'loud', levels: [] }),
      expect.objectContaining({ sound: 'loud', levels: [1] }),
    ]),
  );
});
