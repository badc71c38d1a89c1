import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { common } from '../../parts/words/en-US.ts';
import { setStage } from '../../test-stage.tsx';
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
const settings = {
  lines: [{ line_id: 7, n: 1, name: 'Kitchen', settings: [warn] }],
} as unknown as Settings;
const show = async (editing: Parameters<typeof ProtectionMatrix>[0]['editing']) => {
  await setStage({ words: { deviceSettings, common }, replies: {} });
  render(<ProtectionMatrix settings={settings} editing={editing} onPick={() => undefined} />);
};

test('a value of the sheet becomes a field in its place, and what is typed joins the changes of the page', async () => {
  const onEdit = vi.fn();
  await show({ edits: {}, flaws: {}, onEdit });
  expect(screen.getByText('drifted')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /240/ }));
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Overvoltage early warning' }), {
    target: { value: '250' },
  });
  expect(onEdit).toHaveBeenLastCalledWith(warn, 250);
});

test('who may only look gets no field', async () => {
  await show(null);
  expect(screen.queryByRole('button', { name: /240/ })).toBeNull();
  expect(screen.getByText(/240/)).toBeTruthy();
});
