import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import type { DeviceRow } from './devices.query.ts';
import { useDeviceColumns } from './use-device-columns.tsx';
import { devices } from './words/en-US.ts';

afterEach(cleanup);
const Lines = ({ row }: { row: Partial<DeviceRow> }) =>
  useDeviceColumns()
    .find(({ key }) => key === 'lines')!
    .render({ device_id: 1, type: 3, lines: 2, ...counts, ...row } as DeviceRow);
const counts = {
  lines_open: 0,
  lines_closed: 0,
  lines_unknown: 0,
  lines_last_closed: 0,
  position_at: null,
};
const twoDaysAgo = new Date(Date.now() - 50 * 3_600_000).toISOString();

test.each([
  ['fresh positions are counted', { lines_closed: 2 }, /^2 of 2 closed$/],
  [
    'what lines reported last is dimmed and has its age',
    { lines_unknown: 2, lines_last_closed: 2, position_at: twoDaysAgo },
    /^2 unknown · last reported 2 closed 2 days ago$/,
  ],
  [
    'a stale line is unknown beside a fresh one',
    { lines_open: 1, lines_unknown: 1, position_at: twoDaysAgo },
    /^0 of 2 closed · 1 unknown · last reported 0 closed 2 days ago$/,
  ],
  ['a device that never reported has no number', { lines_unknown: 2 }, /^never reported$/],
  ['a meter has no closed lines', { type: 1 }, /^2 metered$/],
] as const)('%s', async (_name, row, text) => {
  await setStage({ words: { devices, common }, replies: {} });
  showAt(<Lines row={row} />);
  const link = await screen.findByRole('link');
  expect(link.textContent).toMatch(text);
  expect(link.querySelector('.is-stale') !== null).toBe('position_at' in row);
});

const Alarms = ({ alarms }: { alarms: number }) =>
  useDeviceColumns()
    .find(({ key }) => key === 'alarms')!
    .render({ device_id: 1, alarms, worst: 2 } as DeviceRow);
test.each([0, 3])(
  'the number of alarms of a device is written also when there is none: %s',
  async (alarms) => {
    await setStage({ words: { devices, common }, replies: {} });
    showAt(<Alarms alarms={alarms} />);
    await screen.findByText(String(alarms));
  },
);
