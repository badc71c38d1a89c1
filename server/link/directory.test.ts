import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherFacts } from '#server/control/facts.ts';
import { createBus } from '#server/core/bus.ts';
import { lineRefsOf } from '#server/core/line-ref.ts';
import { makeDevice, makeProject } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { Directory } from './directory.ts';
import { type LinkWorld, linkWorld } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());

it('two requests while a device is being loaded both get the changes noted meanwhile', async () => {
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

it('a sign-in waits for a new secret that is being read', async () => {
  const { id, number } = await makeDevice(world.db);
  const bus = createBus(() => {});
  const directory = new Directory(
    world.pool,
    bus,
    () => world.clock.now(),
    () => {},
  );
  directory.start();
  const former = (await directory.load(number))?.secretHash;
  const fresh = Buffer.alloc(32, 7);
  await world.db.updateTable('devices').set({ secret_hash: fresh }).where('id', '=', id).execute();
  const blocker = await world.pool.connect();
  await blocker.query('begin; lock table device_seen in access exclusive mode');
  bus.emit('device.changed', { deviceId: id, what: 'record' });
  const asked = directory.loadPresent(number);
  await eventually(async () => {
    const { rows } = await blocker.query(
      `select from pg_locks where relation = 'device_seen'::regclass and not granted`,
    );
    return rows.length > 0;
  });
  expect(directory.get(number)?.secretHash).toEqual(former);
  await blocker.query('rollback');
  blocker.release();
  expect((await asked)?.secretHash).toEqual(fresh);
  directory.stop();
});

it('loads a line with the limits in effect, like the query for the server’s findings', async () => {
  const project = await makeProject(world.db);
  const { id, number, lines, deviceLine } = await makeDevice(world.db, { project_id: project.id, lines: 2 });
  const set = (project_id: number, thresholds: object) =>
    world.db
      .insertInto('default_thresholds')
      .values({
        project_id,
        device_type: 3,
        thresholds: JSON.stringify(thresholds),
        updated_at: new Date(),
        updated_by: 1,
      })
      .execute();
  await set(0, { ov_a: 1, ov_w: 1, uv_a: 1, uv_w: 1 });
  await set(project.id, { ov_w: 2, uv_a: 2, uv_w: 2 });
  const own = (lineId: number, thresholds: object) =>
    world.db
      .updateTable('lines')
      .set({ thresholds: JSON.stringify(thresholds) })
      .where('id', '=', lineId)
      .execute();
  await own(deviceLine.id, { uv_a: 3, uv_w: 3 });
  await own(lines[0]!.id, { uv_w: 4 });
  const directory = new Directory(
    world.pool,
    createBus(() => {}),
    () => world.clock.now(),
    () => {},
  );
  const known = (await directory.load(number))!.lines.map((line) => line?.ref);
  expect(known[1]?.thresholds).toEqual({ ov_a: 1, ov_w: 2, uv_a: 3, uv_w: 4 });
  expect(known[2]?.thresholds).toEqual({ ov_a: 1, ov_w: 2, uv_a: 3, uv_w: 3 });
  const all = [deviceLine, ...lines].map((line) => line.id);
  const found = await lineRefsOf(world.db, all);
  expect(all.map((lineId) => found.get(lineId))).toEqual(
    known.map((ref) => ({ ...ref, poles: expect.any(Number) })),
  );
  const facts = (await gatherFacts(world.db, { deviceIds: [id], now: world.clock.now() })).get(id)!;
  expect(facts.lines.map((line) => line.thresholds)).toEqual(known.map((ref) => ref?.thresholds));
});

describe('a change', () => {
  /** A directory whose first answer is delayed until released, so that it arrives after later ones. */
  const slowAtFirst = () => {
    const bus = createBus(() => {});
    const onItsWay = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const asked: Promise<unknown>[] = [];
    const query = (text: string, values: unknown[]) => {
      const isFirst = asked.length === 0;
      const answer = world.pool.query(text, values).then(async (found) => {
        answered.resolve();
        if (isFirst) await onItsWay.promise.then(() => Promise.all(asked.slice(1)));
        return found;
      });
      asked.push(answer);
      return answer;
    };
    const directory = new Directory(
      { query } as unknown as pg.Pool,
      bus,
      () => world.clock.now(),
      () => {},
    );
    directory.start();
    return { directory, bus, answered: answered.promise, letGo: onItsWay.resolve };
  };
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('a change to a device that is being loaded is not lost', async () => {
    const device = await makeDevice(world.db);
    const { directory, bus, answered, letGo } = slowAtFirst();
    const gone: string[] = [];
    directory.onGone = (number) => gone.push(number);
    const loading = directory.load(device.number);
    await answered;
    await world.db
      .updateTable('devices')
      .set({ deleted_at: new Date(world.clock.now()) })
      .where('id', '=', device.id)
      .execute();
    bus.emit('device.changed', { deviceId: device.id, what: 'place' });
    await turns();
    letGo();
    await loading;
    await eventually(async () => gone.includes(device.number));
    expect(directory.get(device.number)).toBeUndefined();
  });

  it('a change is not undone by the late answer to an earlier query', async () => {
    const [device, other] = [await makeDevice(world.db), await makeDevice(world.db)];
    const { directory, bus, answered, letGo } = slowAtFirst();
    const changeTo = (seconds: number) =>
      world.db.updateTable('devices').set({ upload_seconds: seconds }).where('id', '=', device.id).execute();
    await changeTo(20);
    const loading = directory.load(device.number);
    await answered;
    await changeTo(40);
    // Requested a moment later, together with the other device: this answer is the newer one.
    const both = directory.load(other.number);
    bus.emit('device.changed', { deviceId: device.id, what: 'place' });
    await turns();
    letGo();
    await Promise.all([loading, both]);
    await eventually(async () => directory.get(device.number)?.uploadSeconds === 40);
  });
});
