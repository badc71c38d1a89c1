import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { backlogWork } from '#server/alarms/backlog.ts';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import type { Client } from './world.ts';

const minute = 60_000;
let world: AlarmWorld;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  world = await createAlarmWorld();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  world.leave();
  device = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id });
  await world.connect(device);
  await world.report(device);
});

/** A reading of line 1, measured this many minutes ago. */
const late = (minutes: number, values: Record<string, unknown>) =>
  world.publish(device, 'tele', {
    t: world.clock.now() - minutes * minute,
    bf: 1,
    ln: [{ n: 1, sw: 1, U: { a: 220 }, I: { a: 5 }, IL: 3, ...values }],
  });
const logged = async () =>
  (await admin.call('/device_warning/event_list', { device_id: device.id, sort: 'time' })).data.list as {
    time: string;
    ended_time: string | null;
    typeNumber: number;
    level: number;
    reason: string;
    value: number;
    threshold: number;
    alarm_id: number | null;
  }[];
/** All alarms except the offline alarm of the device. */
const alarms = async () =>
  (
    await world.pool.query(
      'select code, level from alarms where device_id = $1 and code <> 801 order by id',
      [device.id],
    )
  ).rows;
/** No more messages come, so the next round gives the final state. */
const settle = async () => {
  world.clock.advance(2 * minute);
  await backlogWork(world.pool).run({ now: world.clock.now(), signal: new AbortController().signal });
};
const minutesAgo = (iso: string, now: number) => Math.round((now - Date.parse(iso)) / minute);

it('a backlog beyond limits leaves one log entry for each episode, and no alarm', async () => {
  const now = world.clock.now();
  for (let ago = 60; ago >= 1; ago -= 1) {
    const isHot = (ago <= 50 && ago >= 40) || (ago <= 20 && ago >= 15);
    await late(ago, { T: { m: isHot ? 74 : 40 }, U: { a: ago <= 30 && ago >= 28 ? 270 : 220 } });
  }
  expect(await logged()).toEqual([]);
  await settle();
  const list = await logged();
  expect(list).toMatchObject([
    { typeNumber: 402, level: 1, reason: 'late', value: 74, threshold: 70, alarm_id: null },
    { typeNumber: 101, level: 2, reason: 'late', value: 270, threshold: 264, alarm_id: null },
    { typeNumber: 402, level: 1, reason: 'late', value: 74, threshold: 70, alarm_id: null },
  ]);
  expect(list.map(({ time }) => minutesAgo(time, now))).toEqual([49, 29, 19]);
  expect(list.map(({ ended_time }) => minutesAgo(ended_time!, now))).toEqual([38, 26, 13]);
  expect(await alarms()).toEqual([]);
});

it('leaves the same entries when it is shuffled, repeated and split by a restart', async () => {
  const now = world.clock.now();
  const sent = Array.from({ length: 60 }, (_, index) => index + 1);
  const order = (list: readonly number[]) => list.toSorted((a, b) => ((a * 37) % 61) - ((b * 37) % 61));
  const send = (ago: number) =>
    late(ago + (world.clock.now() - now) / minute, { IL: ago <= 50 && ago >= 10 ? 40 : 3 });
  for (const ago of order(sent.filter((each) => each > 30))) await send(ago);
  await settle();
  const [begun] = await logged();
  expect(begun).toMatchObject({ typeNumber: 301, level: 2, ended_time: null });
  await world.restart();
  await world.connect(device);
  for (const ago of order(sent.filter((each) => each <= 31))) await send(ago);
  await settle();
  const list = await logged();
  expect(list).toMatchObject([{ typeNumber: 301, level: 2, value: 40, time: begun!.time }]);
  expect(minutesAgo(list[0]!.ended_time!, now)).toBe(8);
  expect(await alarms()).toEqual([]);
});

it('logs an episode that an alarm already reports only if it was more severe', async () => {
  for (let sample = 0; sample < 3; sample += 1) {
    world.clock.advance(minute);
    await world.report(device, { T: { m: 74 } });
  }
  expect(await alarms()).toEqual([{ code: 402, level: 1 }]);
  world.clock.advance(60 * minute);
  for (let ago = 55; ago >= 1; ago -= 1)
    await late(ago, { T: { m: ago <= 30 && ago >= 25 ? 85 : 74 }, IL: 3 });
  await settle();
  expect(await logged()).toMatchObject([{ typeNumber: 402, level: 2, value: 85, threshold: 80 }]);
  expect(await alarms()).toEqual([{ code: 402, level: 1 }]);
});

it('logs nothing of a switched-off type, unless the type is serious', async () => {
  const type = (typeNumber: number, enabled: boolean) =>
    admin.call('/device_warning_type/set_status', { typeNumber, enabled });
  await world.db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(world.clock.now()) })
    .execute();
  await type(101, false);
  await type(301, false);
  for (let ago = 30; ago >= 1; ago -= 1)
    await late(ago, { U: { a: ago > 10 ? 270 : 220 }, IL: ago > 10 ? 40 : 3 });
  await settle();
  expect((await logged()).map(({ typeNumber }) => typeNumber)).toEqual([301]);
  await type(101, true);
  await type(301, true);
});

it('a message that another one overtook does not count as late', async () => {
  await world.publish(device, 'tele', { seq: 9000, t: world.clock.now(), ln: [{ n: 1, sw: 1, IL: 3 }] });
  await world.publish(device, 'tele', {
    seq: 8999,
    t: world.clock.now() - 2000,
    ln: [{ n: 1, sw: 1, IL: 90 }],
  });
  expect((await world.pool.query('select from late_stretches')).rows).toEqual([]);
});
