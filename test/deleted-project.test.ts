import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindAll } from './all-features.ts';
import { makeProject, makeUser } from './factories.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
});
afterAll(() => world.close());

it.each([
  ['the overview', '/index/warin_type_trend', {}],
  ['codes of panels', '/device_info/qrcodes', {}],
  ['lines to try a limit on', '/device_warning/what_if_lines', { typeNumber: 101, key: 'ov_w' }],
])(
  'a deleted project is unknown to %s, also for a user who sees every project',
  async (_name, path, body) => {
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    const project = await makeProject(world.db);
    const ask = async () => (await admin.call(path, { ...body, project_id: project.id })).status;
    expect(await ask()).toBe(200);
    await world.db
      .updateTable('projects')
      .set({ deleted_at: new Date(world.clock.now()) })
      .where('id', '=', project.id)
      .execute();
    expect(await ask()).toBe(404);
  },
);
