import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MessageRow } from '#contract/messages.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Refusal, type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { NewsPage } from './NewsPage.tsx';
import { messages } from './words/en-US.ts';

const list = '/system_message/index';
const read = '/system_message/getRed';
const remove = '/system_message/del';
const row = (id: number, given: Partial<MessageRow> = {}): MessageRow => ({
  id,
  type: 'alarm',
  title: `Alarm: Leakage ${id}`,
  text: 'Bay Tower / Main board / Pump',
  time: '2026-11-21T08:00:00Z',
  read: false,
  project_id: 3,
  device_id: 5,
  alarm_id: 9,
  ...given,
});
let stage: Stage;
let rows: MessageRow[];
/** Instead of the numbers of unread messages. */
let types: Refusal | null;
const unread = () => rows.filter((each) => !each.read).length;
beforeEach(async () => {
  types = null;
  rows = [row(1), row(2, { read: true, type: 'urge', title: 'You are asked to act: Trip' })];
  stage = await setStage({
    words: { messages, common },
    permissions: ['message.read', 'message.write'],
    replies: {
      [list]: () => ({ list: rows, total: rows.length, page: 1, limit: 20 }),
      '/system_message/getMessageType': () =>
        types ?? {
          list: [{ type: 'alarm', name: 'Alarms', unread: unread(), total: rows.length }],
          unread: unread(),
        },
      '/system_message/detail': ({ id }: { id: number }) => rows.find((each) => each.id === id)!,
      [read]: ({ ids }: { ids?: number[] }) => {
        rows = rows.map((each) => (ids && !ids.includes(each.id) ? each : { ...each, read: true }));
        return { done: 1, unread: unread() };
      },
      [remove]: ({ ids }: { ids: number[] }) => {
        const before = rows.length;
        rows = rows.filter(({ id }) => !ids.includes(id));
        return { done: before - rows.length, unread: unread() };
      },
    },
  });
});
afterEach(cleanup);

test('opening a message marks it as read, leads to its alarm, and has an address', async () => {
  const address = showAt(<NewsPage />, '/home/news');
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  await screen.findByRole('tab', { name: /Alarms.*1/ });
  await user.click(await screen.findByRole('button', { name: 'Alarm: Leakage 1' }));
  const drawer = within(await screen.findByRole('dialog'));
  expect((await drawer.findByRole('link', { name: 'Show the alarm' })).getAttribute('href')).toBe(
    '/home/alarmList?alarm=9',
  );
  expect(address()).toBe('/home/news?message=1');
  await waitFor(() => expect(stage.sent(read)).toEqual([{ ids: [1] }]));
  await waitFor(() => expect(screen.queryByRole('tab', { name: /Alarms.*1/ })).toBeNull());
});

test('a new message is announced, and shown when the reader asks for it', async () => {
  showAt(<NewsPage />, '/home/news');
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  await screen.findByRole('tab', { name: /Alarms.*1/ });
  rows = [row(3), ...rows];
  stage.deliver('message', { unread: 2 });
  const announced = await screen.findByRole('button', { name: /1 new/ });
  expect(screen.queryByText('Alarm: Leakage 3')).toBeNull();
  await user.click(announced);
  await screen.findByText('Alarm: Leakage 3');
});

test('numbers of unread messages that could not be loaded are unknown, and all messages can still be marked as read', async () => {
  types = { refused: true, status: 500, code: 500, msg: 'Internal error', data: {} };
  showAt(<NewsPage />, '/home/news');
  const tabs = await screen.findAllByRole('tab', { name: /Number of unread messages not known/ });
  expect(tabs).toHaveLength(7);
  await screen.findByText('Alarm: Leakage 1');
  expect(screen.getByRole('status').textContent).toBe('Number of unread messages not known');
  const markAll = screen.getByRole('button', { name: 'Mark all as read' });
  expect(markAll.hasAttribute('disabled')).toBe(false);
});

test('all messages are marked as read only by a call that says so', async () => {
  showAt(<NewsPage />, '/home/news');
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  await screen.findByRole('tab', { name: /Alarms.*1/ });
  await user.click(screen.getByRole('button', { name: 'Mark all as read' }));
  await waitFor(() => expect(stage.sent(read)).toEqual([{ all: true }]));
});

test('deleting a message that is already gone is not a success', async () => {
  showAt(<NewsPage />, '/home/news');
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const line = within((await screen.findByText('You are asked to act: Trip')).closest('li')!);
  await user.click(line.getByRole('button', { name: 'Delete' }));
  const ask = within(await screen.findByRole('dialog'));
  rows = rows.filter(({ id }) => id !== 2);
  await user.click(ask.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(document.querySelector('.ant-message-info')).not.toBeNull());
  expect(document.querySelector('.ant-message-success')).toBeNull();
});

test('deleting asks first and takes the message out of the list', async () => {
  showAt(<NewsPage />, '/home/news');
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const line = within((await screen.findByText('You are asked to act: Trip')).closest('li')!);
  await user.click(line.getByRole('button', { name: 'Delete' }));
  const ask = within(await screen.findByRole('dialog'));
  expect(ask.getAllByText('Delete the message?').length).toBeGreaterThan(0);
  expect(stage.sent(remove)).toEqual([]);
  await user.click(ask.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(stage.sent(remove)).toEqual([{ ids: [2] }]));
  await waitFor(() => expect(screen.queryByText('You are asked to act: Trip')).toBeNull());
});
