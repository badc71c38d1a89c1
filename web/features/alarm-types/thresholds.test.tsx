import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { DefaultThresholds } from './DefaultThresholds.tsx';
import { alarmTypes } from './words/en-US.ts';

afterEach(cleanup);

const get = '/device_warning_type/get_defaults';
const set = '/device_warning_type/set_defaults';
const parameter = (key: string, value: number | null) => ({
  key,
  unit: 'V',
  role: 'warn',
  min: 110,
  max: 300,
  step: 1,
  zero_is_off: false,
  value,
  inherited: null,
});

test('when another user saved first, the typed values stay, theirs are shown, and saving again works', async () => {
  let revision = 5;
  let saved = 0;
  const stage = await setStage({
    words: { alarmTypes, common },
    everyProject: false,
    replies: {
      '/project/options': { list: [{ project_id: 3, name: 'Bay Tower' }] },
      [get]: () => ({
        project_id: 3,
        device_type: 3,
        revision,
        parameters: [parameter('ov_w', null), parameter('uv_w', revision === 5 ? 198 : 205)],
      }),
      [set]: () => {
        saved += 1;
        if (saved > 1) return { project_id: 3, device_type: 3, revision: 9, thresholds: {}, before: {} };
        revision = 7;
        return { refused: true, status: 409, code: 409, msg: 'It was changed meanwhile', data: {} };
      },
    },
  });
  let closed = 0;
  showAt(
    <DefaultThresholds
      open
      onClose={() => {
        closed += 1;
      }}
    />,
    '/home/configinfos/alarmtype',
  );
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const [over, under] = await waitFor(() => {
    const fields = screen.getAllByRole('spinbutton');
    expect(fields).toHaveLength(2);
    expect((fields[1] as HTMLInputElement).value).toBe('198');
    return fields as [HTMLInputElement, HTMLInputElement];
  });
  await user.type(over, '240');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(under.value).toBe('205'));
  expect(over.value).toBe('240');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(closed).toBe(1));
  expect(stage.sent(set)).toEqual([
    { project_id: 3, device_type: 3, thresholds: { ov_w: 240 }, revision: 5 },
    { project_id: 3, device_type: 3, thresholds: { ov_w: 240 }, revision: 7 },
  ]);
});
