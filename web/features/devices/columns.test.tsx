import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { common } from '../../parts/words/en-US.ts';
import { setStage, showAt } from '../../test-stage.tsx';
import type { DeviceRow } from './devices.query.ts';
import { useDeviceColumns } from './use-device-columns.tsx';
import { devices } from './words/en-US.ts';

afterEach(cleanup);
const Lines = ({ row }: { row: Partial<DeviceRow> }) =>
  useDeviceColumns()
    .find(({ key }) => key === 'lines')!
    .render({ device_id: 1, type: 3, lines: 2, lines_closed: 2, ...row } as DeviceRow);

test.each([
  [
    'an online device has a number',
    { status: 'online', last_seen: new Date().toISOString() },
    /^2 of 2 closed$/,
  ],
  [
    'what an offline device said last is dimmed and has its age',
    { status: 'offline', last_seen: new Date(Date.now() - 2 * 86_400_000).toISOString() },
    /^2 of 2 closed, 2 days ago$/,
  ],
  ['a device that never reported has no number', { status: 'offline', last_seen: null }, /^never reported$/],
  ['a meter has no closed lines', { type: 1, status: 'online', last_seen: null }, /^2 metered$/],
] as const)('%s', async (_name, row, text) => {
  await setStage({ words: { devices, common }, replies: {} });
  showAt(<Lines row={row} />);
  const link = await screen.findByRole('link');
  expect(link.textContent).toMatch(text);
  expect(link.querySelector('.is-stale') !== null).toBe(row.status === 'offline' && row.last_seen !== null);
});
