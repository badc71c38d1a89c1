import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { createWorld, type World } from '#test/world.ts';
import { deviceRoutes } from './devices.routes.ts';

const path = '/device_info/qrcodes';
const publicUrl = 'https://console.example';
let world: World;
beforeAll(async () => {
  world = await createWorld((serve) => deviceRoutes(serve, publicUrl));
});
afterAll(() => world.close());

test('the code of a panel holds the address of its device, for users who may see it', async () => {
  const [project, other] = [await makeProject(world.db), await makeProject(world.db)];
  const first = await makeDevice(world.db, { project_id: project.id, number: 'CODE000001' });
  const second = await makeDevice(world.db, { project_id: project.id, number: 'CODE000002' });
  await makeDevice(world.db, { project_id: other.id, number: 'CODE000003' });
  const owner = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
  const ofProject = await owner.call(path, { project_id: project.id });
  expect(ofProject.data).toMatchObject({
    total: 2,
    list: [
      { device_id: first.id, url: `${publicUrl}/p/CODE000001` },
      { device_id: second.id, url: `${publicUrl}/p/CODE000002` },
    ],
  });
  expect((await owner.call(path, { device_id: second.id })).data.list).toMatchObject([
    { number: 'CODE000002' },
  ]);
  expect((await owner.call(path, { project_id: other.id })).status).toBe(404);
  const stranger = await world.as((await makeUser(world.db, { role: 3, projects: [other] })).id);
  expect((await stranger.call(path, { device_id: first.id })).status).toBe(404);
  expect((await stranger.call(path, {})).data).toMatchObject({ total: 1, list: [{ number: 'CODE000003' }] });
});
