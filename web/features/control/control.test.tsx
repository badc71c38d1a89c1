import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { controlEndpoints } from '#contract/control.ts';
import type { Permission } from '#contract/permissions.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import type { Act } from './acts.ts';
import { Acts } from './ControlTab.tsx';
import { control } from './words/en-US.ts';

const act = (action: Act['action'], line_id: number | null, confirm_name: string | null = null): Act => ({
  action,
  line_id,
  allowed: true,
  confirm_name,
  reason: null,
  message: null,
});
const line = (line_id: number, name: string) => ({ line_id, n: line_id, name });

const show = async (
  actions: readonly Act[],
  permissions: readonly Permission[] = ['device.control'],
): Promise<Stage> => {
  const stage = await setStage({
    words: { control, common },
    permissions,
    replies: {
      [controlEndpoints.do.path]: {
        command_id: '22222222-2222-4222-8222-222222222222',
        state: 'created',
        expires_at: '2026-11-21T08:00:00Z',
      },
    },
  });
  showAt(
    <Acts
      device={{ device_id: 7, number: 'AW000007' }}
      possible={{ online: true, fresh: true, net_ctrl: true, password_needed: false, actions: [...actions] }}
      lines={[line(1, 'Stairs'), line(2, 'Fire pump')]}
    />,
  );
  return stage;
};
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
const confirm = (name = 'Leakage test') =>
  within(screen.getByRole('dialog')).getByRole<HTMLButtonElement>('button', { name });
const open = async (index: number) => {
  fireEvent.click((await screen.findAllByRole('button', { name: 'Leakage test' }))[index]!);
  await screen.findByRole('dialog');
};

test('a leakage test of a critical line is sent with the typed name', async () => {
  const stage = await show([act('leak_test', 1), act('leak_test', 2, 'Fire pump')]);
  await open(1);
  const field = screen.getByLabelText('Critical line: type its name, Fire pump');
  expect(confirm().disabled).toBe(true);
  fireEvent.change(field, { target: { value: 'Fire pump' } });
  fireEvent.click(confirm());
  await waitFor(() => expect(stage.sent(controlEndpoints.do.path)).toHaveLength(1));
  expect(stage.sent(controlEndpoints.do.path)).toEqual([
    { device_id: 7, line_id: 2, action: 'leak_test', confirm_name: 'Fire pump' },
  ]);
});

test('a leakage test of a line that is not critical needs a confirmation, but no typed name', async () => {
  const stage = await show([act('leak_test', 1), act('leak_test', 2, 'Fire pump')]);
  await open(0);
  fireEvent.click(confirm());
  await waitFor(() => expect(stage.sent(controlEndpoints.do.path)).toHaveLength(1));
  expect(stage.sent(controlEndpoints.do.path)[0]).not.toHaveProperty('confirm_name');
});

test('a restart of a device with a critical line is sent with the name of the line', async () => {
  const stage = await show([act('reboot', null, 'Fire pump')]);
  fireEvent.click(await screen.findByRole('button', { name: 'Restart' }));
  await screen.findByRole('dialog');
  fireEvent.change(screen.getByLabelText('Critical line: type its name, Fire pump'), {
    target: { value: 'Fire pump' },
  });
  fireEvent.click(confirm('Restart'));
  await waitFor(() => expect(stage.sent(controlEndpoints.do.path)).toHaveLength(1));
  expect(stage.sent(controlEndpoints.do.path)).toEqual([
    { device_id: 7, action: 'reboot', confirm_name: 'Fire pump' },
  ]);
});

test('a role that may not control devices reads so once, and is offered no act', async () => {
  await show([act('silence', null), act('leak_test', 1)], ['device.read']);
  await screen.findByText(control.denied);
  expect(screen.queryByRole('button')).toBeNull();
});
