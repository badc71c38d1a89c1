import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeProject, makeUser } from '#test/factories.ts';
import { makeSwitch, observe, type Switch } from '#test/switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { eventually } from '#test/wait.ts';
import { type Client, testPassword } from '#test/world.ts';

let world: SwitchingWorld;
let project: number;
let anna: Client;
let boris: Client;
let admin: Client;
let device: Switch;
beforeAll(async () => {
  world = await createSwitchingWorld();
  project = (await makeProject(world.db)).id;
  const inProject = { role: 3, projects: [{ id: project }] };
  anna = await world.as((await makeUser(world.db, { ...inProject, username: 'anna' })).id);
  boris = await world.as((await makeUser(world.db, { ...inProject, username: 'boris' })).id);
  admin = await world.as((await makeUser(world.db, { role: 1, username: 'admin' })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  device = await makeSwitch(world, project, 2);
});

const set = (given: object, by = anna) =>
  by.call('/lockout_tag/add_tag', { reason: 'People at work', ...given });
const remove = (tag_id: number, by: Client, given: object = {}) =>
  by.call('/lockout_tag/remove_tag', { tag_id, ...given });
const close = (line = device.line) =>
  anna.call('/device_do/device_do', { device_id: device.id, line_id: line.id, action: 'close' });

test.each(['line', 'device', 'project'] as const)(
  'while a tag is set on the %s nobody closes a line, and everybody sees the tag',
  async (on) => {
    const target = {
      line: { line_id: device.line.id },
      device: { device_id: device.id },
      project: { project_id: project },
    }[on];
    const tag = await set(target);
    expect(tag).toMatchObject({
      status: 200,
      data: { on, owner: expect.any(String), closing: expect.any(Number) },
    });
    expect(await close()).toMatchObject({ status: 409, data: { reason: 'tagged' } });
    const list = await boris.call('/lockout_tag/get_list', target);
    expect(list.data.list.map((row: { tag_id: number }) => row.tag_id)).toContain(tag.data.tag_id);
    await world.hears('tag.changed', (change) => change.tagId === tag.data.tag_id && change.kind === 'set');
    expect((await remove(tag.data.tag_id, anna)).status).toBe(200);
    expect((await close()).status).toBe(200);
    expect((await remove(tag.data.tag_id, anna)).status).toBe(404);
  },
);

test('a tag lists timers and auto-reclose settings in devices until the devices report that they are off', async () => {
  const elsewhere = await makeProject(world.db);
  const held = await makeSwitch(world, elsewhere.id, 2);
  const reports = (config: object) =>
    world.db
      .insertInto('device_reported')
      .values({
        device_id: held.id,
        kind: 'cfg',
        received_at: new Date(world.clock.now()),
        payload: JSON.stringify({ rev: 1, ...config }),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['device_id', 'kind'])
          .doUpdateSet((eb) => ({ payload: eb.ref('excluded.payload') })),
      )
      .execute();
  const holding = async () =>
    (await admin.call('/lockout_tag/get_list', { project_id: elsewhere.id })).data.list.map(
      (row: { holding: number }) => row.holding,
    );
  const timer = { i: 1, n: 1, type: 'weekly', days: 31, time: '08:00', en: 1 };
  await reports({ en: { auto_reclose: true } });
  const on = { line: { line_id: held.line.id }, project: { project_id: elsewhere.id } };
  expect((await set(on.line, admin)).data).toMatchObject({ holding: 1 });
  expect((await set(on.project, admin)).data).toMatchObject({ holding: 1 });
  await reports({ en: { auto_reclose: false }, timers: [{ ...timer, action: 'close' }] });
  expect(await holding()).toEqual([1, 1]);
  await reports({
    timers: [
      { ...timer, action: 'open' },
      { ...timer, action: 'close', en: 0 },
    ],
  });
  expect(await holding()).toEqual([0, 0]);
});

test('a tag is removed only by its owner, or by an administrator with password and reason', async () => {
  const { data } = await set({ line_id: device.line.id });
  expect((await remove(data.tag_id, boris)).status).toBe(403);
  expect((await remove(data.tag_id, admin)).status).toBe(409);
  expect((await remove(data.tag_id, admin, { password: testPassword })).status).toBe(409);
  expect((await remove(data.tag_id, admin, { password: 'wrong123', reason: 'Left' })).status).toBe(422);
  world.clock.advance(60_000);
  const removed = await remove(data.tag_id, admin, { password: testPassword, reason: 'Owner went home' });
  expect(removed).toMatchObject({
    status: 200,
    data: { removed_by: 'admin', removal_reason: 'Owner went home' },
  });
  const logged = await world.db
    .selectFrom('operation_log')
    .select(['key', 'operator', 'outcome', 'parameters'])
    .where('key', 'in', ['tag.set', 'tag.remove'])
    .where('project_id', '=', project)
    .orderBy('id', 'desc')
    .limit(5)
    .execute();
  expect(logged.map((row) => [row.key, row.operator, row.outcome])).toEqual([
    ['tag.remove', 'admin', 'done'],
    ['tag.remove', 'admin', 'refused'],
    ['tag.remove', 'admin', 'refused'],
    ['tag.remove', 'boris', 'refused'],
    ['tag.set', 'anna', 'done'],
  ]);
  expect(JSON.stringify(logged)).not.toContain(testPassword);
});

test('outside the scope no tag can be set or seen', async () => {
  const other = await makeProject(world.db);
  const stranger = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: other.id }] })).id);
  for (const target of [{ line_id: device.line.id }, { device_id: device.id }, { project_id: project }])
    expect((await set(target, stranger)).status).toBe(404);
  const { data } = await set({ device_id: device.id });
  expect((await remove(data.tag_id, stranger)).status).toBe(404);
  expect((await stranger.call('/lockout_tag/get_list', {})).data.list).toEqual([]);
  expect((await remove(data.tag_id, anna)).status).toBe(200);
});

test('errors of a tag are marked at their fields', async () => {
  expect((await set({})).data).toHaveProperty('line_id');
  expect((await set({ line_id: device.line.id, device_id: device.id })).data).toHaveProperty('line_id');
  expect((await set({ line_id: device.line.id, reason: ' ' })).data).toHaveProperty('reason');
  const past = new Date(world.clock.now() - 1000).toISOString();
  expect((await set({ line_id: device.line.id, review_at: past })).data).toHaveProperty('review_at');
  expect((await set({ line_id: device.line.id, photo_id: crypto.randomUUID() })).data).toHaveProperty(
    'photo_id',
  );
});

test('the owner of a tag is reminded once when its review is due, and sets the next review', async () => {
  const reviewAt = world.clock.now() + 50_000;
  const { data } = await set({ line_id: device.line.id, review_at: new Date(reviewAt).toISOString() });
  const reminders = () =>
    world.heard('tag.changed').filter((change) => change.tagId === data.tag_id && change.kind === 'review');
  world.clock.advance(49_999);
  expect(reminders()).toEqual([]);
  world.clock.advance(1);
  await eventually(async () => reminders().length === 1);
  expect(reminders()).toMatchObject([{ ownerId: anna.userId, on: { lineId: device.line.id } }]);
  world.clock.advance(120_000);
  const list = await anna.call('/lockout_tag/get_list', { line_id: device.line.id });
  expect(list.data.list[0]).toMatchObject({ review_due: true });
  const next = new Date(world.clock.now() + 30_000).toISOString();
  expect((await boris.call('/lockout_tag/review_tag', { tag_id: data.tag_id, review_at: next })).status).toBe(
    403,
  );
  expect(await anna.call('/lockout_tag/review_tag', { tag_id: data.tag_id, review_at: next })).toMatchObject({
    data: { review_due: false },
  });
  world.clock.advance(30_000);
  await eventually(async () => reminders().length === 2);
});

test('a tagged device can neither move to another project and back nor be deleted', async () => {
  const [site, elsewhere] = [(await makeProject(world.db)).id, (await makeProject(world.db)).id];
  const mover = await world.as(
    (await makeUser(world.db, { role: 3, projects: [{ id: site }, { id: elsewhere }] })).id,
  );
  const [kept, free] = [await makeSwitch(world, site), await makeSwitch(world, site)];
  const english = { 'accept-language': 'en' };
  const ids = { device_ids: [kept.id] };
  const tag = await set({ project_id: site }, mover);
  const skipped = [
    {
      id: kept.id,
      result: 'skipped',
      reason: 'device.tagged',
      message: 'A lock-out tag is set: the device cannot be moved or deleted until the tag is removed',
    },
  ];
  const bind = (body = ids, to = elsewhere) =>
    mover.call('/Project/bind_device', { ...body, project_id: to }, english);
  expect((await bind()).data.results).toEqual(skipped);
  expect((await mover.call('/Device/remove_device', ids, english)).data.results).toEqual(skipped);
  expect((await admin.call('/device/del_device', ids, english)).data.results).toEqual(skipped);
  const { revision } = (await mover.call('/device/get_device_info_set', { device_id: kept.id })).data;
  const change = (given: object) =>
    mover.call('/Device/change_device', { device_id: kept.id, revision, ...given }, english);
  expect(await change({ project_id: elsewhere })).toMatchObject({ status: 409, msg: skipped[0]!.message });
  expect(await change({ project_id: site, name: 'Pump' })).toMatchObject({ status: 200 });
  await remove(tag.data.tag_id, mover);
  expect((await bind()).data.results).toEqual([{ id: kept.id, result: 'done' }]);

  // A tag on the device or one of its lines stays with it, and prevents its deletion.
  await set({ line_id: free.line.id }, mover);
  expect((await bind({ device_ids: [free.id] })).data.results).toEqual([{ id: free.id, result: 'done' }]);
  expect((await admin.call('/device/del_device', { device_ids: [free.id] })).data.results).toMatchObject([
    { result: 'skipped', reason: 'device.tagged' },
  ]);
});

test('no tag can be set on a deleted device', async () => {
  const gone = await makeSwitch(world, project);
  await admin.call('/device/del_device', { device_ids: [gone.id] });
  expect((await set({ device_id: gone.id }, admin)).status).toBe(404);
  expect((await set({ line_id: gone.line.id }, admin)).status).toBe(404);
});

test('the preview and the answer of a tag list the lines that are not proved open, with their load', async () => {
  const live = await makeSwitch(world, project, 4);
  const now = world.clock.now();
  await observe(world.db, live.lines[0]!.id, now, {
    position: 1,
    values: { 'U.a': 230, 'I.a': 3.71, 'P.t': 853 },
  });
  await observe(world.db, live.lines[1]!.id, now, {
    position: 0,
    values: { 'U.a': 230, 'I.a': 12, 'P.t': 2760 },
  });
  await observe(world.db, live.lines[2]!.id, now - 121_000, { position: 0 });
  const covered = {
    lines: 4,
    open: 1,
    closed: 1,
    unknown: 2,
    power: 3613,
    not_open: [
      { line_id: live.lines[1]!.id, state: 'unknown', power: 2760 },
      { line_id: live.lines[0]!.id, state: 'closed', current: 3.71, power: 853 },
      { line_id: live.lines[2]!.id, state: 'unknown', current: null, power: null },
    ],
  };
  const on = { device_id: live.id };
  expect((await anna.call('/lockout_tag/preview', on)).data).toMatchObject(covered);
  const { data } = await anna.call('/lockout_tag/add_tag', { ...on, reason: 'Busbar work' });
  expect(data.covered).toMatchObject(covered);
});
