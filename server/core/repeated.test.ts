import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sessionEndpoints } from '#contract/session.ts';
import type { Call } from '#server/core/serve.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

/** What the tested call does in its transaction. */
let handle: (call: Call<unknown>) => Promise<void>;
let tries = 0;
let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve) => {
    serve(sessionEndpoints.signOut, async (call) => {
      tries += 1;
      call.note({ [`try_${tries}`]: true });
      call.emit('scheduled.asked', { name: 'rollups' });
      await handle(call);
      return {};
    });
  });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
beforeEach(() => {
  tries = 0;
});
afterAll(() => world.close());

const call = () => admin.call('/sign_user/logout');
const logged = () =>
  world.db.selectFrom('operation_log').select(['outcome', 'parameters']).orderBy('id').execute();
const projectHeld = (db: World['db'], id: number) =>
  sql`select from projects where id = ${id} for update`.execute(db);

test('a call that PostgreSQL ends as the victim of a deadlock is repeated; it emits its events and is logged once', async () => {
  const [first, second] = [await makeProject(world.db), await makeProject(world.db)];
  let crossed: () => void = () => {};
  const bothWait = new Promise<void>((resolve) => {
    crossed = resolve;
  });
  let holding: () => void = () => {};
  const holdsFirst = new Promise<void>((resolve) => {
    holding = resolve;
  });
  handle = async ({ db }) => {
    await projectHeld(db, first.id);
    holding();
    await bothWait;
    await projectHeld(db, second.id);
  };
  const before = (await logged()).length;
  let answer: ReturnType<typeof call> | undefined;
  await world.db.transaction().execute(async (trx) => {
    // The other transaction detects the deadlock and is ended.
    await sql`set local deadlock_timeout = '10min'`.execute(trx);
    await projectHeld(trx, second.id);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    answer = call();
    await holdsFirst;
    const held = projectHeld(trx, first.id);
    await eventually(async () => {
      const waits = await sql`select from pg_locks where pid = ${rows[0]!.pid} and not granted`.execute(
        world.db,
      );
      return waits.rows.length > 0;
    });
    crossed();
    await held;
  });
  expect(await answer!).toMatchObject({ status: 200 });
  expect(tries).toBe(2);
  expect(world.heard('scheduled.asked')).toHaveLength(1);
  const rows = (await logged()).slice(before);
  expect(rows).toMatchObject([{ outcome: 'done', parameters: { try_2: true } }]);
  expect(rows[0]!.parameters).not.toHaveProperty('try_1');
});

test('a call that loses three deadlocks in a row ends and emits no event', async () => {
  const asked = world.heard('scheduled.asked').length;
  handle = async ({ db }) => {
    await sql`do $$ begin raise exception 'met' using errcode = '40001'; end $$`.execute(db);
  };
  expect(await call()).toMatchObject({ status: 503 });
  expect(tries).toBe(3);
  expect(world.heard('scheduled.asked')).toHaveLength(asked);
});

test('a call that fails for another reason is not repeated', async () => {
  handle = async ({ db }) => {
    await sql`select 1 / 0`.execute(db);
  };
  expect(await call()).toMatchObject({ status: 500 });
  expect(tries).toBe(1);
});
