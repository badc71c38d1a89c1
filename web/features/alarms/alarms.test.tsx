import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlarmRow } from '#contract/alarms.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { AlarmDrawer } from './AlarmDrawer.tsx';
import { AlarmListPage } from './AlarmListPage.tsx';
import { alarms } from './words/en-US.ts';

const list = '/device_warning/WarningList';
const log = '/device_warning/event_list';
const handle = '/device_warning/handle';
const batch = '/device_warning/batchHandle';
const row = (id: number, given: Partial<AlarmRow> = {}) => ({
  id,
  work_order: `W${id}`,
  device_id: 5,
  device_number: 'AW000005',
  line_id: 6,
  line_name: 'Pump',
  project_id: 3,
  project_name: 'Bay Tower',
  address: '',
  time: '2026-11-21T08:00:00Z',
  typeNumber: 301,
  level: 2,
  severity: 1,
  status: 'unprocessed',
  active: true,
  reset_needed: false,
  urged: 0,
  count: 3,
  value: 46,
  threshold: 30,
  value_type: 1,
  phase: null,
  processing_content: null,
  ...given,
});
let stage: Stage;
beforeEach(async () => {
  stage = await setStage({
    words: { alarms, common },
    permissions: ['alarm.read', 'alarm.handle', 'alarm.urge'],
    replies: {
      [list]: { list: [row(1), row(2, { typeNumber: 201, count: 1 })], total: 2, page: 1, limit: 20 },
      '/device_warning/warin_census': {
        unprocessed: 2,
        active: 2,
        alarms: 2,
        early_warnings: 0,
        processed: 0,
        handling_rate: null,
      },
      '/project/options': { list: [] },
      [handle]: { results: [{ id: 1, result: 'done' }], done: 1, skipped: 0, denied: 0 },
      [batch]: {
        results: [
          { id: 1, result: 'done' },
          { id: 2, result: 'skipped', reason: 'processed' },
        ],
        done: 1,
        skipped: 1,
        denied: 0,
      },
    },
  });
});
afterEach(cleanup);
const setUp = () => userEvent.setup({ delay: null, pointerEventsCheck: 0 });

test('handling asks what was done, and names the alarm', async () => {
  showAt(<AlarmListPage />, '/home/alarmList');
  const user = setUp();
  await user.click((await screen.findAllByRole('button', { name: 'Handle' }))[0]!);
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/Bay Tower · AW000005 · Pump/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Handle' }));
  await dialog.findByText('Describe what was done in 2 to 500 characters');
  expect(stage.sent(handle)).toEqual([]);
  await user.click(dialog.getByRole('button', { name: /Planned test/ }));
  await user.click(dialog.getByRole('button', { name: 'Handle' }));
  await waitFor(() => expect(stage.sent(handle)).toEqual([{ id: 1, content: 'Planned test' }]));
});

test('all matching alarms are handled by filter and number, and each alarm that was not handled is listed with its reason', async () => {
  showAt(<AlarmListPage />, '/home/alarmList?status=unprocessed&project_id=3');
  const user = setUp();
  await user.click(await screen.findByRole('button', { name: /^Filters/ }));
  await user.click(await screen.findByRole('button', { name: 'Handle all 2 unprocessed' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Handle 2 alarms' }));
  await user.click(dialog.getByRole('button', { name: /False alarm/ }));
  await user.click(dialog.getByRole('button', { name: 'Handle' }));
  await waitFor(() =>
    expect(stage.sent(batch)).toEqual([
      { filter: { status: 'unprocessed', project_id: 3 }, expected: 2, content: 'False alarm' },
    ]),
  );
  await screen.findByText(/already processed/);
  expect(screen.getAllByText(/W2/).length).toBeGreaterThan(0);
});

test('on a phone the number of alarms is unknown when their list could not be loaded, and they cannot be handled by it', async () => {
  const refused = { refused: true, status: 500, code: 500, msg: 'Internal error', data: {} };
  await setStage({
    words: { alarms, common },
    permissions: ['alarm.read', 'alarm.handle'],
    replies: {
      ...{ [list]: refused, '/device_warning/warin_census': refused },
      '/project/options': { list: [] },
    },
  });
  showAt(<AlarmListPage />, '/home/alarmList?status=unprocessed');
  const user = setUp();
  await screen.findByRole('button', { name: common.fault.retry });
  expect(document.querySelector('.alarm-head-note')?.textContent).toContain('—');
  const counter = screen.getByRole('button', { name: /unprocessed$/ });
  expect(counter.textContent).toBe('—unprocessed');
  await user.click(screen.getByRole('button', { name: /^Filters/ }));
  const sheet = within(await screen.findByRole('dialog'));
  sheet.getByRole('button', { name: alarms.showTheseUnknown });
  const all = sheet.getByRole('button', { name: alarms.handleAllUnknown });
  expect(all.hasAttribute('disabled')).toBe(true);
  const reason = document.getElementById(all.getAttribute('aria-describedby') ?? '');
  expect(reason?.textContent).toBe(alarms.numberUnknown);
});

test('in a project’s view every call is limited to the project, also after the filters are cleared', async () => {
  const address = showAt(
    <AlarmListPage project={{ id: 3, name: 'Bay Tower' }} />,
    '/home/configinfo/earlywarning?project_id=3&level=1',
  );
  const user = setUp();
  await screen.findByRole('heading', { name: 'Bay Tower · Alarms' });
  await waitFor(() => expect(stage.sent(list)).toHaveLength(1));
  expect(stage.sent(list)[0]).toMatchObject({ project_id: 3, level: '1' });
  expect(screen.queryByRole('link', { name: 'Bay Tower' })).toBeNull();
  await user.click(await screen.findByRole('button', { name: /^Filters/ }));
  await user.click(
    within(await screen.findByRole('dialog'))
      .getAllByRole('button', { name: 'Clear' })
      .at(-1)!,
  );
  await waitFor(() => expect(address()).toBe('/home/configinfo/earlywarning?project_id=3'));
});

test('a burst of new alarms is counted, and they are fetched only on request', async () => {
  showAt(<AlarmListPage />, '/home/alarmList');
  const user = setUp();
  await screen.findAllByText('Leakage (residual current)');
  for (let id = 100; id < 150; id += 1)
    stage.deliver('alarm', {
      id,
      kind: 'raised',
      device_id: 5,
      line_id: 6,
      project_id: 3,
      typeNumber: 301,
      level: 2,
      severity: 1,
      quiet: false,
    });
  const announced = await screen.findByRole('button', { name: /^50 new/ });
  expect(stage.sent(list)).toHaveLength(1);
  await user.click(announced);
  await waitFor(() => expect(stage.sent(list)).toHaveLength(2));
});

const event = (given: object) => ({
  device_id: 5,
  device_number: 'AW000005',
  project_id: 3,
  project_name: 'Bay Tower',
  part_name: '',
  line_id: 6,
  line_n: 1,
  line_name: 'Pump',
  time: '2026-11-21T08:00:00.000Z',
  ended_time: '2026-11-21T08:00:01.400Z',
  level: 1,
  typeNumber: 804,
  phase: '',
  value_type: 10,
  value: null,
  threshold: null,
  reason: 'short',
  alarm_id: 77,
  ...given,
});
test('the log shows occurrences without an alarm to handle, with the reason, and does not load the list', async () => {
  stage = await setStage({
    words: { alarms, common },
    permissions: ['alarm.read', 'alarm.handle'],
    replies: {
      [log]: {
        list: [event({}), event({ typeNumber: 502, reason: 'off', alarm_id: null, ended_time: null })],
        total: 2,
        more: false,
        page: 1,
        limit: 20,
      },
      '/project/options': { list: [] },
      '/device_warning/getDetatil': { refused: true, status: 404, code: 404, msg: 'gone', data: {} },
    },
  });
  const address = showAt(
    <AlarmListPage />,
    '/home/alarmList?group=log&status=unprocessed&active=true&level=1',
  );
  const user = setUp();
  await screen.findAllByText('shorter than two seconds');
  expect(screen.getAllByText('1.4 s').length).toBeGreaterThan(0);
  expect(screen.getAllByText('type disabled').length).toBeGreaterThan(0);
  expect(stage.sent(log)).toEqual([{ level: '1', page: 1, limit: 50 }]);
  expect(stage.sent(list)).toEqual([]);
  expect(screen.queryByRole('button', { name: /Handle all/ })).toBeNull();
  expect(screen.queryByRole('button', { name: /Parallel arc/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: /internal fault/ }));
  await waitFor(() => expect(address()).toContain('alarm=77'));
});

test('an alarm is shelved for a time with a reason, and unshelved from the list of shelved alarms', async () => {
  const aside = { until: '2099-01-01T00:00:00.000Z', reason: 'contractor on site', operator: 'Li Wei' };
  stage = await setStage({
    words: { alarms, common },
    permissions: ['alarm.read', 'alarm.handle'],
    replies: {
      [list]: ({ shelved }: { shelved?: string }) => ({
        list: shelved === 'true' ? [row(1, { shelved: aside })] : [row(2)],
        total: 1,
        page: 1,
        limit: 20,
      }),
      '/device_warning/warin_census': {
        unprocessed: 1,
        active: 1,
        alarms: 1,
        early_warnings: 0,
        processed: 0,
        shelved: 1,
        handling_rate: null,
      },
      '/project/options': { list: [] },
      '/device_warning/shelve': { results: [{ id: 2, result: 'done' }], done: 1, skipped: 0, denied: 0 },
      '/device_warning/unshelve': { results: [{ id: 1, result: 'done' }], done: 1, skipped: 0, denied: 0 },
    },
  });
  const address = showAt(<AlarmListPage />, '/home/alarmList');
  const user = setUp();
  await user.click(await screen.findByRole('button', { name: 'Shelve' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('1 h')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Shelve' }));
  await dialog.findByText('Enter a reason of 2 to 200 characters for shelving');
  await user.type(dialog.getByLabelText('Why'), 'contractor on site');
  await user.click(dialog.getByRole('button', { name: 'Shelve' }));
  await waitFor(() =>
    expect(stage.sent('/device_warning/shelve')).toEqual([
      { ids: [2], minutes: 60, reason: 'contractor on site' },
    ]),
  );
  await user.click(await screen.findByRole('button', { name: /shelved$/ }));
  await waitFor(() => expect(address()).toContain('shelved=true'));
  await screen.findByText(/shelved until/);
  await user.click(await screen.findByRole('button', { name: 'Unshelve' }));
  await waitFor(() => expect(stage.sent('/device_warning/unshelve')).toEqual([{ ids: [1] }]));
});

const order = (id: number) => ({ id, work_order: `W${id}` });
const detail = {
  ...row(1, { typeNumber: 805, value: null, threshold: null, channel: 'T.l', value_type: 10 }),
  follows: order(31),
  followed_by: order(32),
  shelved: null,
  source: 'server',
  received_at: '2026-11-21T08:00:01Z',
  cleared_time: null,
  device_type: 5,
  phase: '',
  peak: null,
  late: false,
  line_state: null,
  around: { channel: null, unit: '', at: [], values: [], bucket_s: null, comparable: false },
  limits: { early: null, alarm: null },
  earlier: [
    {
      ...order(30),
      level: 2,
      time: '2026-11-20T08:00:00Z',
      cleared_time: null,
      processing_content: 'fuse replaced',
      processed_by: 'Li Wei',
    },
  ],
  contacts: [],
  commands: [],
  deliveries: [],
  consequences: [],
  history: [],
};
/** Shows the alarm; returns the ids of the alarms that the drawer wants to show. */
const showDrawer = async (given: object = {}): Promise<number[]> => {
  stage = await setStage({
    words: { alarms, common },
    permissions: ['alarm.read'],
    replies: { '/device_warning/getDetatil': { ...detail, ...given } },
  });
  const asked: number[] = [];
  showAt(
    <AlarmDrawer
      id={1}
      ids={[]}
      onShow={(id) => id && asked.push(id)}
      onHandle={() => {}}
      onUrge={() => {}}
      onShelve={() => {}}
    />,
  );
  return asked;
};

test('the drawer names the sensor, and links to the previous and next work order', async () => {
  const asked = await showDrawer();
  const user = setUp();
  await screen.findByText('Temperature (cable)');
  await screen.findByText('This alarm type is not based on readings.');
  await screen.findByText('Continues work order');
  await user.click(screen.getByRole('button', { name: 'W31' }));
  await screen.findByText('Continued in work order');
  await user.click(screen.getByRole('button', { name: 'W32' }));
  await screen.findByText(/fuse replaced/);
  expect(asked).toEqual([31, 32]);
});

test.each([
  ['cleared', { by: 'removed' }, 'the device was removed'],
  ['cleared', { by: 'limits' }, 'the threshold was changed or switched off'],
  ['cleared', { by: 'device' }, 'reported by the device'],
  ['cleared', {}, 'judged by the server'],
  ['reset', {}, 'reset'],
  ['followed', {}, 'changed after it was handled: continued in a new work order'],
])('the drawer says what ended an alarm: %s %o', async (kind, data, said) => {
  const at = '2026-11-21T09:00:00Z';
  const raised = { at: '2026-11-21T08:00:00Z', kind: 'raised', operator: null, data: {} };
  const handled = { at: '2026-11-21T10:00:00Z', kind: 'handled', operator: 'Li Wei', data: {} };
  await showDrawer({
    active: false,
    cleared_time: at,
    history: [raised, { at, kind, operator: null, data }, handled],
  });
  const fact = (await screen.findByText('Cleared')).nextElementSibling;
  expect(fact?.textContent).toContain(said);
});
test('the drawer dims a line state older than twice the upload interval, and follows the line', async () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const line_state = {
    ...{ state: 'closed', observed_at: ago(130_000), stale: false, interval_seconds: 60 },
    ...{ values_at: ago(1000), values_stale: false, trip: 0, values: {} },
  };
  await showDrawer({ line_state });
  const closed = await screen.findByText('closed');
  expect(closed.className).toContain('is-stale');
  await screen.findByText('2 min ago');
  const move = { device_id: 5, line_id: 6, state: 'open' as const, switched_by: 'cmd' as const };
  stage.deliver('line_state', { ...move, line_id: 7, observed_at: ago(0) });
  expect(screen.queryByText('open')).toBeNull();
  stage.deliver('line_state', { ...move, observed_at: ago(0) });
  expect((await screen.findByText('open')).className).not.toContain('is-stale');
});
