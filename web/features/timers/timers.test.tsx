import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { useLink } from '#web/api/link-state.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { TimersView } from './TimersView.tsx';
import { timers } from './words/en-US.ts';

afterEach(cleanup);

const weekly = {
  ...{ timer_id: 5, device_id: 7, device_number: 'AW000007', device_name: 'Board', n: 1, line_id: 70 },
  ...{ project_id: 3, project_name: 'Bay Tower', line_name: 'Pump', type: 'weekly', date: null },
  ...{ w1: true, w2: true, w3: true, w4: true, w5: true, w6: false, w7: false, time: '22:00' },
  ...{ action: 'open', enabled: true, done: false, run_by: 'server', sync: null, sync_message: null },
  ...{ next_at: null, time_zone: 'Asia/Shanghai', author: 'admin', last_run: null, tags: [], revision: 1 },
};

test('a device without timers shows that, and offers neither to clear filters nor to choose a project', async () => {
  const stage = await setStage({
    words: { timers, common },
    permissions: ['timer.read', 'project.read'],
    replies: { '/device_timing/get_list': { list: [], total: 0, page: 1, limit: 20 } },
  });
  showAt(<TimersView />, '/home/devicedetails?device_id=7&tab=timers');
  expect(await screen.findByText(timers.empty)).toBeTruthy();
  expect(screen.queryByLabelText(timers.field.project)).toBeNull();
  expect(stage.sent('/device_timing/get_list')[0]).toMatchObject({ device_id: 7 });
});

test('a role that may not switch lines can delete timers, but is not offered to set one', async () => {
  await setStage({
    words: { timers, common },
    permissions: ['timer.read', 'timer.write'],
    replies: { '/device_timing/get_list': { list: [weekly], total: 1, page: 1, limit: 20 } },
  });
  showAt(<TimersView />, '/home/devicedetails?device_id=7&tab=timers');
  expect((await screen.findAllByRole('button', { name: timers.remove.act })).length).toBeGreaterThan(0);
  expect(screen.queryByRole('button', { name: timers.add.act })).toBeNull();
  expect(screen.queryByRole('button', { name: timers.edit.act })).toBeNull();
  expect(screen.queryByRole('switch')).toBeNull();
});

test('without contact to the server timers are neither enabled nor added, which is said as text', async () => {
  await setStage({
    words: { timers, common },
    permissions: ['timer.read', 'timer.write', 'line.switch'],
    replies: { '/device_timing/get_list': { list: [weekly], total: 1, page: 1, limit: 20 } },
  });
  showAt(<TimersView />, '/home/devicedetails?device_id=7&tab=timers');
  const controls = [await screen.findByRole('switch'), screen.getByText(timers.add.act).closest('button')!];
  const isDisabled = () => controls.map((control) => control.hasAttribute('disabled'));
  expect(isDisabled()).toEqual([false, false]);
  act(() => useLink.setState({ state: 'cut' }));
  expect(isDisabled()).toEqual([true, true]);
  const reason = screen.getByText(/No connection to the server since/);
  for (const control of controls) expect(control.getAttribute('aria-describedby')).toBe(reason.id);
  act(() => useLink.setState({ state: 'connecting' }));
});

test('a changed timer is saved and closed without asking about unsaved work', async () => {
  const stage = await setStage({
    words: { timers, common },
    permissions: ['timer.read', 'timer.write', 'line.switch'],
    replies: {
      '/device_timing/get_list': { list: [weekly], total: 1, page: 1, limit: 20 },
      '/device_timing/get_device_line': {
        ...{ device_id: 7, time_zone: 'Asia/Shanghai', held: 0, held_most: 16 },
        lines: [{ line_id: 70, n: 1, name: 'Pump', critical: false }],
      },
      '/device_timing/edit_device_titming': weekly,
      '/device_timing/edit_device_titming?timer_id=5': weekly,
      '/device/get_device_detail': { device_id: 7, number: 'AW000007', name: 'Board' },
      '/Device/get_device_list': { list: [], total: 0, page: 1, limit: 20 },
    },
  });
  const address = showAt(<TimersView />, '/home/devicedetails?device_id=7&tab=timers&timer=5');
  await userEvent.click(await screen.findByRole('radio', { name: timers.runBy.device }));
  await userEvent.click(screen.getByRole('button', { name: common.dialog.save }));
  await waitFor(() => expect(address()).toBe('/home/devicedetails?device_id=7&tab=timers'));
  expect(stage.sent('/device_timing/edit_device_titming')).toHaveLength(1);
  expect(screen.queryByText(common.dialog.unsaved)).toBeNull();
});
