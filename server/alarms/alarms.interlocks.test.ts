import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GroupEvent, GroupReading, LineRef } from '#server/core/group.ts';
import { makeDevice, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmTypeRoutes } from '../alarm-types/alarm-types.routes.ts';
import { eventOf, lineOf, readingOf, start } from './alarms.feeder.ts';
import { activeInterlocks } from './alarms.interlocks.ts';
import { listenForAlarms } from './alarms.listen.ts';
import { type AlarmRecorder, createAlarmRecorder } from './alarms.record.ts';
import { alarmRoutes } from './alarms.routes.ts';

let world: World;
let admin: Client;
let recorder: AlarmRecorder;
let line: LineRef;
let stopListening = async () => {};
beforeAll(async () => {
  world = await createWorld((serve) => {
    alarmRoutes(serve);
    alarmTypeRoutes(serve);
  });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(async () => {
  await stopListening();
  await world.close();
});
beforeEach(async () => {
  await world.pool.query('truncate alarms, alarm_history, alarm_types, line_conditions');
  const device = await makeDevice(world.db);
  line = lineOf({ lineId: device.lines[0]?.id ?? 0, deviceId: device.id });
  await restart();
});
const restart = async () => {
  await stopListening();
  recorder = createAlarmRecorder();
  await recorder.load(world.pool);
  const { bus, pool, clock } = world;
  stopListening = listenForAlarms({ bus, pool, clock, recorder, onError: () => {} });
};
const group = async (readings: GroupReading[], events: GroupEvent[] = [], reset?: number) => {
  const judgement =
    reset === undefined ? recorder.judge(readings, events, []) : recorder.reset([line.lineId], reset);
  const client = await world.pool.connect();
  await client.query('begin');
  await judgement.write(client);
  await client.query('commit');
  client.release();
  return judgement.settle();
};
const normal = { 'U.a': 220, 'I.a': 10, IL: 5, 'T.m': 40 };
const read = (seconds: number, values: Record<string, number>, of = line) =>
  group([readingOf(of, seconds, { ...normal, ...values })]);
const event = (seconds: number, message: Parameters<typeof eventOf>[2]) =>
  group([], [eventOf(line, seconds, message)]);
const interlocks = async () => (await activeInterlocks(world.db, [line.lineId])).map(({ code }) => code);
const setType = (typeNumber: number, enabled: boolean) =>
  admin.call('/device_warning_type/set_status', { typeNumber, enabled });
const alarms = async () => (await world.pool.query('select code from alarms')).rows.length;

describe('a condition that forbids closing', () => {
  it('holds while its alarm is active, and ends with it', async () => {
    expect(await interlocks()).toEqual([]);
    await read(0, { 'T.m': 75 });
    await read(60, { 'T.m': 75 });
    expect(await interlocks()).toEqual([]);
    await read(120, { 'T.m': 85 });
    await read(180, { 'T.m': 85 });
    expect(await interlocks()).toEqual([402]);
    for (const seconds of [240, 300, 360]) await read(seconds, {});
    expect(await interlocks()).toEqual([402]);
    await group([], [], start + 400_000);
    expect(await interlocks()).toEqual([]);
  });
  it('holds with its type switched off, through a restart, until a reset', async () => {
    await setType(301, false);
    await read(0, { IL: 60 });
    expect(await interlocks()).toEqual([301]);
    await restart();
    for (const seconds of [60, 120, 180]) await read(seconds, {});
    expect(await interlocks()).toEqual([301]);
    await group([], [], start + 200_000);
    expect(await interlocks()).toEqual([]);
    expect(await alarms()).toBe(0);
  });
  it('of a device with its type switched off holds until the device ends it, through a restart', async () => {
    await setType(502, false);
    await event(0, { st: 'raise', code: 502, eid: '1-1' });
    expect(await interlocks()).toEqual([502]);
    await restart();
    expect(await interlocks()).toEqual([502]);
    await event(60, { st: 'clear', code: 502, eid: '1-1' });
    expect(await interlocks()).toEqual([]);
    expect(await alarms()).toBe(0);
  });
  it('holds by the limit of the catalogue where the alarm level is switched off', async () => {
    const earlyOnly = { ...line, thresholds: { tm_a: 0 } };
    await read(0, { 'T.m': 85 }, earlyOnly);
    expect(await interlocks()).toEqual([402]);
    await restart();
    await read(60, { 'T.m': 79 }, earlyOnly);
    expect(await interlocks()).toEqual([402]);
    await read(120, { 'T.m': 40 }, earlyOnly);
    expect(await interlocks()).toEqual([]);
  });
  it('of the supply holds while the line is without voltage, its type switched off or not', async () => {
    await setType(109, false);
    await read(0, { 'U.a': 0, 'I.a': 0 });
    expect(await interlocks()).toEqual([109]);
    await read(60, {});
    await read(120, {});
    expect(await interlocks()).toEqual([]);
  });
  it('goes with its device', async () => {
    await read(0, { IL: 60 });
    await world.pool.query('update devices set deleted_at = now() where id = $1', [line.deviceId]);
    world.clock.advance(60_000);
    await world.hears('alarms.changed', (changes) => changes.some(({ kind }) => kind === 'cleared'));
    expect(await interlocks()).toEqual([]);
  });
});

it('raises what is active when its type is switched on again', async () => {
  await setType(301, false);
  await read(0, { IL: 60 });
  expect(await alarms()).toBe(0);
  await setType(301, true);
  await world.hears('alarms.changed', (changes) =>
    changes.some(
      (change) =>
        change.kind === 'raised' && change.code === 301 && !change.quiet && change.lineId === line.lineId,
    ),
  );
  expect(await alarms()).toBe(1);
  expect(await interlocks()).toEqual([301]);
});
