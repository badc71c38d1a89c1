/** A refresh that failed stays visible until one succeeds: what live events say is no answer of the server. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { alarmEndpoints } from '#contract/alarms.ts';
import { controlEndpoints } from '#contract/control.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { AlarmDrawer } from '#web/features/alarms/AlarmDrawer.tsx';
import { AlarmListPage } from '#web/features/alarms/AlarmListPage.tsx';
import { alarms } from '#web/features/alarms/words/en-US.ts';
import { DeviceFrame } from '#web/features/devices/DeviceFrame.tsx';
import { DeviceListPage } from '#web/features/devices/DeviceListPage.tsx';
import { devices } from '#web/features/devices/words/en-US.ts';
import { LinesPanel } from '#web/features/lines/LinesPanel.tsx';
import { lines } from '#web/features/lines/words/en-US.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';

afterEach(cleanup);

const ago = (seconds: number) => new Date(Date.now() - 1000 * seconds).toISOString();
const randomId = '8a5d4f9e-2f43-4b5c-9a35-0c3c1c7d1a11';
const refused = { refused: true, status: 500, code: 500, msg: 'Not available', data: {} };
const words = { alarms, common, devices, lines };
/** Replies of which those that are fetched again are refused from the second call on, until the server is back. */
const once = (reply: object) => {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 || server.isBack ? reply : refused;
  };
};
const server = { isBack: false };
/** Live events follow a failed refresh: the screen shows them, and still says that the refresh failed. */
const staysFailed = async (live: () => void, shown: () => Promise<unknown>) => {
  await screen.findByText(/^As of .*could not be refreshed/);
  live();
  await shown();
  screen.getByText(/^As of .*could not be refreshed/);
  server.isBack = true;
  await userEvent.click(screen.getByRole('button', { name: common.fault.retry }));
  await waitFor(() => expect(screen.queryByText(/could not be refreshed/)).toBeNull());
  server.isBack = false;
};

const row = {
  ...{ id: 1, work_order: 'W1', device_id: 5, device_number: 'AW000005', line_id: 6, line_name: 'Pump' },
  ...{ project_id: 3, project_name: 'Bay Tower', address: '', time: ago(500), typeNumber: 301, level: 2 },
  ...{ severity: 1, status: 'unprocessed', active: true, reset_needed: false, urged: 0, count: 3 },
  ...{ value: 46, threshold: 30, value_type: 1, phase: null, processing_content: null },
};
const line = {
  ...{ line_id: 6, device_id: 5, n: 1, name: 'Pump', alias: '', model: '', critical: false },
  ...{ switchable: true, state: 'closed', observed_at: ago(90), stale: false, switched_at: null },
  ...{ switched_by: null, pending: null, commanded: null, commanded_at: null, commanded_by: null },
  ...{ acknowledged: null, acknowledged_at: null, values_at: ago(90), values_stale: false, trip: 0 },
  ...{ lock: 0, tags: [], alarms: [], temperatures: {}, voltage: 230, current: 1, power: 230, leakage: 1 },
  ...{ energy: 5, values: {}, poles: 1, revision: 1, rated_current: 16, proposed_rated_current: null },
  ...{ thresholds: {}, limits: {} },
};
const detail = {
  ...row,
  ...{
    channel: '',
    follows: null,
    followed_by: null,
    shelved: null,
    source: 'server',
    received_at: ago(499),
  },
  ...{ cleared_time: null, device_type: 3, phase: '', peak: null, late: false, earlier: [], contacts: [] },
  ...{ around: { channel: null, unit: '', at: [], values: [], bucket_s: null, comparable: false } },
  ...{ limits: { early: null, alarm: null }, commands: [], deliveries: [], consequences: [], history: [] },
  line_state: {
    ...{ state: 'closed', observed_at: ago(90), stale: false, values: {}, trip: 0, interval_seconds: 60 },
    ...{ values_at: ago(90), values_stale: false },
  },
};
const alarm = { id: 1, device_id: 5, line_id: 6, project_id: 3, typeNumber: 301, level: 2, severity: 1 };
const reading = {
  ...{ device_id: 5, line_id: 6, state: 'closed' as const, trip: 0, lock: 0, energy: 6, voltage: 231 },
  ...{ current: 7, power: 1617, leakage: 1, values: {} },
};
const deviceRow = {
  ...{ device_id: 5, number: 'AW000005', name: 'Board', type: 3, status: 'offline', last_seen: ago(9_000) },
  ...{ lines: 1, lines_open: 0, lines_closed: 1, lines_unknown: 0, lines_last_closed: 0, alarms: 0 },
  ...{ position_at: null, worst: null, project_id: 3, project_name: 'Bay Tower', signal: null, bound: true },
};

const seen = (text: string | RegExp) => () => waitFor(() => expect(document.body.textContent).toMatch(text));
const hands = { onShow: () => {}, onHandle: () => {}, onUrge: () => {}, onShelve: () => {} };
const board = {
  ...{ device_id: 5, name: 'Board', number: 'AW000005', status: 'online' as const },
  ...{ interval_seconds: 60, project_id: 3 },
};
const parts = { lines: () => null } as never;

const screens: Record<
  string,
  {
    part: ReactNode;
    path: string;
    first: string;
    fail: (stage: Stage) => void;
    live: (stage: Stage) => void;
    after: string | RegExp;
  }
> = {
  'the lines of a device': {
    part: <LinesPanel device={board} tags={() => null} />,
    path: lineEndpoints.list.path,
    first: '5.0kWh',
    fail: (stage) => stage.deliver('alarm', { ...alarm, kind: 'raised', quiet: false }),
    live: (stage) => {
      const moved = { device_id: 5, line_id: 6, state: 'open', switched_by: 'manual' } as const;
      stage.deliver('line_state', { ...moved, observed_at: ago(2) });
      stage.deliver('reading', { ...reading, at: ago(1) });
    },
    after: '6.0kWh',
  },
  'the list of devices': {
    part: <DeviceListPage />,
    path: deviceEndpoints.list.path,
    first: 'Board',
    fail: (stage) => stage.deliver('job', { job_id: randomId, total: 1, succeeded: 1, done: true }),
    live: (stage) => stage.deliver('device_state', { device_id: 5, online: true, at: ago(1) }),
    after: common.online,
  },
  'a device': {
    part: <DeviceFrame parts={parts} />,
    path: deviceEndpoints.detail.path,
    first: 'Board',
    fail: (stage) => stage.deliver('device_state', { device_id: 5, online: false, at: ago(9_000) }),
    live: (stage) => stage.deliver('reading', { ...reading, at: ago(1) }),
    after: /\d s ago|just now/,
  },
  'the line of an alarm': {
    part: <AlarmDrawer id={1} ids={[]} {...hands} />,
    path: alarmEndpoints.detail.path,
    first: common.position.closed,
    fail: (stage) => stage.deliver('alarm_update', { ...alarm, kind: 'urged', quiet: false }),
    live: (stage) => stage.deliver('reading', { ...reading, state: 'open', at: ago(1) }),
    after: common.position.open,
  },
};
const replies: Record<string, object> = {
  [lineEndpoints.list.path]: { list: [line] },
  [deviceEndpoints.list.path]: { list: [deviceRow], total: 1, page: 1, limit: 20 },
  [deviceEndpoints.detail.path]: { ...deviceRow, interval_seconds: 60 },
  [alarmEndpoints.detail.path]: detail,
};

test.each(Object.entries(screens))('%s', async (_name, { part: shown, path, first, fail, live, after }) => {
  const stage = await setStage({
    words,
    permissions: ['alarm.read', 'device.read'],
    replies: {
      ...replies,
      [lineEndpoints.sparks.path]: { lines: [] },
      [lineEndpoints.nominalVoltage.path]: { ...refused },
      [controlEndpoints.possible.path]: { online: true, actions: [] },
      [projectEndpoints.options.path]: { list: [] },
      '/category/options': { list: [] },
      [path]: once(replies[path]!),
    },
  });
  showAt(shown, '/home/place?device_id=5');
  await seen(first)();
  fail(stage);
  await staysFailed(() => live(stage), seen(after));
});

test('the list of alarms, of which changed rows are fetched one by one', async () => {
  const list = { list: [row], total: 1, page: 1, limit: 20 };
  const stage = await setStage({
    words,
    permissions: ['alarm.read'],
    replies: {
      [alarmEndpoints.list.path]: once(list),
      [alarmEndpoints.detail.path]: { ...row, device_number: 'AW000007' },
      [alarmEndpoints.census.path]: { ...refused },
      [projectEndpoints.options.path]: { list: [] },
    },
  });
  showAt(<AlarmListPage />, '/home/alarmList');
  await seen('AW000005')();
  stage.deliver('alarm', { ...alarm, id: 2, kind: 'raised', quiet: false });
  await userEvent.click(await screen.findByRole('button', { name: /^1 new/ }));
  const live = () => stage.deliver('alarm_update', { ...alarm, kind: 'repeated', quiet: false });
  await staysFailed(live, seen('AW000007'));
});
