import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { deviceEndpoints } from '#contract/devices.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Refusal, setStage, showAt } from '#web/test-stage.tsx';
import { ContactsTab } from './ContactsTab.tsx';
import type { DeviceDetail } from './devices.query.ts';
import { devices } from './words/en-US.ts';

afterEach(cleanup);

const path = deviceEndpoints.contacts.path;
const deviceOf = (revision: number, name: string) =>
  ({
    ...{ device_id: 7, revision, project_contact: { name: '', phone: '' } },
    contacts: [{ name, phone: '13800000001' }],
  }) as unknown as DeviceDetail;
const outdated: Refusal = {
  ...{ refused: true, status: 409, code: 409, msg: 'Changed by another user' },
  data: {},
};
/** The button replaces the device with the version that another user saved. */
const Tab = () => {
  const [device, setDevice] = useState(() => deviceOf(2, 'Li Wei'));
  return (
    <>
      <button type="button" onClick={() => setDevice(deviceOf(3, 'Wang Fang'))}>
        another user saves
      </button>
      <ContactsTab device={device} />
    </>
  );
};
const show = async () => {
  const stage = await setStage({
    words: { devices, common },
    permissions: ['device.write'],
    replies: { [path]: ({ revision }: { revision: number }) => (revision === 3 ? {} : outdated) },
  });
  showAt(<Tab />);
  await screen.findByDisplayValue('Li Wei');
  return stage;
};
const anotherSaves = () => fireEvent.click(screen.getByRole('button', { name: 'another user saves' }));
const save = () => fireEvent.click(screen.getByRole('button', { name: devices.contacts.save }));

test('an untouched form shows the contacts that another user saved', async () => {
  await show();
  anotherSaves();
  await screen.findByDisplayValue('Wang Fang');
  expect(screen.queryByDisplayValue('Li Wei')).toBeNull();
});

test('typed contacts stay when another user saves, and replace theirs only after a refusal', async () => {
  const stage = await show();
  const name = screen.getByDisplayValue('Li Wei');
  fireEvent.change(name, { target: { value: 'Zhao Jun' } });
  save();
  await waitFor(() => expect(stage.sent(path)).toMatchObject([{ revision: 2 }]));
  anotherSaves();
  expect(screen.getByDisplayValue('Zhao Jun')).toBe(name);
  save();
  await waitFor(() => expect(stage.sent(path)).toHaveLength(2));
  expect(stage.sent(path)[1]).toMatchObject({ revision: 3, contacts: [{ name: 'Zhao Jun' }] });
});

test('contacts typed before another user saved are refused once and not saved over theirs', async () => {
  const stage = await show();
  fireEvent.change(screen.getByDisplayValue('Li Wei'), { target: { value: 'Zhao Jun' } });
  anotherSaves();
  save();
  await waitFor(() => expect(stage.sent(path)).toMatchObject([{ revision: 2 }]));
  await screen.findByText('Wang Fang');
});
