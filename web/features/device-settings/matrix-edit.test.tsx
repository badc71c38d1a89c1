import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { ProtectionMatrix } from './ProtectionMatrix.tsx';
import type { Settings } from './settings.query.ts';
import { deviceSettings } from './words/en-US.ts';

const warn = {
  ...{
    key: 'ov_w',
    n: 1,
    line_id: 7,
    name: 'Overvoltage early warning',
    meaning: '',
    role: 'warn',
    unit: 'V',
  },
  ...{ min: 200, max: 400, step: 1, zero_is_off: false, choices: null, default: 235, percent_of: null },
  ...{ desired: null, reported: 240, state: 'none', drift: true, message: null },
};
const deadband = {
  ...{ key: 'ov_d', name: 'Overvoltage deadband', meaning: '', role: 'deadband', unit: 'V' },
  ...{ min: 0.5, max: 12, step: 0.5, zero_is_off: false, own: null, inherited: 4 },
};
const overvoltage = {
  ...{ key: 'prot_ov', name: 'Overvoltage protection', meaning: 'Opens the line.', default: true },
  ...{ read_only: false, energises: false, trips: 101 },
  ...{ desired: null, reported: true, state: 'none', drift: false, message: null },
};
const settings = {
  device_id: 4,
  lines: [{ line_id: 7, n: 1, name: 'Kitchen', revision: 5, settings: [warn], platform: [deadband] }],
} as unknown as Settings;
const show = async (
  editing: Parameters<typeof ProtectionMatrix>[0]['editing'],
  replies: Parameters<typeof setStage>[0]['replies'] = {},
) => {
  const stage = await setStage({
    words: { deviceSettings, common },
    replies: {
      [`${deviceSettingEndpoints.enablesShown.path}?device_id=4`]: {
        ...{ device_id: 4, revision: 3, waits: null, enables: [overvoltage] },
      },
      [deviceSettingEndpoints.enable.path]: { device_id: 4, revision: 4, settings: [] },
      ...replies,
    },
    permissions: editing ? ['device.configure', 'line.rename'] : [],
  });
  showAt(<ProtectionMatrix settings={settings} editing={editing} onPick={() => undefined} />);
  await screen.findByRole('switch');
  return stage;
};
const blank = { edits: {}, flaws: {}, onEdit: () => undefined };

test('a pressed value of the sheet becomes a field, and its typed value joins the changes of the page', async () => {
  const onEdit = vi.fn();
  await show({ edits: {}, flaws: {}, onEdit });
  expect(screen.getByText('changed elsewhere')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /240/ }));
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Overvoltage early warning' }), {
    target: { value: '250' },
  });
  expect(onEdit).toHaveBeenLastCalledWith(warn, 250);
});

test('a user without the permission to change gets no field and no limit to press', async () => {
  await show(null);
  expect(screen.queryByRole('button', { name: /4/ })).toBeNull();
  expect((await screen.findByRole<HTMLButtonElement>('switch')).disabled).toBe(true);
  expect(screen.queryByRole('button', { name: /240/ })).toBeNull();
  expect(screen.getByText(/240/)).toBeTruthy();
});

test('a protection is disabled on the sheet by the call for enables, after a confirmation', async () => {
  const { path } = deviceSettingEndpoints.enable;
  const stage = await show(blank);
  fireEvent.click(await screen.findByRole('switch', { name: 'Overvoltage protection' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('Disable: Overvoltage protection?');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Disable' }));
  await waitFor(() =>
    expect(stage.sent(path)).toContainEqual({ device_id: 4, revision: 3, enables: { prot_ov: false } }),
  );
});

test('a limit of the platform is changed on the sheet, and a refusal of the server is shown at it', async () => {
  const { path } = lineEndpoints.change;
  const refusal = 'A lock-out tag is set here.';
  const stage = await show(blank, {
    [path]: {
      refused: true,
      status: 422,
      code: 400,
      msg: refusal,
      data: { 'thresholds.ov_d': refusal },
    },
  });
  fireEvent.click(screen.getByRole('button', { name: /^4/ }));
  const field = await screen.findByRole('spinbutton', { name: 'Overvoltage deadband' });
  fireEvent.change(field, { target: { value: '2' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(refusal);
  expect(stage.sent(path)).toEqual([{ line_id: 7, revision: 5, thresholds: { ov_d: 2 } }]);
});
