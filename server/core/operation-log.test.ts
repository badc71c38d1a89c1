import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '#test/world.ts';
import { appendOperation, firstBrokenOperation } from './operation-log.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld(() => {});
});
afterAll(() => world.close());

const operation = (n: number) => ({
  at: new Date(world.clock.now() + n),
  userId: null,
  operator: 'test',
  key: `test.${n}`,
  channel: 'api',
  address: '::1',
  requestId: String(n),
  outcome: 'done' as const,
  code: 200,
  projectId: null,
  deviceId: n,
  parameters: { b: 1, a: { d: undefined, c: [1.5, 'Ω'] } },
});

it('chains rows also when many write at once, and names the first row that somebody changed, or a missing end', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      world.db.transaction().execute((trx) => appendOperation(trx, operation(n))),
    ),
  );
  expect(await firstBrokenOperation(world.db)).toBeNull();
  await expect(
    world.db.updateTable('operation_log').set({ operator: 'nobody' }).where('id', '=', 7).execute(),
  ).rejects.toThrow('append-only');
  await expect(world.db.deleteFrom('operation_log').where('id', '=', 20).execute()).rejects.toThrow(
    'append-only',
  );
  await sql`alter table operation_log disable trigger all`.execute(world.db);
  await world.db.updateTable('operation_log').set({ operator: 'nobody' }).where('id', '=', 7).execute();
  expect(await firstBrokenOperation(world.db)).toBe(7);
  await world.db.updateTable('operation_log').set({ operator: 'test' }).where('id', '=', 7).execute();
  await world.db.deleteFrom('operation_log').where('id', '=', 20).execute();
  expect(await firstBrokenOperation(world.db)).toBe(20);
});
