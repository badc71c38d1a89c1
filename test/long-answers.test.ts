/** An export that is still under way when its reader loses the right to it. */
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { makeProject, makeUser } from './factories.ts';
import { eventually } from './wait.ts';
import { createWorld, type World } from './world.ts';

/** An export whose rows come when the test wants them. */
const slow = endpoint({
  method: 'POST',
  path: '/test/slow_export',
  permission: 'alarm.handle',
  stream: true,
  body: z.strictObject({}),
  reply: z.unknown(),
});
let world: World;
let origin: string;
let next: () => void;
let stopped: boolean;
beforeAll(async () => {
  world = await createWorld((serve) =>
    serve(slow, () =>
      Readable.from(
        (async function* () {
          try {
            for (;;) {
              yield 'row\n';
              await new Promise<void>((resolve) => {
                next = resolve;
              });
            }
          } finally {
            stopped = true;
          }
        })(),
      ),
    ),
  );
  await world.app.listen({ port: 0 });
  origin = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`;
});
afterAll(() => world.close());
beforeEach(() => {
  stopped = false;
});

const reading = async (role: number) => {
  const [kept, lost] = [await makeProject(world.db), await makeProject(world.db)];
  const user = await makeUser(world.db, { role, letters: 'D', projects: [kept, lost] });
  const { token } = await world.as(user.id);
  const answer = await fetch(origin + slow.path, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: '{}',
  });
  const reader = answer.body!.getReader();
  const row = async () => Buffer.from((await reader.read()).value ?? []).toString();
  expect(await row()).toBe('row\n');
  const more = async () => {
    world.clock.advance(1000);
    next();
    return row();
  };
  return { user, lost, more, leave: () => reader.cancel() };
};

it('an export goes on for a reader who keeps the right to it', async () => {
  const { user, more, leave } = await reading(201);
  expect(await more()).toBe('row\n');
  const another = await makeProject(world.db);
  await world.db.insertInto('user_projects').values({ user_id: user.id, project_id: another.id }).execute();
  expect(await more()).toBe('row\n');
  await leave();
});

it.each<[what: string, role: number, take: (of: { userId: number; lost: number }) => Promise<unknown>]>([
  [
    'the session',
    202,
    ({ userId }) =>
      world.db.updateTable('sessions').set({ ended_as: -202 }).where('user_id', '=', userId).execute(),
  ],
  [
    'the account',
    203,
    ({ userId }) => world.db.updateTable('users').set({ enabled: false }).where('id', '=', userId).execute(),
  ],
  [
    'the permission',
    204,
    () => world.db.updateTable('roles').set({ letters: 'A' }).where('code', '=', 204).execute(),
  ],
  [
    'one of the projects',
    205,
    ({ lost }) => world.db.deleteFrom('user_projects').where('project_id', '=', lost).execute(),
  ],
])('an export breaks off when its reader loses %s', async (_what, role, take) => {
  const { user, lost, more } = await reading(role);
  await take({ userId: user.id, lost: lost.id });
  await expect(more()).rejects.toThrow('terminated');
  // The rows are read no further.
  await eventually(async () => {
    next();
    return stopped;
  });
});
