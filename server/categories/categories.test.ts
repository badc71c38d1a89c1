import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { deviceRoutes } from '#server/devices/devices.routes.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { categoryRoutes } from './categories.routes.ts';

let world: World;
let admin: Client;
let icon: string;
const makeIcon = async (userId: number) => {
  const id = randomUUID();
  await world.db
    .insertInto('uploads')
    .values({
      id,
      media_type: 'image/png',
      bytes: 1,
      sha256: Buffer.alloc(32),
      content: Buffer.alloc(1),
      created_by: userId,
      created_at: new Date(world.clock.now()),
    })
    .execute();
  return id;
};
beforeAll(async () => {
  world = await createWorld((serve) => {
    categoryRoutes(serve);
    deviceRoutes(serve);
  });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  icon = await makeIcon(admin.userId);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.deleteFrom('categories').execute();
});

const add = async (name: string, by = admin) =>
  by.call(
    '/category/add',
    { name, icon_id: icon, description: `All ${name}` },
    { 'accept-language': 'en-US' },
  );
const list = async (body: object = {}) => (await admin.call('/category/get_list', body)).data;

test('an account that does not manage every project changes no category', async () => {
  const { id } = (await add('Pumps')).data;
  const project = await makeProject(world.db);
  const user = await makeUser(world.db, { role: 77, letters: 'J', projects: [{ id: project.id }] });
  const tenant = await world.as(user.id);
  const refused = sentence('permission.everyProject', 'en-US');
  for (const [path, body] of [
    ['/category/add', { name: 'Lifts', icon_id: await makeIcon(user.id) }],
    ['/category/edit', { id, enabled: false }],
    ['/category/del', { ids: [id] }],
  ] as const) {
    const answer = await tenant.call(path, body, { 'accept-language': 'en-US' });
    expect([answer.status, answer.msg]).toEqual([403, refused]);
  }
  expect((await tenant.call('/category/get_list')).data.list).toMatchObject([{ id, status: 'enabled' }]);
});

test('a category can be added with its icon, found by name, changed and disabled', async () => {
  const { id } = (await add('Pumps')).data;
  await add('Lifts');
  expect(await list({ name: 'pum' })).toMatchObject({
    total: 1,
    list: [{ id, name: 'Pumps', icon_id: icon, description: 'All Pumps', status: 'enabled', devices: 0 }],
  });
  expect((await admin.call('/category/edit', { id, enabled: false, revision: 1 })).data.revision).toBe(2);
  expect((await admin.call('/category/edit', { id, name: 'X', revision: 1 })).status).toBe(409);
  expect((await list({ status: 'disabled' })).list.map(({ name }: { name: string }) => name)).toEqual([
    'Pumps',
  ]);
  expect((await admin.call('/category/options')).data.list.map(({ name }: { name: string }) => name)).toEqual(
    ['Lifts'],
  );
});

test('a name that is taken is refused, also with other capitals', async () => {
  await add('Pumps');
  expect(await add('PUMPS')).toMatchObject({
    status: 409,
    data: { name: 'A category of this name exists already' },
  });
});

test.each([
  ['zh-CN', '请选择类别图标'],
  ['en-US', 'Choose an icon for the category'],
  ['ru-RU', 'Выберите значок категории'],
])('a category needs an icon: %s', async (language, message) => {
  const answer = await admin.call('/category/add', { name: 'Pumps' }, { 'accept-language': language });
  expect(answer).toMatchObject({ status: 422, data: { icon_id: message } });
});

test('a category needs an icon that exists', async () => {
  const body = { name: 'Pumps', icon_id: randomUUID() };
  expect(await admin.call('/category/add', body)).toMatchObject({
    status: 422,
    data: { icon_id: expect.any(String) },
  });
});

test('devices are assigned to a category and found by it; a category in use cannot be deleted', async () => {
  const { id } = (await add('Pumps')).data;
  const { id: unused } = (await add('Lifts')).data;
  const device = await makeDevice(world.db, {});
  await makeDevice(world.db, {});
  const changed = await admin.call('/Device/change_device', {
    device_id: device.id,
    revision: 1,
    category_id: id,
  });
  expect(changed, changed.msg).toMatchObject({ status: 200 });
  expect(
    (await admin.call('/Device/get_device_list', { category_id: id })).data.list.map(
      ({ device_id }: { device_id: number }) => device_id,
    ),
  ).toEqual([device.id]);
  expect((await list({ name: 'Pumps' })).list[0].devices).toBe(1);
  expect((await admin.call('/category/del', { ids: [id, unused, 9999] })).data.results).toEqual([
    { id, result: 'skipped', reason: 'used', message: sentence('category.used', 'zh-CN') },
    { id: unused, result: 'done' },
    { id: 9999, result: 'skipped', reason: 'missing', message: sentence('category.missing', 'zh-CN') },
  ]);
});

test('a device is not assigned to a category that does not exist', async () => {
  const device = await makeDevice(world.db, {});
  const answer = await admin.call(
    '/Device/change_device',
    { device_id: device.id, revision: 1, category_id: 4711 },
    { 'accept-language': 'en-US' },
  );
  expect(answer).toMatchObject({ status: 422, data: { category_id: 'This category does not exist' } });
});
