import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { languages } from '#contract/languages.ts';
import { makeAlarm } from './alarm-factory.ts';
import { bindAll } from './all-features.ts';
import { exportOfList, pagedLists } from './exports.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { type Client, createWorld, type World } from './world.ts';

let world: World;
let callers: Client[];
let device_id: number;

beforeAll(async () => {
  world = await createWorld(bindAll);
  const projects = [await makeProject(world.db), await makeProject(world.db)];
  const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  callers = [
    admin,
    await world.as((await makeUser(world.db, { role: 3, projects: [projects[1]!] })).id),
    await world.as((await makeUser(world.db, { role: 150, letters: 'A', projects: [projects[0]!] })).id),
  ];
  const device = await makeDevice(world.db, { project_id: projects[0]!.id, type: 3, online: true });
  const line_id = device.lines[0]!.id;
  device_id = device.id;
  await makeAlarm(world.pool, device, { at: world.clock.now() });
  const at = new Date(world.clock.now());
  for (const { userId } of callers)
    await world.db
      .insertInto('messages')
      .values({
        user_id: userId,
        type: 'system',
        key: 'feedback.new',
        data: JSON.stringify({ who: 'A', text: 'B' }),
        at,
      })
      .execute();
  for (const time of ['08:00', '09:00'])
    await admin.call('/device_timing/add_device_timing', {
      line_id,
      type: 'weekly',
      w1: true,
      w7: true,
      time,
      action: 'open',
    });
  await admin.call('/device_warning/add_warning_timing', { channel: 'app', to_contacts: true });
});
afterAll(() => world.close());

const pairs = pagedLists.flatMap((list) => {
  const sheet = exportOfList(list);
  return sheet ? [[sheet.path, list, sheet] as const] : [];
});
test.each(pairs)('%s exports the rows of its list, for users who may read it', async (_path, list, sheet) => {
  for (const caller of callers) {
    const known = { rollout_id: 1, device_id };
    const rows = await caller.call(list.endpoint.path, sampleBody(list.endpoint.body, known));
    for (const language of languages) {
      const { response } = await caller.call(sheet.path, sampleBody(sheet.body, known), {
        'accept-language': language,
      });
      expect(response.statusCode).toBe(rows.status);
      if (rows.status !== 200) continue;
      const [head = [], ...body] =
        (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
      expect(body).toHaveLength(rows.data.total);
      expect(head).not.toContain('');
      expect(head.length).toBeGreaterThan(2);
    }
  }
});

test('a timer is exported as its list shows it', async () => {
  const { response } = await callers[0]!.call('/device_timing/export', {}, { 'accept-language': 'en-US' });
  const rows = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
  expect(rows.map((row) => row.slice(3, 6))).toEqual([
    ['Action', 'Time', 'Days'],
    ['Open', '08:00', 'Mon, Sun'],
    ['Open', '09:00', 'Mon, Sun'],
  ]);
});

test('an export of alarm types uses the typed search words', async () => {
  const { response } = await callers[0]!.call('/device_warning_type/export', { name: '101' });
  const rows = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
  expect(rows.slice(1).map(([number]) => number)).toEqual([101]);
});
