import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { type Refusal, type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { ProjectListPage } from './ProjectListPage.tsx';
import { projects } from './words/en-US.ts';

// The map draws on a canvas, which jsdom lacks.
vi.mock('../../parts/map/PointMap.tsx', () => ({ PointMap: () => null }));

const row = {
  ...{ project_id: 3, project_codeid: 'P000003', name: 'Bay Tower', kind: 'office', region_id: 440305 },
  ...{
    region: 'Guangdong, Shenzhen, Nanshan',
    address: 'Quay 1',
    detailed_address: '',
    area_m2: null,
    contract_kw: null,
  },
  ...{ contact_name: 'Li Wei', contact_phone: '13800000101', lat: 22.5, lng: 113.9 },
  tags: [],
  ...{ time_zone: 'Asia/Shanghai', nominal_voltage: 220, joined_at: '2026-01-01T00:00:00Z' },
  ...{ devices: 4, devices_online: 3, online_rate: 0.75, unprocessed: 2, worst: 1, revision: 1 },
  ...{ lines_open: 3, lines_closed: 12, lines_unknown: 2, lines_last_closed: 1, lines_tripped: 1 },
  position_at: '2026-11-20T01:00:00Z',
  ...{ month_raised: 8, month_processed: 6, month_handling_rate: 0.75, month_unprocessed_rate: 0.25 },
};
const dependents = {
  ...{ project_id: 3, name: 'Bay Tower', devices: 4, lines_closed: 2, timers: 0 },
  ...{ unprocessed: 2, users: 1, users_left_without: 1, tags: 0 },
};
const refused: Refusal = {
  ...{ refused: true, status: 422, code: 422, msg: 'Please check the marked fields' },
  data: { password: 'The password has 6 to 20 letters and digits, both of them' },
};
let stage: Stage;
let added: object;
beforeEach(async () => {
  added = { project_id: 9, project_codeid: 'P000009', user_id: 5, username: '13800004711' };
  stage = await setStage({
    words: { projects, common },
    permissions: ['project.write', 'project.create', 'project.delete', 'project.bind', 'device.bind'],
    replies: {
      '/Project/get_project_list': { list: [row], total: 1, page: 1, limit: 20 },
      '/project/options': { list: [{ project_id: 3, name: 'Bay Tower', parts: [] }] },
      '/Project/add_project': () => added,
      '/project/dependents': { list: [dependents] },
      '/Project/delete_project': { results: [{ id: 3, result: 'done' }] },
      '/project/get_parts': { list: [] },
      '/project/find_devices': ({ numbers }: { numbers: string[] }) => ({
        list: numbers.map((number, index) => ({
          number,
          state: index === 0 ? 'unbound' : 'missing',
          device_id: index === 0 ? 70 : null,
          name: '',
          type: 3,
          project_name: '',
        })),
      }),
      '/Project/bind_device': { results: [{ id: 70, result: 'done' }], job_id: null, total: 1 },
    },
  });
});
afterEach(cleanup);
const press = async (name: RegExp | string) => userEvent.click(await screen.findByRole('button', { name }));

test('a project shows how many lines are closed, open, tripped and unknown', async () => {
  showAt(<ProjectListPage />, '/home/projectlist');
  const text = (await screen.findByText(/12 closed/)).textContent;
  expect(text).toContain('12 closed · 3 open · 1 tripped · 2 unknown');
});

test('the name of a project leads to its view, and its rates are shown with their counts', async () => {
  showAt(<ProjectListPage />, '/home/projectlist');
  const link = await screen.findByRole('link', { name: 'Bay Tower' });
  expect(link.getAttribute('href')).toBe('/home/configinfo?project_id=3');
  expect(screen.getByText('6 / 8')).toBeTruthy();
  expect(screen.getByText('3 / 4')).toBeTruthy();
});

test('the server’s refusal of a new project is marked at its field, and no typed value is lost', async () => {
  added = refused;
  showAt(<ProjectListPage />, '/home/projectlist?open=add');
  const dialog = await screen.findByRole('dialog');
  const type = async (label: string, text: string) =>
    userEvent.type(within(dialog).getByLabelText(label), text);
  await type(projects.column.name, 'Mill');
  await press(common.dialog.save);
  expect(await screen.findByText('Choose the region')).toBeTruthy();
  expect(stage.sent('/Project/add_project')).toEqual([]);
  expect(within(dialog).getByLabelText<HTMLInputElement>(projects.column.name).value).toBe('Mill');
});

test('deleting names what depends on the project and sends the confirmed number of devices', async () => {
  showAt(<ProjectListPage />, '/home/projectlist');
  await press('More actions for Bay Tower');
  await userEvent.click(await screen.findByText(projects.delete.act));
  const question = await screen.findByRole('dialog');
  for (const text of ['4 devices will be unbound', '2 lines are closed and stay energised'])
    expect(within(question).getByText(text)).toBeTruthy();
  await userEvent.click(within(question).getByRole('button', { name: projects.delete.act }));
  await waitFor(() =>
    expect(stage.sent('/Project/delete_project')).toEqual([{ project_ids: [3], devices: 4 }]),
  );
});

test('device numbers are checked before they are bound, and unknown ones are not sent', async () => {
  showAt(<ProjectListPage />, '/home/projectlist?open=bind&of=3');
  await userEvent.type(await screen.findByLabelText(projects.bind.numbers), 'SW4A0001, SW4A0002');
  await press(projects.bind.check);
  expect(await screen.findByText(projects.bind.state.missing)).toBeTruthy();
  await press('Bind 1 device');
  await waitFor(() =>
    expect(stage.sent('/Project/bind_device')).toEqual([{ project_id: 3, device_ids: [70] }]),
  );
});
