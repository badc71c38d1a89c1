import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { deviceEndpoints } from '#contract/devices.ts';
import { DeviceFrame } from '#web/features/devices/DeviceFrame.tsx';
import { devices } from '#web/features/devices/words/en-US.ts';
import { type Refusal, setStage, showAt } from '#web/test-stage.tsx';
import { LineListPage } from './pages/LineListPage.tsx';
import { words } from './words/en-US.ts';

afterEach(cleanup);

const missing: Refusal = { refused: true, status: 404, code: 404, msg: 'Device does not exist', data: {} };

test('the line list of a missing device says so and leads to the devices', async () => {
  await setStage({ words, replies: { [deviceEndpoints.detail.path]: missing } });
  showAt(<LineListPage />, '/home/linelist?device_id=99999');
  const title = await screen.findByRole('heading', { name: 'Device does not exist' });
  expect(document.title).toBe(`${title.textContent} · Ampwatch`);
  expect(screen.getByRole('link').getAttribute('href')).toBe('/home/devicelist');
  expect(screen.queryByText(words.common.fault.retry)).toBeNull();
});

test.each([
  ['line list', <LineListPage key="lines" />, 'Lines'],
  ['page', <DeviceFrame key="device" parts={{} as never} />, 'Device'],
])('the %s of a device that cannot be loaded keeps a heading above the notice', async (_, page, name) => {
  const refusal: Refusal = { refused: true, status: 500, code: 500, msg: 'Not available', data: {} };
  await setStage({ words: { ...words, devices }, replies: { [deviceEndpoints.detail.path]: refusal } });
  showAt(page, '/home/devicedetails?device_id=1');
  await screen.findByText('Not available');
  expect(screen.getByRole('heading', { level: 1, name }).textContent).toBe(name);
  expect(document.title).toBe(`${name} · Ampwatch`);
});
