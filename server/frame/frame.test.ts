import { afterAll, beforeAll, expect, it } from 'vitest';
import { frameCall, frameParts, overviewCall, overviewParts } from '#contract/frame-parts.ts';
import { bindAll } from '#test/all-features.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { createWorld, type World } from '#test/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld(bindAll);
});
afterAll(() => world.close());

it.each([
  { who: 'an administrator', role: 1, letters: '' },
  { who: 'the administrator of a project', role: 3, letters: '' },
  { who: 'an operator who may not see alarms', role: 150, letters: 'M' },
])('$who gets exactly the answers of the separate calls in one call', async ({ role, letters }) => {
  const project = await makeProject(world.db);
  await makeDevice(world.db, { project_id: project.id });
  const user = await makeUser(world.db, { role, letters, projects: role === 1 ? [] : [project] });
  const client = await world.as(user.id);
  for (const [path, parts] of [
    [frameCall.path, frameParts],
    [overviewCall.path, overviewParts],
  ] as const) {
    const together = await client.call(path, {});
    const single = await Promise.all(
      Object.entries(parts).map(async ([name, part]) => {
        const { code, data } = await client.call(part.path, part.body);
        return [name, code === 200 ? data : null] as const;
      }),
    );
    expect(together.data).toEqual(Object.fromEntries(single));
  }
});
