import { expect, it } from 'vitest';
import type { AlarmRow } from '#contract/alarms.ts';
import { byDevice, byStorm } from './alarm-groups.ts';

const row = (id: number, device_id: number, severity: number, status: AlarmRow['status']): AlarmRow =>
  ({
    ...{ id, device_id, project_id: device_id, severity, level: 2, status, typeNumber: 101 },
    time: new Date(Date.UTC(2026, 10, 29, 0, 0, id)).toISOString(),
  }) as AlarmRow;

it.each([
  ['by device', byDevice],
  ['by event', byStorm],
])('groups %s come by what is still to be handled, not by what was', (_, group) => {
  const rows = [
    row(1, 10, 1, 'processed'),
    row(2, 10, 3, 'unprocessed'),
    row(3, 20, 2, 'unprocessed'),
    row(4, 30, 1, 'processed'),
  ];
  expect(group(rows).map(({ worst }) => worst.id)).toEqual([3, 2, 4]);
});
