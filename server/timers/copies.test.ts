import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { type CfgMessage, type DeviceTimer, lockBits } from '#contract/telemetry.ts';
import { makeProject, makeTag, makeUser } from '#test/factories.ts';
import { makeSwitch, type Switch } from '#test/switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { becomes, eventually } from '#test/wait.ts';
import type { Client } from '#test/world.ts';

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
  anna = await world.as(anna.userId);
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

/** The device reports its configuration: the row as ingest writes it, and the event. */
const reports = async (reported: Partial<CfgMessage> & { rev: number }, emits = true) => {
  const config: CfgMessage = { v: 1, p: {}, ...reported };
  await sql`insert into device_reported (device_id, kind, received_at, payload)
    values (${device.id}, 'cfg', ${new Date(world.clock.now())}, ${JSON.stringify(config)})
    on conflict (device_id, kind) do update set payload = excluded.payload`.execute(world.db);
  if (emits) world.bus.emit('device.config', { deviceId: device.id, config });
};
const weekly = { type: 'weekly', w1: true, w5: true, time: '08:00', action: 'close', run_by: 'device' };
const add = (given: object = {}) =>
  anna.call('/device_timing/add_device_timing', { line_id: device.line.id, ...weekly, ...given });
const mine = () => world.configs.filter((one) => one.deviceNumber === device.number);
const pushed = (count: number) => eventually(async () => mine()[count - 1]?.config);
const sync = async () =>
  (await anna.call('/device_timing/get_list', { device_id: device.id })).data.list[0].sync as string;
const becomesSync = (state: string) => becomes(sync, state);

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
  await becomesSync('synced');
  const runs = await world.db
    .selectFrom('timer_runs')
    .selectAll()
    .where('device_id', '=', device.id)
    .execute();
  expect(runs).toEqual([]);
});

test('a timer that the device runs is not run by the server too', async () => {
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

test('a timer made against an old revision is sent again against the new one', async () => {
  await add();
  const first = await pushed(1);
  await reports({ rev: 20, id: first.id, st: 'conflict', timers: [] });
  const second = await pushed(2);
  expect(second.base).toBe(20);
  await reports({ rev: 21, id: second.id, st: 'rejected', timers: [] });
  await becomesSync('conflict');
});

test('a device that was away gets the timer when it comes back', async () => {
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

test('timers changed at the device are shown as a conflict and stay unchanged until a user decides', async () => {
  await add();
  const push = await pushed(1);
  await reports({ rev: 18, id: push.id, st: 'applied', timers: push.timers! });
  await becomesSync('synced');
  await reports({ rev: 19, timers: [{ ...push.timers![0]!, time: '09:00' }] });
  await becomesSync('conflict');
  expect(mine()).toHaveLength(1);
});

test.each([
  ['no time', [{ i: 1, n: 1, type: 'once', date: '2030-01-01', action: 'close', en: 1 }]],
  [
    'a time that is none',
    [{ i: 1, n: 1, type: 'once', date: '2030-01-01', time: 7, action: 'close', en: 1 }],
  ],
  ['a day that is none', [{ i: 1, n: 1, type: 'once', date: {}, time: '08:00', action: 'close', en: 1 }]],
  ['nothing', [{ en: 1 }]],
  [
    'a day that is none beside the right one',
    ['right', { i: 2, n: 1, type: 'once', date: 'May', time: '08:00', en: 1 }],
  ],
])('a device that reports a timer with %s differs from the server', async (_what, timers) => {
  await add();
  const push = await pushed(1);
  await reports({ rev: 18, id: push.id, st: 'applied', timers: push.timers! });
  await becomesSync('synced');
  const reported = timers.map((timer) => (timer === 'right' ? push.timers![0]! : (timer as DeviceTimer)));
  await reports({ rev: 19, timers: reported });
  await becomesSync('conflict');
});

test('a lock-out tag disables the closing timers in the device', async () => {
  await add();
  const first = await pushed(1);
  await reports({ rev: 18, id: first.id, st: 'applied', timers: first.timers! });
  await becomesSync('synced');
  await add({ action: 'open' });
  const push = await pushed(2);
  await reports({ rev: 19, id: push.id, st: 'applied', timers: push.timers! });
  await becomesSync('synced');
  const tag = await anna.call('/lockout_tag/add_tag', { line_id: device.line.id, reason: 'Work' });
  const resting = await pushed(3);
  expect(resting.timers!.map((timer) => [timer.action, timer.en])).toEqual([
    ['close', 0],
    ['open', 1],
  ]);
  await reports({ rev: 20, id: resting.id, st: 'applied', timers: resting.timers! });
  await becomesSync('synced');
  await anna.call('/lockout_tag/remove_tag', { tag_id: tag.data.tag_id });
  expect((await pushed(4)).timers!.map((timer) => timer.en)).toEqual([1, 1]);
});

test('after a trip, the closing timers of the line in the device are disabled until its inspection is recorded', async () => {
  await add();
  const first = await pushed(1);
  await reports({ rev: 18, id: first.id, st: 'applied', timers: first.timers! });
  await becomesSync('synced');
  const at = new Date(world.clock.now() - 60_000);
  await world.db
    .insertInto('line_trips')
    .values({
      line_id: device.line.id,
      device_id: device.id,
      code: 301,
      grave: true,
      at,
      received_at: at,
    })
    .execute();
  // No event was emitted, so the next round finds it.
  world.clock.advance(60_000);
  const resting = await pushed(2);
  expect(resting.timers).toMatchObject([{ action: 'close', en: 0 }]);
  await reports({ rev: 19, id: resting.id, st: 'applied', timers: resting.timers! });
  await becomesSync('synced');
  anna = await world.as(anna.userId);
  const written = await anna.call('/maintenance/add_record', {
    ...{ project_id: project, device_id: device.id, line_ids: [device.line.id], kind: 'inspection' },
    ...{ handler_name: 'Wang Jun', handler_phone: '13900000202', content: 'Cable replaced' },
    maintenance_time: new Date(world.clock.now()).toISOString(),
  });
  expect(written.status).toBe(200);
  expect((await pushed(3)).timers).toMatchObject([{ en: 1 }]);
});

test('closing timers in a device are disabled as soon as a trip is stored, without a round', async () => {
  await add();
  const first = await pushed(1);
  await reports({ rev: 18, id: first.id, st: 'applied', timers: first.timers! });
  await becomesSync('synced');
  const at = new Date(world.clock.now());
  const trip = { line_id: device.line.id, device_id: device.id, code: 301, grave: true };
  await world.db
    .insertInto('line_trips')
    .values({ ...trip, at, received_at: at })
    .execute();
  // The clock stands still, so that no round comes due.
  world.bus.emit('lines.tripped', { deviceIds: [device.id] });
  expect((await pushed(2)).timers).toMatchObject([{ action: 'close', en: 0 }]);
});

test('a timer in the device does not open a critical line: it is disabled while the line is critical', async () => {
  const chief = await world.as((await makeUser(world.db, { role: 1 })).id);
  const critical = (is: boolean) =>
    chief.call('/device/change_device_line', { line_id: device.line.id, critical: is });
  await add({ action: 'open' });
  const first = await pushed(1);
  expect(first.timers).toMatchObject([{ en: 1 }]);
  await reports({ rev: 18, id: first.id, st: 'applied', timers: first.timers! });
  await becomesSync('synced');
  expect(await critical(true)).toMatchObject({ status: 200 });
  const resting = await pushed(2);
  expect(resting.timers).toMatchObject([{ action: 'open', en: 0 }]);
  await reports({ rev: 19, id: resting.id, st: 'applied', timers: resting.timers! });
  await becomesSync('synced');
  const reported = await anna.call('/device_timing/get_list', { device_id: device.id });
  expect(reported.data.list[0].sync_message).toBe(sentence('control.critical_line', 'zh-CN'));
  await critical(false);
  const again = await pushed(3);
  expect(again.timers).toMatchObject([{ en: 1 }]);
  await reports({ rev: 20, id: again.id, st: 'applied', timers: again.timers! });
  await becomesSync('synced');
  // The row changes without an event, as if a server was killed before it emitted one.
  await world.db.updateTable('lines').set({ critical: true }).where('id', '=', device.line.id).execute();
  world.clock.advance(60_000);
  expect((await pushed(4)).timers).toMatchObject([{ en: 0 }]);
});

describe('a closing timer in the device', () => {
  const synced = () =>
    eventually(async () => {
      const copy = world.db.selectFrom('timer_copies').select('state').where('device_id', '=', device.id);
      return (await copy.executeTakeFirst())?.state === 'synced';
    });
  const first = async () => {
    await add();
    const push = await pushed(1);
    expect(push.timers).toMatchObject([{ days: 0b10001, en: 1 }]);
    await reports({ rev: 18, id: push.id, st: 'applied', timers: push.timers! });
    await synced();
  };
  const opening = { action: 'open', run_by: 'server' };

  test('a weekly closing timer leaves out the days on which the server opens in the same minute, and is disabled if no day is left', async () => {
    await first();
    await add({ ...opening, w1: false });
    const without = await pushed(2);
    expect(without.timers).toMatchObject([{ days: 0b00001, en: 1 }]);
    await reports({ rev: 19, id: without.id, st: 'applied', timers: without.timers! });
    await synced();
    const other = await add({ ...opening, w5: false });
    const resting = await pushed(3);
    expect(resting.timers).toMatchObject([{ en: 0 }]);
    await reports({ rev: 20, id: resting.id, st: 'applied', timers: resting.timers! });
    await anna.call('/device_timing/delete_device_timing', { timer_ids: [other.data.timer_id] });
    expect((await pushed(4)).timers).toMatchObject([{ days: 0b00001, en: 1 }]);
  });

  test('a weekly closing timer leaves out the day of a once timer that opens in the same minute, during the week before it', async () => {
    await first();
    const days = (count: number) => new Date(world.clock.now() + count * 86_400_000);
    // The Friday after next.
    const friday = days(((12 - days(0).getUTCDay()) % 7) + 14);
    const date = friday.toISOString().slice(0, 10);
    const once = { type: 'once', w1: false, w5: false, date, ...opening };
    expect(await add(once)).toMatchObject({ status: 200 });
    world.clock.advance(60_000);
    await synced();
    expect(mine()).toHaveLength(1);
    world.clock.set(friday.getTime() - 7 * 86_400_000);
    const without = await pushed(2);
    expect(without.timers).toMatchObject([{ days: 0b00001, en: 1 }]);
    await reports({ rev: 19, id: without.id, st: 'applied', timers: without.timers! });
    await synced();
    world.clock.set(Date.parse(`${date}T00:00:30Z`));
    expect((await pushed(3)).timers).toMatchObject([{ days: 0b10001, en: 1 }]);
  });
});

test('when the local clocks change the new offset is sent to the device', async () => {
  const berlin = (await makeProject(world.db, { time_zone: 'Europe/Berlin' })).id;
  await world.db
    .insertInto('user_projects')
    .values({ user_id: anna.userId, project_id: berlin, part_ids: [] })
    .execute();
  await anna.call('/Project/bind_device', { device_ids: [device.id], project_id: berlin });
  world.clock.set(Date.parse('2027-03-27T12:00:00Z'));
  anna = await world.as(anna.userId);
  await add();
  const winter = await pushed(1);
  expect(winter).toMatchObject({ tz: 'Europe/Berlin', utcoff: 60 });
  await reports({ rev: 18, id: winter.id, st: 'applied', timers: winter.timers! });
  await becomesSync('synced');
  world.clock.set(Date.parse('2027-03-28T00:59:00Z'));
  anna = await world.as(anna.userId);
  await becomesSync('synced');
  expect(mine()).toHaveLength(1);
  world.clock.set(Date.parse('2027-03-28T01:01:00Z'));
  const summer = await pushed(2);
  expect(summer).toMatchObject({ tz: 'Europe/Berlin', utcoff: 120, timers: winter.timers });
  await reports({ rev: 19, id: summer.id, st: 'applied', timers: summer.timers! });
  await becomesSync('synced');
  world.clock.advance(120_000);
  await becomesSync('synced');
  expect(mine()).toHaveLength(2);
});

describe('closing timers that were made at a device without a timer of the server', () => {
  const own: DeviceTimer[] = [
    { i: 1, n: 1, type: 'weekly', days: 31, time: '08:00', action: 'close', en: 1 },
    { i: 2, n: 1, type: 'weekly', days: 31, time: '18:00', action: 'open', en: 1 },
  ];
  const resting: DeviceTimer[] = [
    { ...own[0]!, en: 0 },
    { ...own[1]!, en: 1 },
  ];
  const tag = () => anna.call('/lockout_tag/add_tag', { line_id: device.line.id, reason: 'Work' });

  test('closing timers that were made at a device are disabled by a lock-out tag, and stay so afterwards', async () => {
    await reports({ rev: 18, timers: own });
    const { data } = await tag();
    const config = await pushed(1);
    expect(config.timers).toEqual(resting);
    await reports({ rev: 19, id: config.id, st: 'applied', timers: config.timers! });
    await anna.call('/lockout_tag/remove_tag', { tag_id: data.tag_id });
    world.clock.advance(60_000);
    await reports({ rev: 20, timers: resting });
    world.clock.advance(60_000);
    expect(mine()).toHaveLength(1);
  });

  test('timers that were made at a device are not deleted when a lock-out tag is removed', async () => {
    await reports({ rev: 18, timers: own });
    const { data } = await tag();
    const config = await pushed(1);
    await reports({ rev: 19, id: config.id, st: 'applied', timers: config.timers! });
    const state = async () =>
      (
        await world.db
          .selectFrom('timer_copies')
          .select('state')
          .where('device_id', '=', device.id)
          .executeTakeFirst()
      )?.state;
    await becomes(state, 'synced');
    await anna.call('/lockout_tag/remove_tag', { tag_id: data.tag_id });
    // A timer of the server comes after the removal has been followed, and shows that nothing came in between.
    const other = await makeSwitch(world, project);
    const again = await anna.call('/lockout_tag/add_tag', { device_id: other.id, reason: 'Work' });
    expect(again.status).toBe(200);
    await eventually(async () => {
      world.clock.advance(60_000);
      return (await state()) === 'synced';
    });
    expect(mine()).toHaveLength(1);
  });

  test('closing timers that were made at a device are disabled on a tripped line until its inspection', async () => {
    await reports({ rev: 18, timers: [...own, { ...own[0]!, i: 3, n: 2 }] });
    const at = new Date(world.clock.now() - 60_000);
    await world.db
      .insertInto('line_trips')
      .values({ line_id: device.line.id, device_id: device.id, code: 301, grave: true, at, received_at: at })
      .execute();
    await eventually(async () => {
      if (mine().length === 0) world.clock.advance(60_000);
      return mine()[0];
    });
    expect(mine()[0]!.config.timers).toEqual([...resting, { ...own[0]!, i: 3, n: 2 }]);
  });

  test('closing timers that are made at a device under a lock-out tag are disabled', async () => {
    await tag();
    await reports({ rev: 18, timers: own });
    world.clock.advance(60_000);
    expect((await pushed(1)).timers).toEqual(resting);
  });
});

describe('under a lock-out tag that no event announced', () => {
  let given: () => typeof world.configs;
  beforeEach(async () => {
    const { number } = device;
    given = () => world.configs.filter((one) => one.deviceNumber === number);
    await add();
    const push = await eventually(async () => given()[0]?.config);
    await reports({ rev: 18, id: push.id, st: 'applied', timers: push.timers! });
    await becomesSync('synced');
  });
  const rests = async () => {
    const config = await eventually(async () => given()[1]?.config);
    expect(config.timers).toMatchObject([{ action: 'close', en: 0 }]);
    await reports({ rev: 19, id: config.id, st: 'applied', timers: config.timers! });
    await becomesSync('synced');
    world.clock.advance(60_000);
    world.clock.advance(60_000);
    await becomesSync('synced');
    expect(given()).toHaveLength(2);
  };

  test('the closing timers of a device that moves into a tagged project are disabled', async () => {
    const tagged = (await makeProject(world.db)).id;
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    await world.db
      .insertInto('user_projects')
      .values({ user_id: anna.userId, project_id: tagged, part_ids: [] })
      .execute();
    await admin.call('/lockout_tag/add_tag', { project_id: tagged, reason: 'Work' });
    const moved = await anna.call('/Project/bind_device', { device_ids: [device.id], project_id: tagged });
    expect(moved.data.results).toEqual([{ id: device.id, result: 'done' }]);
    world.clock.advance(1000);
    await rests();
  });

  test('the closing timers are disabled although the server died while the tag was set', async () => {
    await makeTag(world.db, { device_id: device.id }, { owner: anna.userId, at: world.clock.now() });
    // A round that is still running delays the next one, so the clock advances until the configuration comes.
    await eventually(async () => {
      if (given().length < 2) world.clock.advance(60_000);
      return given()[1];
    });
    await rests();
  });
});

describe('when its author loses the right', () => {
  let author: number;
  let confirmed: CfgMessage['timers'];
  beforeEach(async () => {
    author = (await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id;
    const by = await world.as(author);
    await by.call('/device_timing/add_device_timing', { line_id: device.line.id, ...weekly });
    const config = await reported(1);
    await reports({ rev: 18, id: config.id, st: 'applied', timers: config.timers! });
    await becomesSync('synced');
    confirmed = config.timers;
  });
  const given = () => world.configs.filter((one) => one.deviceNumber === device.number);
  const reported = (count: number) => eventually(async () => given()[count - 1]?.config);
  const enabled = (is: boolean) =>
    world.db.updateTable('users').set({ enabled: is }).where('id', '=', author).execute();
  const message = async () =>
    (await anna.call('/device_timing/get_list', { device_id: device.id }, { 'accept-language': 'en-US' }))
      .data.list[0].sync_message;

  test('the device gets a configuration that disables the timer, and one that enables it when the author regains the permission', async () => {
    await enabled(false);
    expect(await message()).toBe('Its author no longer has the permission: not carried out');
    world.clock.advance(60_000);
    const rest = await reported(2);
    expect(rest.timers).toMatchObject([{ action: 'close', en: 0 }]);
    await reports({ rev: 19, id: rest.id, st: 'applied', timers: rest.timers! });
    await becomesSync('synced');
    world.clock.advance(60_000);
    await enabled(true);
    world.clock.advance(60_000);
    expect((await reported(3)).timers).toEqual(confirmed);
    expect(await message()).toBeNull();
  });

  test('a timer that was changed at the device, or whose device was away, is disabled too', async () => {
    await enabled(false);
    await reports({ rev: 19, timers: [{ ...confirmed![0]!, time: '09:00' }] });
    await becomesSync('conflict');
    world.configTrouble.away = true;
    world.clock.advance(60_000);
    await becomesSync('pending');
    await eventually(async () => {
      const { rows } = await world.pool.query(
        'select from timer_copies where device_id = $1 and pushed_at is null',
        [device.id],
      );
      return rows.length > 0;
    });
    expect(given()).toHaveLength(1);
    world.configTrouble.away = false;
    world.bus.emit('device.online', {
      deviceId: device.id,
      online: true,
      at: world.clock.now(),
      why: 'test',
    });
    expect((await reported(2)).timers).toMatchObject([{ action: 'close', en: 0 }]);
  });

  test('a device that reports the timers which it confirmed gets the configuration that disables them', async () => {
    await enabled(false);
    await reports({ rev: 19, timers: confirmed! });
    expect((await reported(2)).timers).toMatchObject([{ action: 'close', en: 0 }]);
  });

  test('a timer whose device moves to a project that its author does not see is disabled too', async () => {
    const other = (await makeProject(world.db)).id;
    await world.db.updateTable('devices').set({ project_id: other }).where('id', '=', device.id).execute();
    world.bus.emit('device.changed', { deviceId: device.id, what: 'place' });
    world.clock.advance(1000);
    expect((await reported(2)).timers).toMatchObject([{ action: 'close', en: 0 }]);
  });
});

test('a closing timer in a device that moved rests until somebody saves it in the new project', async () => {
  const other = (await makeProject(world.db)).id;
  await world.db
    .insertInto('user_projects')
    .values({ user_id: anna.userId, project_id: other, part_ids: [] })
    .execute();
  const { data } = await add();
  await add({ action: 'open', time: '09:00' });
  const config = await eventually(async () => mine().find((one) => one.config.timers?.length === 2));
  await reports({ rev: 18, id: config.config.id, st: 'applied', timers: config.config.timers! });
  await becomesSync('synced');
  const sent = mine().length;
  await anna.call('/Project/bind_device', { device_ids: [device.id], project_id: other });
  world.clock.advance(1000);
  const rest = await pushed(sent + 1);
  expect(rest.timers).toMatchObject([
    { action: 'close', en: 0 },
    { action: 'open', en: 1 },
  ]);
  await reports({ rev: 19, id: rest.id, st: 'applied', timers: rest.timers! });
  const shown = async () => {
    const { data: all } = await anna.call('/device_timing/get_list', {
      device_id: device.id,
      sort: 'timer_id',
    });
    return all.list.map((timer: { sync_message: string | null }) => timer.sync_message);
  };
  expect(await shown()).toEqual([sentence('timer.stayedBehind', 'zh-CN'), null]);
  const { timer_id, revision } = data;
  const saved = await anna.call('/device_timing/edit_device_titming', { timer_id, revision, ...weekly });
  expect(saved.status).toBe(200);
  expect((await pushed(sent + 2)).timers).toMatchObject([
    { action: 'close', en: 1 },
    { action: 'open', en: 1 },
  ]);
  expect(await shown()).toEqual([null, null]);
});

describe('timers that a device keeps disabled', () => {
  let wang: number;
  const synced = async (rev: number, count: number, en: 0 | 1) => {
    const config = await eventually(async () => mine()[count - 1]?.config);
    expect(config.timers).toMatchObject([{ en }]);
    await reports({ rev, id: config.id, st: 'applied', timers: config.timers! });
    const copy = world.db.selectFrom('timer_copies').select('state').where('device_id', '=', device.id);
    await becomes(async () => (await copy.executeTakeFirst())?.state, 'synced');
  };
  const netCtrl = (is: boolean) =>
    world.db.updateTable('devices').set({ net_ctrl: is }).where('id', '=', device.id).execute();
  const lock = (bits: number) =>
    world.db.updateTable('line_latest').set({ lock: bits }).where('line_id', '=', device.line.id).execute();
  const author = (enabled: boolean) =>
    world.db.updateTable('users').set({ enabled }).where('id', '=', wang).execute();
  const critical = (is: boolean) =>
    world.db.updateTable('lines').set({ critical: is }).where('id', '=', device.line.id).execute();

  test.each([
    ['remote control is enabled', 'close', () => netCtrl(false), () => netCtrl(true)],
    ['its line is unlocked', 'close', () => lock(lockBits.local), () => lock(0)],
    ['its author regains the permission', 'close', () => author(false), () => author(true)],
    ['its line is critical no longer', 'open', () => critical(true), () => critical(false)],
  ])(
    'a timer runs again that was disabled until %s, although the server was killed',
    async (_, action, ...[forbid, allow]) => {
      wang = (await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id;
      const timer = { line_id: device.line.id, ...weekly, action };
      await (await world.as(wang)).call('/device_timing/add_device_timing', timer);
      await synced(18, 1, 1);
      await forbid();
      await eventually(async () => {
        if (mine().length < 2) world.clock.advance(60_000);
        return mine()[1];
      });
      await synced(19, 2, 0);
      await world.restartTimerCopies(allow);
      await synced(20, 3, 1);
    },
  );
});

test('a device holds as many timers as it reports room for', async () => {
  await add();
  await add();
  expect(await add()).toMatchObject({ status: 422 });
});
