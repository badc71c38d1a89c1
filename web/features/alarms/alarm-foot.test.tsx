import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { controlEndpoints } from '#contract/control.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { AlarmFoot, hasFoot } from './AlarmFoot.tsx';
import type { AlarmDetailed } from './alarms.query.ts';
import { alarms } from './words/en-US.ts';

const alarm = (given: Partial<AlarmDetailed>) =>
  ({
    id: 1,
    ...{ device_id: 5, line_id: 6, device_number: 'AW000005', line_name: 'Pump' },
    ...{ status: 'unprocessed', active: true, reset_needed: false, shelved: null },
    contacts: [{ name: 'Ann', phone: '13900000001' }],
    ...given,
  }) as unknown as AlarmDetailed;
const reset = { action: 'reset', line_id: 6, allowed: true, reason: null, message: null };
const show = async (given: Partial<AlarmDetailed>, actions: readonly object[] = [reset]) => {
  const stage = await setStage({
    words: { alarms, common },
    permissions: ['alarm.read', 'alarm.handle'],
    replies: {
      [controlEndpoints.possible.path]: { actions },
    },
  });
  const nothing = () => undefined;
  showAt(
    <AlarmFoot alarm={alarm(given)} className="" onHandle={nothing} onUrge={nothing} onShelve={nothing} />,
  );
  return stage;
};
const isMain = (element: HTMLElement) => /ant-btn-primary|is-main/.test(element.className);

test('an alarm that waits for a reset offers the reset first', async () => {
  await show({ reset_needed: true });
  expect(isMain(await screen.findByRole('button', { name: 'Reset: AW000005 · Pump' }))).toBe(true);
  expect(isMain(screen.getByRole('button', { name: 'Handle' }))).toBe(false);
});

test('an alarm that waits for a reset which the device does not support offers handling first, and no reset', async () => {
  const stage = await show({ reset_needed: true }, [{ ...reset, allowed: false, reason: 'unsupported' }]);
  await waitFor(() => expect(stage.sent(controlEndpoints.possible.path)).toHaveLength(1));
  expect(isMain(await screen.findByRole('button', { name: 'Handle' }))).toBe(true);
  expect(screen.queryByRole('button', { name: /^Reset/ })).toBeNull();
});

test('an unprocessed alarm offers handling first, and a call to the first contact', async () => {
  await show({});
  expect(isMain(await screen.findByRole('button', { name: 'Handle' }))).toBe(true);
  expect(screen.queryByRole('button', { name: /^Reset/ })).toBeNull();
  expect(screen.getByRole('link', { name: 'Call Ann' }).getAttribute('href')).toBe('tel:13900000001');
});

test('a handled alarm that is still active leads to its line, where it is opened and tagged', async () => {
  await show({ status: 'processed' });
  const line = await screen.findByRole('link', { name: 'Go to the line' });
  expect(isMain(line)).toBe(true);
  expect(line.getAttribute('href')).toContain('line_id=6');
  expect(screen.queryByRole('button', { name: 'Handle' })).toBeNull();
});

test('an alarm that needs no action offers none', () => {
  expect(hasFoot(alarm({ status: 'processed', active: false }))).toBe(false);
});
