import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readingOf } from '#test/alarm-feeder.ts';
import { type AlarmWorld, createAlarmWorld, normal } from '../alarms.world.ts';
import { activeInterlocks } from './interlocks.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const restart = () => server.restart();
const read = (seconds: number, values: Record<string, number>, of = server.line) =>
  server.group({ readings: [readingOf(of, seconds, { ...normal, ...values })] });
const event: AlarmWorld['event'] = (...given) => server.event(...given);
const interlocks = async () =>
  (await activeInterlocks(server.world.db, [server.line.lineId])).map(({ code }) => code);
const setType = (typeNumber: number, enabled: boolean) =>
  server.operator.call('/device_warning_type/set_status', { typeNumber, enabled });
const alarms = async () => (await server.world.pool.query('select code from alarms')).rows.length;

describe('a condition that forbids closing', () => {
  it('a condition that forbids closing holds while its alarm is active, and ends with it', async () => {
    expect(await interlocks()).toEqual([]);
    await read(0, { 'T.m': 75 });
    await read(60, { 'T.m': 75 });
    expect(await interlocks()).toEqual([]);
    await read(120, { 'T.m': 85 });
    await read(180, { 'T.m': 85 });
    expect(await interlocks()).toEqual([402]);
    for (const seconds of [240, 300, 360]) await read(seconds, {});
    expect(await interlocks()).toEqual([402]);
    await server.reset(400);
    expect(await interlocks()).toEqual([]);
  });
  it('a condition that forbids closing stays active with its type switched off, through a restart, until a reset', async () => {
    await setType(301, false);
    await read(0, { IL: 60 });
    expect(await interlocks()).toEqual([301]);
    await restart();
    for (const seconds of [60, 120, 180]) await read(seconds, {});
    expect(await interlocks()).toEqual([301]);
    await server.reset(200);
    expect(await interlocks()).toEqual([]);
    expect(await alarms()).toBe(0);
  });
  it('a condition of a type that is switched off forbids closing until the device ends it, through a restart', async () => {
    await setType(502, false);
    await event(0, { st: 'raise', code: 502, eid: '1-1' });
    expect(await interlocks()).toEqual([502]);
    await restart();
    expect(await interlocks()).toEqual([502]);
    await event(60, { st: 'clear', code: 502, eid: '1-1' });
    expect(await interlocks()).toEqual([]);
    expect(await alarms()).toBe(0);
  });
  it('uses the limit of the catalogue if the alarm level is switched off', async () => {
    const earlyOnly = { ...server.line, thresholds: { tm_a: 0 } };
    await read(0, { 'T.m': 85 }, earlyOnly);
    expect(await interlocks()).toEqual([402]);
    await restart();
    await read(60, { 'T.m': 79 }, earlyOnly);
    expect(await interlocks()).toEqual([402]);
    await read(120, { 'T.m': 40 }, earlyOnly);
    expect(await interlocks()).toEqual([]);
  });
  it('a supply condition that forbids closing stays active while the line has no voltage, whether its type is switched off or not', async () => {
    await setType(109, false);
    await read(0, { 'U.a': 0, 'I.a': 0 });
    expect(await interlocks()).toEqual([109]);
    await read(60, {});
    await read(120, {});
    expect(await interlocks()).toEqual([]);
  });
  it('a condition that forbids closing ends when its device is deleted or unbound', async () => {
    await read(0, { IL: 60 });
    await server.world.pool.query('update devices set deleted_at = now() where id = $1', [
      server.line.deviceId,
    ]);
    server.world.clock.advance(60_000);
    await server.world.hears('alarms.changed', (changes) => changes.some(({ kind }) => kind === 'cleared'));
    expect(await interlocks()).toEqual([]);
  });
});

it('a condition that is still active when its type is switched on again raises an alarm', async () => {
  await setType(301, false);
  await read(0, { IL: 60 });
  expect(await alarms()).toBe(0);
  await setType(301, true);
  await server.world.hears('alarms.changed', (changes) =>
    changes.some(
      (change) =>
        change.kind === 'raised' &&
        change.code === 301 &&
        !change.quiet &&
        change.lineId === server.line.lineId,
    ),
  );
  expect(await alarms()).toBe(1);
  expect(await interlocks()).toEqual([301]);
});
