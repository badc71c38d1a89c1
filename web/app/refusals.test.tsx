/** Where an act is refused by the screen, its reason stands there as text, and a screen reader reads it with the button. */
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { controlEndpoints } from '#contract/control.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { timerEndpoints } from '#contract/timers.ts';
import { useLink } from '#web/api/link-state.ts';
import { useReload } from '#web/api/query.ts';
import { ControlTab } from '#web/features/control/ControlTab.tsx';
import { control } from '#web/features/control/words/en-US.ts';
import { ApplyDialog } from '#web/features/device-settings/ApplyDialog.tsx';
import { SendDialog } from '#web/features/device-settings/SendDialog.tsx';
import type { Change } from '#web/features/device-settings/setting-edits.ts';
import { deviceSettings } from '#web/features/device-settings/words/en-US.ts';
import { TimerDrawer } from '#web/features/timers/TimerDrawer.tsx';
import type { Timer } from '#web/features/timers/timers.query.ts';
import { timers } from '#web/features/timers/words/en-US.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';

afterEach(() => {
  cleanup();
  useLink.setState({ state: 'connecting' });
});

const nothing = () => undefined;
const device = { device_id: 7, number: 'AW000007', name: 'Board', type: 3, project_id: 3 };
const changes = [
  { setting: { key: 'led', n: 0, name: 'LED', role: 'value' }, before: 0, after: 1 },
] as unknown as Change[];
const timer = {
  ...{ timer_id: 5, device_id: 7, device_number: 'AW000007', device_name: 'Board', n: 1, line_id: 70 },
  ...{ project_id: 3, project_name: 'Bay Tower', line_name: 'Pump', type: 'weekly', date: null },
  ...{ w1: true, w2: true, w3: true, w4: true, w5: true, w6: false, w7: false, time: '22:00' },
  ...{ action: 'open', enabled: true, done: false, run_by: 'server', sync: null, sync_message: null },
  ...{ next_at: null, time_zone: 'Asia/Shanghai', author: 'admin', last_run: null, tags: [], revision: 1 },
} as unknown as Timer;
const possible = {
  ...{ online: true, fresh: true, net_ctrl: true, password_needed: false },
  actions: [
    { action: 'silence', line_id: null, allowed: true, confirm_name: null, reason: null, message: null },
  ],
};
const page = { page: 1, limit: 20 };
const replies: Record<string, object> = {
  [controlEndpoints.possible.path]: possible,
  [lineEndpoints.list.path]: { list: [] },
  [deviceEndpoints.list.path]: { list: [{ ...device, status: 'online' }], total: 1, ...page },
  [deviceEndpoints.logs.path]: { list: [], total: 0, ...page },
  [timerEndpoints.lines.path]: {
    lines: [{ line_id: 70, n: 1, name: 'Pump', critical: false }],
    ...{ time_zone: 'Asia/Shanghai', held: 0, held_most: 16 },
  },
  [timerEndpoints.list.path]: { list: [timer], total: 1, ...page },
};
const refused = { refused: true, status: 500, code: 500, msg: 'Not available', data: {} };
let down: string | null;
let stage: Stage;
beforeEach(async () => {
  down = null;
  stage = await setStage({
    words: { common, control, deviceSettings, timers },
    permissions: ['device.control', 'device.configure', 'timer.write', 'line.switch'],
    replies: {
      ...Object.fromEntries(
        Object.entries(replies).map(([path, reply]) => [path, () => (path === down ? refused : reply)]),
      ),
    },
  });
});

interface Place {
  part: ReactNode;
  button: string | RegExp;
  /** The calls without whose answer the act is refused. */
  needs: readonly string[];
}
const places: Record<string, Place> = {
  'settings for many devices': {
    part: <ApplyDialog device={device} changes={changes} onStarted={nothing} onClose={nothing} />,
    button: 'Set on 1 device',
    needs: [deviceEndpoints.list.path],
  },
  'settings of a device': {
    part: (
      <SendDialog
        {...{ device, changes, revision: 1, settings: { waits: null } as never }}
        onSent={nothing}
        onClose={nothing}
      />
    ),
    button: deviceSettings.send.confirm,
    needs: [],
  },
  'an act on a device': {
    part: <ControlTab device={device} />,
    button: common.command.action.silence,
    needs: [],
  },
  'a timer': {
    part: <TimerDrawer timer={timer} start={{ device_id: 7, line_id: 70 }} onClose={nothing} />,
    button: common.dialog.save,
    needs: [timerEndpoints.lines.path, timerEndpoints.list.path],
  },
};
const find = (name: string | RegExp) => screen.findByRole<HTMLButtonElement>('button', { name });
/** The text that a screen reader reads with the button. */
const reasonOf = (button: HTMLElement) =>
  document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent;

test.each(Object.entries(places))('%s: refused without contact to the server', async (_, place) => {
  showAt(place.part);
  const button = await find(place.button);
  await waitFor(() => expect(button.disabled).toBe(false));
  act(() => useLink.setState({ state: 'cut', since: Date.now() }));
  expect(button.disabled).toBe(true);
  expect(reasonOf(button)).toMatch(/^No connection to the server since \d\d:\d\d/);
  act(() => useLink.setState({ state: 'live' }));
  expect(button.disabled).toBe(false);
});

test.each(
  Object.entries(places).flatMap(([name, place]) => place.needs.map((path) => [name, path, place] as const)),
)('%s: refused while %s has no answer that can be shown, and possible after it', async (_, path, place) => {
  down = path;
  showAt(place.part);
  const button = await find(place.button);
  await waitFor(() => expect(button.disabled).toBe(true));
  expect(reasonOf(button)).toMatch(/could not be loaded/);
  down = null;
  await userEvent.click(await find(common.fault.retry));
  await waitFor(() => expect(button.disabled).toBe(false));
});

test('acts on a device are not offered while it could not be loaded which are possible', async () => {
  down = controlEndpoints.possible.path;
  showAt(places['an act on a device']!.part);
  await screen.findByText('Not available');
  expect(screen.queryByRole('button', { name: common.command.action.silence })).toBeNull();
  down = null;
  await userEvent.click(await find(common.fault.retry));
  await find(common.command.action.silence);
});

test('acts on a device of which neither lines nor acts could be refreshed have one notice', async () => {
  const both = [controlEndpoints.possible.path, lineEndpoints.list.path];
  let isDown = false;
  stage = await setStage({
    words: { common, control },
    permissions: ['device.control'],
    replies: {
      ...replies,
      ...Object.fromEntries(both.map((path) => [path, () => (isDown ? refused : replies[path]!)])),
    },
  });
  showAt(
    <>
      <ControlTab device={device} />
      <Reload />
    </>,
  );
  await find(common.command.action.silence);
  isDown = true;
  await userEvent.click(await find('reload'));
  await screen.findByText('reloaded');
  expect(await screen.findAllByText(/could not be refreshed/)).toHaveLength(1);
  expect(stage.sent(both[0]!)).toHaveLength(2);
});

const Reload = () => {
  const reload = useReload(controlEndpoints.possible, lineEndpoints.list);
  const [isDone, setDone] = useState(false);
  return (
    <button type="button" onClick={() => void reload().then(() => setDone(true))}>
      {isDone ? 'reloaded' : 'reload'}
    </button>
  );
};
