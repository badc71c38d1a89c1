import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AlarmRow } from '#contract/alarms.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Refusal, type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { AlarmListPage } from '../AlarmListPage.tsx';
import { alarms } from '../words/en-US.ts';

const list = '/device_warning/WarningList';
const handle = '/device_warning/handle';
const detail = '/device_warning/getDetatil';
const row = (id: number, given: Partial<AlarmRow> = {}) => ({
  id,
  work_order: `W${id}`,
  device_id: 5,
  device_number: 'AW000005',
  line_id: 6,
  line_name: 'Pump',
  project_id: 3,
  project_name: 'Bay Tower',
  time: '2026-11-21T08:00:00Z',
  typeNumber: 301,
  level: 2,
  severity: 1,
  status: 'unprocessed',
  active: true,
  reset_needed: false,
  urged: 0,
  count: 1,
  explains: 0,
  value: 46,
  threshold: 30,
  value_type: 1,
  phase: '',
  shelved: null,
  ...given,
});
const rows = [row(1), row(2, { typeNumber: 201 }), row(3, { typeNumber: 403, severity: 3, level: 1 })];
let stage: Stage;
let listed: typeof rows;
/** Instead of the list. */
let refusal: Refusal | null;
let later: Record<number, Partial<AlarmRow>>;
beforeEach(async () => {
  later = {};
  refusal = null;
  listed = rows;
  const media = window.matchMedia;
  // Wide enough for the queue.
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({
    ...media(query),
    matches: query.includes('min-width'),
  }));
  stage = await setStage({
    words: { alarms, common },
    permissions: ['alarm.read', 'alarm.handle', 'alarm.urge'],
    replies: {
      [list]: () => refusal ?? { list: listed, total: listed.length, page: 1, limit: 50 },
      '/device_warning/warin_census': {
        unprocessed: 3,
        active: 3,
        alarms: 2,
        early_warnings: 1,
        processed: 0,
      },
      '/project/options': { list: [] },
      [detail]: ({ id }: { id: number }) =>
        later[id]
          ? { ...row(id), ...later[id] }
          : { refused: true, status: 404, code: 404, msg: 'gone', data: {} },
      [handle]: ({ id }: { id: number }) => {
        later[id] = { status: 'processed', processing_content: 'x' };
        return { results: [{ id, result: 'done' }], done: 1, skipped: 0, denied: 0 };
      },
    },
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});
const orders = () =>
  screen.getAllByRole('checkbox', { name: /^Select row/ }).map((box) => box.getAttribute('aria-label'));
const focused = () => document.activeElement?.textContent;

test('j and k move, Enter shows with an address, Esc leaves, and the focus returns', async () => {
  const address = showAt(<AlarmListPage />, '/home/alarmList');
  const user = userEvent.setup({ delay: null });
  await screen.findByRole('button', { name: /Leakage/ });
  await user.keyboard('j');
  expect(focused()).toMatch(/Overcurrent/);
  await user.keyboard('j');
  await user.keyboard('k');
  expect(focused()).toMatch(/Overcurrent/);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(address()).toContain('alarm=2'));
  await user.keyboard('j');
  await waitFor(() => expect(address()).toContain('alarm=3'));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(address()).not.toContain('alarm='));
  expect(document.activeElement?.id).toBe('queue-alarm-3');
});

test('all alarms cannot be handled while their number is not known, which is said as text', async () => {
  showAt(<AlarmListPage />, '/home/alarmList?status=unprocessed');
  const user = userEvent.setup({ delay: null });
  const known = await screen.findByRole('button', { name: 'Handle all 3 unprocessed' });
  expect(known.hasAttribute('disabled')).toBe(false);
  refusal = { refused: true, status: 500, code: 500, msg: 'Internal error', data: {} };
  await user.click(screen.getByRole('button', { name: common.table.refresh }));
  const unknown = await screen.findByRole('button', { name: alarms.handleAllUnknown });
  expect(unknown.hasAttribute('disabled')).toBe(true);
  const reason = document.getElementById(unknown.getAttribute('aria-describedby') ?? '');
  expect(reason?.textContent).toBe(alarms.numberUnknown);
  expect(screen.queryByText(/1–3/)).toBeNull();
});

test('rows come with the frames, the list is busy until all are there, and keys reach one that is not', async () => {
  const frames: FrameRequestCallback[] = [];
  vi.spyOn(window, 'requestAnimationFrame').mockImplementation((draw) => frames.push(draw));
  listed = Array.from({ length: 30 }, (_, at) => row(at + 1));
  showAt(<AlarmListPage />, '/home/alarmList');
  await screen.findAllByRole('button', { name: /Leakage/ });
  const busy = () => screen.getByRole('region', { name: alarms.title }).getAttribute('aria-busy');
  const room = () => screen.getByRole('table', { name: alarms.title }).style.marginBlockEnd;
  expect([orders().length, busy(), room()]).toEqual([10, 'true', 'calc(20 * var(--queue-row))']);
  for (let press = 0; press < 12; press += 1) fireEvent.keyDown(document.body, { key: 'j' });
  expect(document.activeElement?.id).toBe('queue-alarm-13');
  expect(orders()).toHaveLength(13);
  await waitFor(() => {
    for (const draw of frames.splice(0)) act(() => draw(0));
    expect(orders()).toHaveLength(30);
  });
  await waitFor(() => expect([busy(), room()]).toEqual(['false', 'calc(0 * var(--queue-row))']));
  expect(document.activeElement?.id).toBe('queue-alarm-13');
});

test('x selects, h opens handling, a digit inserts a text and Enter handles; the row does not move', async () => {
  showAt(<AlarmListPage />, '/home/alarmList');
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  await screen.findByRole('button', { name: /Leakage/ });
  const before = orders();
  await user.keyboard('x');
  await screen.findByText('1 selected');
  await user.keyboard('x');
  await user.keyboard('h');
  const dialog = within(await screen.findByRole('dialog'));
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Checked on site'));
  await user.keyboard('2');
  await waitFor(() =>
    expect(dialog.getByLabelText<HTMLTextAreaElement>('What was done').value).toBe(
      'Cause found and repaired',
    ),
  );
  await user.keyboard('{Enter}');
  await waitFor(() => expect(stage.sent(handle)).toEqual([{ id: 1, content: 'Cause found and repaired' }]));
  await waitFor(() => expect(document.querySelector('.queue-row.is-done')).not.toBeNull());
  expect(orders()).toEqual(before);
  expect(stage.sent(list)).toHaveLength(1);
});

test('the address of the most severe alarm shows the first row', async () => {
  const address = showAt(<AlarmListPage />, '/home/alarmList?status=unprocessed&show=first');
  await waitFor(() => expect(address()).toContain('alarm=1'));
  expect(address()).not.toContain('show=');
});

test('the head of a group shows the severity of what is to be handled, and none once all are handled', async () => {
  listed = rows.map((one) => ({ ...one, status: one.id === 3 ? 'unprocessed' : 'processed' }));
  showAt(<AlarmListPage />, '/home/alarmList?group=storm');
  const head = async () => (await screen.findByRole('button', { name: /Bay Tower/ })).closest('tr')!;
  expect(within(await head()).getByText(common.severity[3])).toBeTruthy();
  cleanup();
  listed = rows.map((one) => ({ ...one, status: 'processed' }));
  showAt(<AlarmListPage />, '/home/alarmList?group=storm');
  const handled = await head();
  expect(within(handled).getByText(alarms.status.processed)).toBeTruthy();
  for (const name of Object.values(common.severity)) expect(within(handled).queryByText(name)).toBeNull();
});

test('an event is collapsed, handled as a whole, and named after its first alarm', async () => {
  showAt(<AlarmListPage />, '/home/alarmList?group=storm');
  const head = await screen.findByRole('button', { name: /Bay Tower/, expanded: true });
  expect(screen.getAllByText('first')).toHaveLength(1);
  await userEvent.setup({ delay: null }).click(screen.getByRole('button', { name: 'Handle 3' }));
  await screen.findByText('Handle 3 alarms');
  fireEvent.click(head);
  await waitFor(() => expect(screen.queryAllByRole('checkbox', { name: /^Select row/ })).toHaveLength(0));
});
