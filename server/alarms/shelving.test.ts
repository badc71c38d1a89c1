import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmRoutes } from './alarms.routes.ts';
import { retally } from './tallies.ts';

const minute = 60_000;
let world: World;
let admin: Client;
let operator: Client;
let reader: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;
let foreign: typeof device;

beforeAll(async () => {
  world = await createWorld(alarmRoutes);
  const project = await makeProject(world.db, { name: 'Harbour' });
  const other = await makeProject(world.db, { name: 'Mill' });
  device = await makeDevice(world.db, { project_id: project.id });
  foreign = await makeDevice(world.db, { project_id: other.id });
  const as = async (given: Parameters<typeof makeUser>[1]) => world.as((await makeUser(world.db, given)).id);
  admin = await as({ role: 1 });
  operator = await as({ role: 3, projects: [project] });
  reader = await as({ role: 40, letters: 'A', projects: [project] });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.deleteFrom('shelved_alarms').execute();
  await world.db.deleteFrom('alarms').execute();
});

let code = 100;
const alarm = (given: Partial<Parameters<typeof makeAlarm>[2]> = {}, on = device) =>
  makeAlarm(world.pool, on, { at: world.clock.now(), code: ++code, ...given });
const shelve = (ids: number[], given: object = {}, who = operator) =>
  who.call('/device_warning/shelve', { ids, minutes: 60, reason: 'contractor on site', ...given });
const unshelve = (ids: number[]) => operator.call('/device_warning/unshelve', { ids });
const listed = async (filter: object = {}, who = operator) => {
  const { list, total } = (await who.call('/device_warning/WarningList', filter)).data;
  expect(total).toBe(list.length);
  return list.map((row: { id: number }) => row.id).sort();
};

it('shelving removes alarms from the list, the bell and the counts, and counts them separately', async () => {
  const [aside, open] = [await alarm(), await alarm()];
  await retally(world.pool);
  expect((await shelve([aside])).data).toMatchObject({ done: 1 });
  for (const who of [operator, admin]) {
    expect(await listed({}, who)).toEqual([open]);
    expect(await listed({ status: 'unprocessed', level: 2 }, who)).toEqual([open]);
    expect(await listed({ shelved: true }, who)).toEqual([aside]);
    expect((await who.call('/device_warning/warin_census')).data).toMatchObject({
      total: 1,
      unprocessed: 1,
      active: 1,
      shelved: 1,
    });
    expect((await who.call('/device_warning/get_news_tips')).data).toMatchObject({ unprocessed: 1 });
  }
  const { data } = await operator.call('/device_warning/getDetatil', { id: aside });
  expect(data.shelved).toEqual({
    until: new Date(world.clock.now() + 60 * minute).toISOString(),
    reason: 'contractor on site',
    operator: expect.stringMatching(/^User/),
  });
  expect(data.history).toMatchObject([{ kind: 'shelved', data: { reason: 'contractor on site' } }]);
  expect(world.heard('alarms.changed').flat()).toContainEqual(
    expect.objectContaining({ alarmId: aside, kind: 'shelved', quiet: true }),
  );
});

it('a batch over all matching alarms leaves out shelved ones', async () => {
  const [aside, open] = [await alarm(), await alarm()];
  await shelve([aside]);
  const given = { filter: { status: 'unprocessed' }, expected: 1, content: 'storm over' };
  expect((await operator.call('/device_warning/batchHandle', given)).data).toMatchObject({ done: 1 });
  expect(await listed({ status: 'processed' })).toEqual([open]);
});

it('shelving ends by itself at its time, and earlier when a user unshelves the alarm, its level rises or its cause has ended', async () => {
  const [timed, taken, rising, over] = [
    await alarm(),
    await alarm(),
    await alarm({ level: 1 }),
    await alarm(),
  ];
  await shelve([timed, taken, rising, over]);
  expect(await listed()).toEqual([]);
  expect((await unshelve([taken, taken])).data).toMatchObject({ done: 1 });
  expect((await unshelve([taken])).data.results).toEqual([
    { id: taken, result: 'skipped', reason: 'unshelved' },
  ]);
  await world.db.updateTable('alarms').set({ level: 2 }).where('id', '=', rising).execute();
  await world.db
    .updateTable('alarms')
    .set({ cleared_at: new Date(world.clock.now()) })
    .where('id', '=', over)
    .execute();
  expect(await listed()).toEqual([taken, rising, over].sort());
  world.clock.advance(60 * minute - 1);
  expect(await listed({ shelved: true })).toEqual([timed]);
  world.clock.advance(1);
  expect(await listed()).toEqual([timed, taken, rising, over].sort());
  expect(await listed({ shelved: true })).toEqual([]);
});

it('shelving ends at the time that was set last', async () => {
  const id = await alarm();
  await shelve([id], { minutes: 30 });
  world.clock.advance(20 * minute);
  await shelve([id], { minutes: 30, reason: 'still there' });
  world.clock.advance(20 * minute);
  expect(await listed({ shelved: true })).toEqual([id]);
});

it('shelving applies to active, unprocessed alarms within the scope, and reports the result of each', async () => {
  const [open, done, over, elsewhere] = [
    await alarm(),
    await alarm({ handled: true }),
    await alarm({ cleared: true }),
    await alarm({}, foreign),
  ];
  expect((await shelve([open, done, over, elsewhere])).data.results).toEqual([
    { id: open, result: 'done' },
    { id: done, result: 'skipped', reason: 'processed' },
    { id: over, result: 'skipped', reason: 'ended' },
    { id: elsewhere, result: 'denied', reason: 'missing' },
  ]);
  expect(await listed({}, admin)).toEqual([done, over, elsewhere].sort());
});

it('shelving needs a reason, a duration of at most eight hours, at least one alarm, and the permission', async () => {
  const id = await alarm();
  for (const [wrong, field] of [
    [{ reason: ' x ' }, 'reason'],
    [{ reason: undefined }, 'reason'],
    [{ minutes: 481 }, 'minutes'],
    [{ minutes: 0 }, 'minutes'],
    [{ ids: [] }, 'ids'],
  ] as const) {
    const refused = await shelve([id], wrong);
    expect([refused.status, Object.keys(refused.data)]).toEqual([422, [field]]);
  }
  expect((await shelve([id], {}, reader)).status).toBe(403);
  expect((await shelve([id], { minutes: 480 })).data.done).toBe(1);
});
