import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LiveEvent } from '#contract/live.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { PopupQueue } from './PopupQueue.tsx';
import { popups } from './words/en-US.ts';

const frame = '/device_warning/bullet_frame';
const change = '/device_warning/change_frame';
let wish: object;
let tones: number[];
let stage: Stage;
let nextId = 1;

const alarm = (given: Partial<LiveEvent['alarm']> = {}): LiveEvent['alarm'] => ({
  id: nextId++,
  kind: 'raised',
  device_id: 1,
  line_id: 1,
  project_id: 1,
  typeNumber: 301,
  level: 2,
  severity: 2,
  quiet: false,
  ...given,
});
const detail = ({ id }: { id: number }) => ({
  id,
  project_name: 'Bay Tower',
  device_number: 'AW000001',
  line_name: 'Pump',
  value: null,
  threshold: null,
  value_type: 1,
  time: '2026-11-21T08:00:00Z',
});

beforeEach(async () => {
  wish = { enabled: true, levels: [], typeNumbers: [], sound: 'soft', seconds: 10 };
  tones = [];
  vi.stubGlobal(
    'AudioContext',
    class {
      state = 'running';
      currentTime = 0;
      destination = {};
      resume = async () => undefined;
      suspend = async () => undefined;
      createOscillator = () => {
        const frequency = { value: 0 };
        return {
          frequency,
          connect: (next: object) => next,
          start: () => tones.push(frequency.value),
          stop: () => undefined,
        };
      };
      createGain = () => ({
        gain: { setValueAtTime: () => undefined, linearRampToValueAtTime: () => undefined },
        connect: (next: object) => next,
      });
    },
  );
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: Date.now() });
  // Sounds are rate-limited: keep away from those of earlier tests.
  vi.advanceTimersByTime(60_000 * nextId);
  stage = await setStage({
    words: { popups, common },
    replies: {
      [frame]: () => wish,
      [change]: (body: object) => {
        wish = body;
        return body;
      },
      '/device_warning/getDetatil': detail,
    },
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const shown = async () => {
  const address = showAt(<PopupQueue />);
  await waitFor(() => expect(stage.sent(frame)).toHaveLength(1));
  return address;
};
const later = () => vi.advanceTimersByTime(4_000);

test('an early warning sounds once, an alarm twice, a critical one four times; a silent one never', async () => {
  await shown();
  stage.deliver('alarm', alarm({ level: 1, severity: 3 }));
  await waitFor(() => expect(tones).toHaveLength(1));
  // A more severe alarm does not wait for the end of the quiet period.
  stage.deliver('alarm', alarm({ severity: 1 }));
  await waitFor(() => expect(tones).toHaveLength(5));
  later();
  stage.deliver('alarm', alarm({ quiet: true }));
  stage.deliver('alarm', alarm());
  await waitFor(() => expect(tones).toHaveLength(7));
});

test('the pop-up of a formerly suppressed alarm names its cause and does not look new', async () => {
  await shown();
  stage.deliver('alarm', alarm({ typeNumber: 201 }));
  await screen.findByText('Overcurrent (overload)');
  expect(screen.queryByText(/held back/)).toBeNull();
  stage.deliver('alarm', alarm({ severity: 1, typeNumber: 201, held_back_by: 301 }));
  await screen.findByText('Not new: suppressed by “Leakage (residual current)” until now');
});

test('a storm updates its count without redrawing the buttons', async () => {
  await shown();
  const burst = (devices: number) => {
    for (let device = 1; device <= devices; device += 1) stage.deliver('alarm', alarm({ device_id: device }));
  };
  burst(20);
  await screen.findByText(/20 new alarms/);
  // React stores at each element the properties of its last rendering.
  const drawnWith = () =>
    screen
      .getAllByRole('button')
      .map(
        (button) =>
          Object.entries(button).find(([key]) => key.startsWith('__reactProps'))?.[1] as object | undefined,
      );
  const before = drawnWith();
  expect(before.length).toBeGreaterThanOrEqual(4);
  expect(before).not.toContain(undefined);
  later();
  burst(10);
  await screen.findByText(/30 new alarms/);
  const after = drawnWith();
  expect(after.map((props, index) => props === before[index])).toEqual(before.map(() => true));
});

test('Esc closes only the top layer, a dialog before a pop-up, and snoozes nothing', async () => {
  await shown();
  const user = userEvent.setup({ delay: null });
  stage.deliver('alarm', alarm());
  stage.deliver('alarm', alarm({ device_id: 2, typeNumber: 201 }));
  await screen.findByText('Leakage (residual current)');
  const drawer = document.createElement('div');
  drawer.className = 'ant-drawer ant-drawer-open';
  drawer.style.position = 'fixed';
  // Behaves like a drawer, which is removed before the key event reaches the window.
  drawer.addEventListener('keydown', () => drawer.remove());
  drawer.tabIndex = 0;
  document.body.append(drawer);
  drawer.focus();
  await user.keyboard('{Escape}');
  expect(screen.getByText('Leakage (residual current)')).toBeTruthy();
  await user.keyboard('{Escape}');
  await screen.findByText('Overcurrent (overload)');
  expect(screen.queryByRole('status')).toBeNull();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('region', { name: 'New alarms' })).toBeNull());
  stage.deliver('alarm', alarm({ typeNumber: 501 }));
  await screen.findByText('Series arc fault');
});

test('one press ends the snooze of pop-ups', async () => {
  await shown();
  const user = userEvent.setup({ delay: null });
  stage.deliver('alarm', alarm());
  await user.click(await screen.findByRole('button', { name: /Pop-ups off/ }));
  await user.click(await screen.findByText('For 60 minutes'));
  await user.click(await screen.findByRole('button', { name: 'Resume' }));
  await screen.findByText('Leakage (residual current)');
});

test('while pop-ups are off only critical alarms are shown and heard', async () => {
  await shown();
  const user = userEvent.setup({ delay: null });
  stage.deliver('alarm', alarm());
  await screen.findByText('Leakage (residual current)');
  await waitFor(() => expect(tones).toHaveLength(2));
  await user.click(screen.getByRole('button', { name: /Pop-ups off/ }));
  await user.click(await screen.findByText('For 5 minutes'));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'New alarms' })).toBeNull());
  expect(screen.getByRole('status').textContent).toMatch(/Pop-ups off until \d\d:\d\d/);
  later();
  stage.deliver('alarm', alarm({ typeNumber: 201 }));
  stage.deliver('alarm', alarm({ typeNumber: 501, severity: 1 }));
  await screen.findByText('Series arc fault');
  await waitFor(() => expect(tones).toHaveLength(6));
});

test('the sound is muted by one press, which the server stores', async () => {
  await shown();
  const user = userEvent.setup({ delay: null });
  stage.deliver('alarm', alarm());
  const button = await screen.findByRole('button', { name: 'Alarm sound', pressed: true });
  await user.click(button);
  expect(stage.sent(change)).toEqual([expect.objectContaining({ sound: 'off' })]);
  await screen.findByRole('button', { name: 'Alarm sound', pressed: false });
  const before = tones.length;
  later();
  stage.deliver('alarm', alarm({ severity: 1, typeNumber: 501 }));
  await screen.findByText('Series arc fault');
  expect(tones).toHaveLength(before);
});

test('Enter opens the front pop-up; many alarms are one pop-up with their number, types and devices', async () => {
  const address = await shown();
  const user = userEvent.setup({ delay: null });
  const one = alarm();
  stage.deliver('alarm', one);
  await screen.findByText('Bay Tower · AW000001 · Pump');
  await user.keyboard('{Enter}');
  expect(address()).toBe(`/home/alarmList?alarm=${one.id}`);
  for (let device = 1; device <= 12; device += 1)
    stage.deliver('alarm', alarm({ device_id: device, severity: device === 1 ? 1 : 2 }));
  await screen.findByText('12 new alarms');
  expect(screen.getByText('from 12 devices · 1 critical')).toBeTruthy();
  await user.keyboard('{Enter}');
  expect(address()).toBe('/home/alarmList?status=unprocessed&group=storm');
});
