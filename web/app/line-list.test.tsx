import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { deviceEndpoints } from '#contract/devices.ts';
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
