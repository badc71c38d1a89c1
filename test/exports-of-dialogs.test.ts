import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { languages } from '#contract/languages.ts';
import { jobStore } from '#server/device-jobs/jobs.store.ts';
import { batchStore } from '#server/one-key/one-key.store.ts';
import { recordFailedSignIn } from '#server/session/failed-sign-ins.store.ts';
import { makeAlarm } from './alarm-factory.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { type Client, createWorld, type World } from './world.ts';

const batchId = '11111111-2222-4333-8444-555555555555';
let world: World;
let admin: Client;
let stranger: Client;
let known: Record<string, number>;
let jobId: string;
let users: { user_id: number };

beforeAll(async () => {
  world = await createWorld(bindAll);
  const [own, foreign] = [await makeProject(world.db), await makeProject(world.db)];
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  stranger = await world.as((await makeUser(world.db, { role: 3, projects: [foreign] })).id);
  users = { user_id: admin.userId };
  const device = await makeDevice(world.db, { project_id: own.id, type: 3, online: true });
  const [, line] = device.lines;
  const alarm = await makeAlarm(world.pool, device, { at: world.clock.now() });
  known = { device_id: device.id, line_id: (line ?? device.lines[0]!).id, alarm };
  const now = world.clock.now();
  const by = { userId: admin.userId, username: 'admin' };
  await batchStore(world.db).create(
    {
      ...{ id: batchId, action: 'open', userId: by.userId, operator: by.username, address: '', now },
      ...{ channel: 'web', requestId: 'r', paceMs: 0 },
    },
    [
      {
        ...{ deviceId: device.id, lineId: known['line_id']!, reason: 'control.offline', with: {} },
      } as unknown as Parameters<ReturnType<typeof batchStore>['create']>[1][number],
    ],
  );
  jobId = await jobStore(world.db).create({
    ...{ kind: 'unbind', by, now, parameters: {} },
    rows: [{ deviceId: device.id, state: 'denied', reason: 'permission.denied' }],
  });
  await recordFailedSignIn(world.db, { account: 'admin', network: '192.0.2.0', now });
  await world.db
    .insertInto('scheduled_jobs')
    .values({ name: 'backup', next_at: new Date(now), result: '{}' })
    .execute();
  await admin.call('/lockout_tag/add_tag', { project_id: own.id, reason: 'Work on the busbar' });
  await admin.call('/lockout_tag/add_tag', { device_id: device.id, reason: 'Work inside' });
  await admin.call('/lockout_tag/add_tag', { project_id: foreign.id, reason: 'Another site' });
});
afterAll(() => world.close());

interface Shown {
  list: string;
  sheet: string;
  /** The body of the dialog's call, and its rows in the reply. */
  body: () => object;
  rows: (data: never) => number;
}
const listed = ({ list }: { list: unknown[] }) => list.length;
const range = { from: '2026-11-19T00:00:00Z', to: '2026-11-20T00:00:00Z' };
const dialogs: Shown[] = [
  {
    list: '/sign_user/sessions',
    sheet: '/sign_user/export_sessions',
    body: () => ({}),
    rows: (all: unknown[]) => all.length,
  },
  {
    list: '/user/sessions',
    sheet: '/user/export_sessions',
    body: () => users,
    rows: (all: unknown[]) => all.length,
  },
  {
    ...{ list: '/device_line/get_batch', sheet: '/device_line/export_batch' },
    body: () => ({ batch_id: batchId }),
    rows: ({ lines }: { lines: unknown[] }) => lines.length,
  },
  {
    ...{ list: '/device_job/get_job', sheet: '/device_job/export_job' },
    body: () => ({ job_id: jobId }),
    rows: ({ total }: { total: number }) => total,
  },
  { list: '/scheduled/list', sheet: '/scheduled/export', body: () => ({}), rows: listed },
  {
    ...{ list: '/device_warning/getDetatil', sheet: '/device_warning/export_alarm_deliveries' },
    body: () => ({ id: known['alarm'] }),
    rows: ({ deliveries }: { deliveries: unknown[] }) => deliveries.length,
  },
  {
    ...{ list: '/device_line/get_series', sheet: '/device_line/export_series' },
    body: () => ({ line_id: known['line_id'], ...range }),
    rows: ({ at }: { at: unknown[] }) => at.length,
  },
];
const sheetRows = async (raw: Uint8Array) => (await readXlsx(new Uint8Array(raw))).sheets[0]?.rows ?? [];

test.each(dialogs)(
  '$sheet exports the rows that its dialog shows, for the same users',
  async ({ list, sheet, body, rows }) => {
    const of = (path: string): Endpoint => endpoints.find((endpoint) => endpoint.path === path)!;
    expect(of(sheet)).toMatchObject({ stream: true, permission: of(list).permission });
    const shown = await admin.call(list, body());
    expect(shown.status).toBe(200);
    for (const language of languages) {
      const { response } = await admin.call(sheet, body(), { 'accept-language': language });
      const [head = [], ...found] = await sheetRows(response.rawPayload);
      expect(found).toHaveLength(rows(shown.data as never));
      expect(head.length).toBeGreaterThan(2);
      expect(head).not.toContain('');
    }
    const [foreign, refused] = [await stranger.call(list, body()), await stranger.call(sheet, body())];
    expect(refused.status).toBe(foreign.status);
  },
);

test('the exported tags of a device are its own and those of its project', async () => {
  const { response } = await admin.call(
    '/lockout_tag/export',
    { covering_device_id: known['device_id'] },
    { 'accept-language': 'en-US' },
  );
  const [head = [], ...rows] = await sheetRows(response.rawPayload);
  const column = head.indexOf('Reason');
  expect(rows.map((row) => row[column]).toSorted()).toEqual(['Work inside', 'Work on the busbar']);
});

test('a device of a job is exported with the reason that the dialog shows', async () => {
  const { data } = await admin.call('/device_job/get_job', { job_id: jobId }, { 'accept-language': 'ru-RU' });
  const { response } = await admin.call(
    '/device_job/export_job',
    { job_id: jobId },
    { 'accept-language': 'ru-RU' },
  );
  const [, row] = await sheetRows(response.rawPayload);
  const [shown] = data.unfinished;
  expect(row).toEqual([shown.number, 'нет прав', shown.message]);
});
