import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBus } from '#server/core/bus.ts';
import { makeDevice } from '#test/factories.ts';
import { eventually } from '#test/world.ts';
import { Directory } from './directory.ts';
import { type LinkWorld, linkWorld } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());

it('is asked twice for a device that is being loaded: what the first asker noted meanwhile stays', async () => {
  const { number } = await makeDevice(world.db);
  const directory = new Directory(
    world.pool,
    createBus(() => {}),
    () => world.clock.now(),
    () => {},
  );
  const blocker = await world.pool.connect();
  await blocker.query('begin; lock table device_seen in access exclusive mode');
  const first = directory.load(number).then((device) => {
    device?.seen.add(1, 0);
    return device;
  });
  await eventually(async () => {
    const { rows } = await blocker.query(
      `select from pg_locks where relation = 'device_seen'::regclass and not granted`,
    );
    return rows.length > 0;
  });
  const second = directory.load(number);
  await blocker.query('rollback');
  blocker.release();
  expect(await second).toBe(await first);
  expect((await first)?.seen.add(1, 0)).toBe('duplicate');
});
