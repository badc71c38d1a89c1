import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { controlEndpoints } from '#contract/control.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Refusal, type Stage, setStage, showAt } from '#web/test-stage.tsx';
import type { Line } from './lines.query.ts';
import { SwitchDialog } from './SwitchDialog.tsx';
import { lines } from './words/en-US.ts';

const sent = { command_id: '22222222-2222-4222-8222-222222222222', state: 'created' };
const wrong: Refusal = {
  ...{ refused: true, status: 422, code: 422, msg: 'Wrong password' },
  data: { password: 'The password is wrong' },
};
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const pump = {
  ...{ line_id: 2, n: 2, name: 'Fire pump', state: 'open', critical: true, power: 300, current: 1.3 },
  ...{ observed_at: ago(0), stale: false, values_at: ago(0), values_stale: false },
} as Line;

const show = async (
  action: 'open' | 'close',
  reply: object = sent,
  refusal: string | null = null,
  line: Line = pump,
) => {
  const stage = await setStage({ words: { lines, common }, replies: { [controlEndpoints.do.path]: reply } });
  const closed = vi.fn();
  showAt(
    <SwitchDialog
      asked={{ line, action }}
      device={{
        ...{ device_id: 7, name: 'Board', number: 'AW000007', status: 'online' },
        ...{ interval_seconds: 60, project_id: 1 },
      }}
      passwordNeeded
      refusal={refusal}
      onClose={closed}
    />,
  );
  await screen.findByRole('dialog');
  return { stage, closed };
};
const bodies = (stage: Stage) => stage.sent(controlEndpoints.do.path);
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a critical line is opened only with its name', async () => {
  const { stage, closed } = await show('open');
  const field = screen.getByLabelText('Critical line: type its name, Fire pump');
  fireEvent.change(field, { target: { value: 'Fire' } });
  press('Open: cut the power');
  expect((await screen.findByText('The name does not match')).getAttribute('role')).toBe('alert');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(bodies(stage)).toEqual([]);
  fireEvent.change(field, { target: { value: 'Fire pump ' } });
  expect(screen.queryByText('The name does not match')).toBeNull();
  press('Open: cut the power');
  await waitFor(() => expect(closed).toHaveBeenCalled());
  expect(bodies(stage)).toEqual([{ device_id: 7, line_id: 2, action: 'open', confirm_name: 'Fire pump ' }]);
});

test('a line is closed only with the password, and a wrong password is marked at its field', async () => {
  const { stage, closed } = await show('close', wrong);
  press('Close: energise');
  await screen.findByText('Enter the password');
  expect(bodies(stage)).toEqual([]);
  const field = screen.getByLabelText('Your password');
  fireEvent.change(field, { target: { value: 'secret1' } });
  fireEvent.submit(field.closest('form')!);
  await screen.findByText('The password is wrong');
  expect(bodies(stage)).toEqual([{ device_id: 7, line_id: 2, action: 'close', password: 'secret1' }]);
  expect(closed).not.toHaveBeenCalled();
});

test('after too many wrong passwords the dialog stays, and says at the field how long to wait', async () => {
  const msg = 'Too many tries; try again in 6 s';
  const { closed } = await show('close', {
    refused: true,
    status: 429,
    code: 429,
    msg,
    data: { password: msg },
  });
  const field = screen.getByLabelText('Your password');
  fireEvent.change(field, { target: { value: 'secret1' } });
  press('Close: energise');
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(field.getAttribute('aria-describedby')).toBe(screen.getByText(msg).id);
  expect(closed).not.toHaveBeenCalled();
});

test('an act that became impossible cannot be sent, not even with Enter', async () => {
  const { stage } = await show('close', sent, 'A lock-out tag forbids this');
  const field = screen.getByLabelText('Your password');
  fireEvent.change(field, { target: { value: 'secret1' } });
  fireEvent.submit(field.closest('form')!);
  await screen.findByText('A lock-out tag forbids this');
  expect(bodies(stage)).toEqual([]);
});

test('the dialog dims a position and a load that became stale on the screen, and shows their age', async () => {
  const old = { ...pump, observed_at: ago(200_000), values_at: ago(330_000) };
  await show('open', sent, null, old);
  const facts = document.querySelector('.switch-facts')!;
  expect([...facts.querySelectorAll('.is-stale')].map((each) => each.textContent)).toEqual([
    'open',
    expect.stringContaining('300'),
    expect.stringContaining('1.3'),
  ]);
  expect(facts.textContent).toContain('old value · 3 min ago');
  expect(facts.textContent).toContain('5 min ago');
});
