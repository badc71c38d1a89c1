import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MaintenanceRow } from '#contract/maintenance.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { MaintenancePage } from './MaintenancePage.tsx';
import { maintenance } from './words/en-US.ts';

const row: MaintenanceRow = {
  ...{ record_id: 5, kind: 'repair', project_id: 3, project_name: 'Bay Tower', part_id: null },
  ...{ device_id: 7, device_number: 'SW4A0001', device_name: 'Board 1', address: 'Floor 3' },
  ...{ maintenance_time: '2026-11-19T08:30:00Z', handler_name: 'Wang Jun', handler_phone: '13900000202' },
  ...{ content: 'Terminals tightened', fault_content: 'Hot terminal', result: 'Normal', suggestion: '' },
  before_images: ['7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab'],
  after_images: [],
  lines: [{ line_id: 70, n: 1, name: 'Lighting' }],
  alarms: [{ id: 9, work_order: 'W20261119000001', typeNumber: 401 }],
  ...{ author: 'admin', created_at: '2026-11-19T09:00:00Z', revision: 2 },
};
let stage: Stage;
beforeEach(async () => {
  stage = await setStage({
    words: { maintenance, common },
    permissions: ['maintenance.read', 'maintenance.write'],
    replies: {
      '/maintenance/get_list': { list: [row], total: 1, page: 1, limit: 20 },
      '/maintenance/get_record': row,
      '/maintenance/edit_record': (body: object) => ({ ...row, ...body }),
      '/maintenance/add_record': row,
      '/maintenance/del_record': {},
      '/project/options': { list: [{ project_id: 3, name: 'Bay Tower', parts: [] }] },
      '/Device/get_device_list': { list: [], total: 0, page: 1, limit: 20 },
      '/device/get_device_detail': { device_id: 7, number: 'SW4A0001', name: 'Board 1' },
      '/device_line/get_list': { list: [{ line_id: 70, n: 1, name: 'Lighting' }] },
      '/device_warning/WarningList': { list: [], total: 0, page: 1, limit: 50 },
    },
  });
});
afterEach(cleanup);

test('a record is printed completely, with its lines, alarms and images', async () => {
  showAt(<MaintenancePage />, '/home/maintenanceRecord?record=5');
  const sheet = await screen.findByRole('dialog');
  for (const text of ['Hot terminal', '1 Lighting', 'W20261119000001'])
    expect(await within(sheet).findByText(text)).toBeTruthy();
  expect(await within(sheet).findByAltText('Images before 1')).toBeTruthy();
});

test('an edit sends the whole record with the revision that the user saw', async () => {
  showAt(<MaintenancePage />, '/home/maintenanceRecord?record=5&write=edit');
  const result = await screen.findByLabelText(maintenance.column.result);
  await userEvent.type(result, ' again');
  await userEvent.click(screen.getByRole('button', { name: common.dialog.save }));
  await waitFor(() =>
    expect(stage.sent('/maintenance/edit_record')).toEqual([
      expect.objectContaining({
        ...{ record_id: 5, revision: 2, project_id: 3, device_id: 7, result: 'Normal again' },
        ...{ line_ids: [70], alarm_ids: [9], before_images: row.before_images },
        maintenance_time: '2026-11-19T08:30:00.000Z',
      }),
    ]),
  );
});

test('a new record without the work done or the person is not sent', async () => {
  showAt(
    <MaintenancePage project={{ id: 3, name: 'Bay Tower' }} />,
    '/home/configinfo/maintenancerecord?write=new',
  );
  await userEvent.click(await screen.findByRole('button', { name: common.dialog.save }));
  expect(await screen.findByText('Describe what was done (2000 characters at most)')).toBeTruthy();
  expect(stage.sent('/maintenance/add_record')).toEqual([]);
});

test('deleting names the record first and reports success afterwards', async () => {
  showAt(<MaintenancePage />, '/home/maintenanceRecord');
  await userEvent.click(await screen.findByRole('button', { name: maintenance.delete.act }));
  const asked = await screen.findByRole('dialog');
  expect(within(asked).getByText(/Bay Tower · SW4A0001 · Terminals tightened/)).toBeTruthy();
  await userEvent.click(within(asked).getByRole('button', { name: maintenance.delete.act }));
  await screen.findByText(maintenance.delete.done);
  expect(stage.sent('/maintenance/del_record')).toEqual([{ record_id: 5 }]);
});
