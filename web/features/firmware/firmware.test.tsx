import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FirmwareVersion, Rollout } from '#contract/firmware.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { FirmwarePage } from './FirmwarePage.tsx';
// Loaded before the page needs it, so that no waiting dialog appears.
import './RolloutForm.tsx';
import { firmware } from './words/en-US.ts';

const version: FirmwareVersion = {
  version_id: 4,
  mac_type: 3,
  mac_name: 'Smart switch',
  appVersion: '1.5.0',
  platformVersion: '2.0',
  appUrl: 'https://ampwatch.example/version/file?token=x',
  uploaded: true,
  status: 'enabled',
  size: 412_300,
  sha256: 'a'.repeat(64),
  signed_by: 'Vendor',
  notes: '',
  created_by: 'admin',
  created_at: '2026-11-20T02:30:00Z',
  devices: 3,
  devices_of_type: 50,
  revision: 1,
};
let rollout: Rollout;
let stage: Stage;
let preview: object;
beforeEach(async () => {
  preview = {
    devices: 47,
    online: 40,
    already: 3,
    busy: 0,
    tagged: 2,
    critical: 1,
    versions: [{ version: '1.4.2', devices: 47 }],
  };
  rollout = {
    rollout_id: 9,
    version_id: 4,
    mac_type: 3,
    mac_name: 'Smart switch',
    appVersion: '1.5.0',
    state: 'running',
    message: null,
    canary_percent: 5,
    wave_percent: 25,
    per_minute: 20,
    step_minutes: 15,
    stop_percent: 10,
    wave: 2,
    waves: 5,
    total: 47,
    counts: { updated: 3, downloading: 2, waiting: 42 },
    author: 'admin',
    created_at: '2026-11-20T02:30:00Z',
    ended_at: null,
  };
  const page = { page: 1, limit: 20, total: 1 };
  stage = await setStage({
    words: { firmware, common },
    permissions: ['firmware.write'],
    replies: {
      '/version/get_list': { ...page, list: [version] },
      '/version/preview_rollout': () => preview,
      '/project/options': { list: [] },
      '/version/start_rollout': () => rollout,
      '/version/get_rollouts': () => ({ ...page, list: [rollout] }),
      '/version/get_rollout': () => rollout,
      '/version/get_rollout_devices': {
        ...page,
        list: [
          {
            device_id: 5,
            number: 'SW3A0001',
            name: '',
            project_name: 'Bay Tower',
            wave: 1,
            state: 'rolled_back',
            percent: null,
            from_version: '1.4.2',
            version: '1.4.2',
            message: 'The device went back to version 1.4.2',
            tries: 1,
            updated_at: '2026-11-20T02:31:00Z',
          },
        ],
      },
      '/version/change_rollout': () => rollout,
    },
  });
});
afterEach(cleanup);

test('a rollout lists the devices that it will reach before it begins, sends the confirmed number, and is shown', async () => {
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const address = showAt(<FirmwarePage />);
  await user.click(await screen.findByRole('button', { name: 'Roll out' }));
  const form = within(await screen.findByRole('dialog'));
  expect(await form.findByText('47 devices will be updated, 40 online now.')).toBeTruthy();
  expect(form.getByText('Under a lock-out tag, asked later: 2.')).toBeTruthy();
  await user.type(form.getByLabelText('Your password'), 'abc12345');
  await user.click(form.getByRole('button', { name: 'Roll out' }));
  await waitFor(() =>
    expect(stage.sent('/version/start_rollout')).toEqual([
      {
        version_id: 4,
        canary_percent: 5,
        wave_percent: 25,
        per_minute: 20,
        step_minutes: 15,
        stop_percent: 10,
        expected: 47,
        password: 'abc12345',
      },
    ]),
  );
  // Everything is saved, so no question about unsaved work appears.
  await waitFor(() => expect(address()).toContain('rollout=9'));
  expect(screen.queryByText(common.dialog.unsaved)).toBeNull();
});

test('a rollout cannot begin while it is not known how many devices it will reach, which is said as text', async () => {
  preview = { refused: true, status: 500, code: 500, msg: 'Internal error', data: {} };
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  showAt(<FirmwarePage />);
  await user.click(await screen.findByRole('button', { name: 'Roll out' }));
  const form = within(await screen.findByRole('dialog'));
  await form.findByText(common.fault.title);
  const start = form.getByRole('button', { name: 'Roll out' });
  expect(start.hasAttribute('disabled')).toBe(true);
  form.getByText(firmware.rollout.reachUnknown);
  await user.type(form.getByLabelText('Your password'), 'abc12345{Enter}');
  expect(stage.sent('/version/start_rollout')).toEqual([]);
});

test('a rollout under way shows each device with its reason, and follows the live stream', async () => {
  showAt(<FirmwarePage />, '/x?tab=rollouts&rollout=9');
  expect(await screen.findByText('The device went back to version 1.4.2')).toBeTruthy();
  expect((await screen.findAllByText('3 of 47')).length).toBeGreaterThan(0);
  rollout = { ...rollout, counts: { updated: 46, failed: 1 }, state: 'done' };
  stage.deliver('rollout', { rollout_id: 9, state: 'done' });
  await waitFor(() => expect(screen.getAllByText('47 of 47').length).toBeGreaterThan(0));
});

test('stopping a rollout asks first and names the version', async () => {
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  showAt(<FirmwarePage />, '/x?tab=rollouts&rollout=9');
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  expect((await screen.findAllByText('Stop the rollout of 1.5.0?')).length).toBeGreaterThan(0);
  expect(stage.sent('/version/change_rollout')).toEqual([]);
  await user.click(screen.getAllByRole('button', { name: 'Stop' }).at(-1)!);
  await waitFor(() =>
    expect(stage.sent('/version/change_rollout')).toEqual([{ rollout_id: 9, act: 'stop' }]),
  );
});
