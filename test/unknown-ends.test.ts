import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import type { Client } from './world.ts';

let world: AlarmWorld;
let operator: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  world = await createAlarmWorld();
  operator = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  world.leave();
  device = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id, type: 4 });
  await world.connect(device);
  await world.report(device);
});

/** Sends an event a minute after the one before. */
const send = (st: 'raise' | 'clear', code: number, eid: string, given: Record<string, unknown> = {}) => {
  world.clock.advance(60_000);
  return world.publish(device, 'event', { kind: 'alarm', st, eid, code, lvl: 2, n: 1, ...given });
};
const raise = (code: number, eid: string, given = {}) => send('raise', code, eid, given);
const clear = (code: number, eid: string, given = {}) => send('clear', code, eid, given);
const restart = async () => {
  await world.restart();
  await world.connect(device);
};
/** Active alarms of the device, as `code/level phase`. */
const active = async (): Promise<string[]> => {
  const { list } = (await operator.call('/device_warning/WarningList', { limit: 200, sort: 'time' })).data;
  type Row = { typeNumber: number; level: number; phase: string; active: boolean; device_number: string };
  return (list as Row[])
    .filter((row) => row.active && row.typeNumber !== 801 && row.device_number === device.number)
    .map(({ typeNumber, level, phase }) => `${typeNumber}/${level} ${phase}`.trim());
};

describe('the end of an event that the server does not know', () => {
  it('does not end the alarm of another event, whose own end still ends it', async () => {
    await raise(804, '1-1', { lvl: 1 });
    await clear(804, '1-2');
    expect(await active()).toEqual(['804/1']);
    await clear(804, '1-1', { lvl: 1 });
    expect(await active()).toEqual([]);
  });
  it('does not end the alarm of another event after a restart of the server', async () => {
    await raise(804, '1-2');
    await restart();
    await clear(804, '1-1');
    expect(await active()).toEqual(['804/2']);
  });
  it('of an earlier boot of the device does not end an event with the same number', async () => {
    await raise(804, '1', { boot: 2 });
    await restart();
    await clear(804, '1', { boot: 1, t: world.clock.now() - 600_000 });
    expect(await active()).toEqual(['804/2']);
  });
  it('of a backlog does not end an event of a later boot with the same number', async () => {
    await raise(804, '1', { boot: 2 });
    await restart();
    await clear(804, '1', { boot: 1, bf: 1, t: world.clock.now() - 600_000 });
    expect(await active()).toEqual(['804/2']);
  });
  it('of a level lower than the alarm that the server found does not end it', async () => {
    for (const seconds of [0, 60, 60]) {
      world.clock.advance(seconds * 1000);
      await world.report(device, { T: { a: 85 } });
    }
    expect(await active()).toEqual(['402/2 a']);
    await clear(402, '1-1', { lvl: 1, ph: 'a' });
    expect(await active()).toEqual(['402/2 a']);
  });
});

describe('a device without numbers of its events', () => {
  it('ends the alarm of the same type and phase only', async () => {
    await raise(103, '', { ph: 'a' });
    await raise(103, '', { ph: 'b' });
    await raise(804, '');
    await clear(103, '', { ph: 'b' });
    expect((await active()).sort()).toEqual(['103/2 a', '804/2']);
    await clear(804, '');
    expect(await active()).toEqual(['103/2 a']);
    await clear(103, '', { ph: 'a' });
    expect(await active()).toEqual([]);
  });
  it('repeats an end, or sends one without a beginning, and other alarms of the line go on', async () => {
    await raise(804, '');
    await raise(502, '');
    await clear(502, '');
    await clear(502, '');
    await clear(102, '');
    expect(await active()).toEqual(['804/2']);
    await restart();
    expect(await active()).toEqual(['804/2']);
    await clear(804, '');
    expect(await active()).toEqual([]);
  });
  it('ends its alarms after a restart of the server, too', async () => {
    await raise(804, '');
    await raise(502, '');
    await restart();
    await clear(804, '');
    expect(await active()).toEqual(['502/2']);
    await clear(502, '');
    expect(await active()).toEqual([]);
  });
  it('raises and ends alarms without the field', async () => {
    const event = { kind: 'alarm', code: 804, lvl: 2, n: 1 };
    await world.publish(device, 'event', { ...event, st: 'raise' });
    expect(await active()).toEqual(['804/2']);
    world.clock.advance(60_000);
    await world.publish(device, 'event', { ...event, st: 'clear' });
    expect(await active()).toEqual([]);
  });
});
