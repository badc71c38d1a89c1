import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CfgMessage } from '#contract/telemetry.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { makeSwitch, type Switch } from '#test/switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { type Client, eventually } from '#test/world.ts';

let world: SwitchingWorld;
let project: number;
let anna: Client;
let device: Switch;
beforeAll(async () => {
  world = await createSwitchingWorld();
  project = (await makeProject(world.db)).id;
  anna = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  device = await makeSwitch(world, project);
  await world.db
    .updateTable('devices')
    .set({ caps: ['open', 'close', 'timer2'] })
    .where('id', '=', device.id)
    .execute();
  world.configs.length = 0;
  world.configTrouble.away = false;
  await reports({ rev: 17, timers: [] }, false);
});

/** The device tells its configuration: the row as ingest writes it, and the event. */
const reports = async (told: Partial<CfgMessage> & { rev: number }, tell = true) => {
  const config: CfgMessage = { v: 1, p: {}, ...told };
  await sql`insert into device_reported (device_id, kind, received_at, payload)
    values (${device.id}, 'cfg', ${new Date(world.clock.now())}, ${JSON.stringify(config)})
    on conflict (device_id, kind) do update set payload = excluded.payload`.execute(world.db);
  if (tell) world.bus.emit('device.config', { deviceId: device.id, config });
};
const weekly = { type: 'weekly', w1: true, w5: true, time: '08:00', action: 'close', run_by: 'device' };
const add = (given: object = {}) =>
  anna.call('/device_timing/add_device_timing', { line_id: device.line.id, ...weekly, ...given });
const pushed = (count: number) =>
  eventually(async () => world.configs.length >= count && world.configs[count - 1]!.config);
const sync = async () =>
  (await anna.call('/device_timing/get_list', { device_id: device.id })).data.list[0].sync as string;
const becomes = (state: string) => eventually(async () => (await sync()) === state);

test('a timer that the device runs is pushed to it, and is synced when the device confirms it', async () => {
  expect((await add()).data).toMatchObject({ sync: 'pending', run_by: 'device' });
  const push = await pushed(1);
  expect(push).toMatchObject({
    base: 17,
    tz: 'Asia/Shanghai',
    utcoff: 480,
    timers: [{ i: 1, n: 1, type: 'weekly', days: 0b10001, time: '08:00', action: 'close', en: 1 }],
  });
  await reports({ rev: 18, id: push.id, st: 'applied', timers: push.timers! });
  await becomes('synced');
  const runs = await world.db
    .selectFrom('timer_runs')
    .selectAll()
    .where('device_id', '=', device.id)
    .execute();
  expect(runs).toEqual([]);
});

test('the server does not run it too', async () => {
  const { data } = await add();
  const due = Date.parse(data.next_at);
  await pushed(1);
  world.clock.advance(due - world.clock.now() + 1000);
  await eventually(async () => {
    const row = await world.db
      .selectFrom('timers')
      .select('next_at')
      .where('id', '=', data.timer_id)
      .executeTakeFirst();
    return row!.next_at!.getTime() > due;
  });
  const runs = await world.db
    .selectFrom('timer_runs')
    .selectAll()
    .where('device_id', '=', device.id)
    .execute();
  expect(runs).toEqual([]);
});

test('made against a stale revision it is pushed again against the new one', async () => {
  anna = await world.as(anna.userId);
  await add();
  const first = await pushed(1);
  await reports({ rev: 20, id: first.id, st: 'conflict', timers: [] });
  const second = await pushed(2);
  expect(second.base).toBe(20);
  await reports({ rev: 21, id: second.id, st: 'rejected', timers: [] });
  await becomes('conflict');
});

test('a device that is away gets it when it comes back', async () => {
  world.configTrouble.away = true;
  await add();
  await eventually(async () => {
    const row = await world.db
      .selectFrom('timer_copies')
      .selectAll()
      .where('device_id', '=', device.id)
      .executeTakeFirst();
    return row?.push_id !== null && row?.pushed_at === null;
  });
  world.configTrouble.away = false;
  world.bus.emit('device.online', {
    deviceId: device.id,
    online: true,
    at: world.clock.now(),
    why: 'connect',
  });
  await pushed(1);
});

test('timers changed at the device are shown as a conflict and left alone until somebody decides', async () => {
  await add();
  const push = await pushed(1);
  await reports({ rev: 18, id: push.id, st: 'applied', timers: push.timers! });
  await becomes('synced');
  await reports({ rev: 19, timers: [{ ...push.timers![0]!, time: '09:00' }] });
  await becomes('conflict');
  expect(world.configs).toHaveLength(1);
});

test('while a lock-out tag stands the device’s closing timers rest', async () => {
  await add();
  const first = await pushed(1);
  await reports({ rev: 18, id: first.id, st: 'applied', timers: first.timers! });
  await becomes('synced');
  await add({ action: 'open' });
  const push = await pushed(2);
  await reports({ rev: 19, id: push.id, st: 'applied', timers: push.timers! });
  await becomes('synced');
  const tag = await anna.call('/lockout_tag/add_tag', { line_id: device.line.id, reason: 'Work' });
  const resting = await pushed(3);
  expect(resting.timers!.map((timer) => [timer.action, timer.en])).toEqual([
    ['close', 0],
    ['open', 1],
  ]);
  await reports({ rev: 20, id: resting.id, st: 'applied', timers: resting.timers! });
  await becomes('synced');
  await anna.call('/lockout_tag/remove_tag', { tag_id: tag.data.tag_id });
  expect((await pushed(4)).timers!.map((timer) => timer.en)).toEqual([1, 1]);
});

test('it holds as many as it says', async () => {
  await add();
  await add();
  expect(await add()).toMatchObject({ status: 422 });
});
