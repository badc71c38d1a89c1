import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { valueTypes } from '#contract/alarm-catalogue.ts';
import type { CommandState } from '#database/tables/control.ts';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject } from './factories.ts';
import { commandInFlight } from './interlocks.ts';

type Device = Awaited<ReturnType<typeof makeDevice>>;

let world: AlarmWorld;
let device: Device;
let lineId: number;

beforeAll(async () => {
  world = await createAlarmWorld();
});
afterAll(() => world.close());
const renew = async (switchable = true) => {
  world.leave();
  device = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id, switchable });
  const line = await world.db
    .selectFrom('lines')
    .select('id')
    .where('device_id', '=', device.id)
    .where('n', '=', 1)
    .executeTakeFirstOrThrow();
  lineId = line.id;
  await world.connect(device);
};
beforeEach(() => renew());

/** After this many seconds the device reports the line as open, with these values. */
const open = async (seconds: number, values: Record<string, unknown>) => {
  world.clock.advance(seconds * 1000);
  await world.report(device, { sw: 0, I: { a: 0 }, P: { a: 0, t: 0 }, ...values });
};
const carrying = (seconds: number, amperes = 3.1) => open(seconds, { I: { a: amperes } });
const dead = (seconds: number) => open(seconds, {});
const closed = (seconds: number) => open(seconds, { sw: 1, I: { a: 5 } });
const restart = async () => {
  await world.restart();
  await world.connect(device);
};
const alarms = async () => {
  const { rows } = await world.pool.query<{ value: number; value_type: number; active: boolean }>(
    `select value, value_type, cleared_at is null as active from alarms
     where device_id = $1 and code = 703 and not processed order by id`,
    [device.id],
  );
  return rows.map(({ value, value_type, active }) => {
    expect(value_type).toBe(valueTypes.ampere);
    return `${value} ${active ? 'active' : 'ended'}`;
  });
};

it('raises an alarm with the largest current when an open line carries current for 15 s', async () => {
  await dead(10);
  await carrying(10);
  await carrying(10);
  expect(await alarms()).toEqual([]);
  await carrying(5, 3.5);
  expect(await alarms()).toEqual(['3.5 active']);
  await carrying(60, 4);
  expect(await alarms()).toHaveLength(1);
});
it('the alarm for current on an open line is raised by power alone', async () => {
  await open(60, { P: { a: 3000, t: 3000 } });
  await open(60, { P: { a: 3000, t: 3000 } });
  expect(await alarms()).toEqual(['0 active']);
});
it('the alarm for current on an open line is raised by two consecutive readings, however far apart, not by the average of one', async () => {
  await carrying(60);
  await dead(60);
  await carrying(60);
  await closed(60);
  await carrying(60);
  expect(await alarms()).toEqual([]);
  await carrying(60);
  expect(await alarms()).toEqual(['3.1 active']);
});
it.each([
  ['open without current', dead],
  ['closed', closed],
])('the alarm for current on an open line ends when the line is %s for 60 s', async (_name, quiet) => {
  await carrying(60);
  await carrying(60);
  await quiet(10);
  await quiet(50);
  expect(await alarms()).toEqual(['3.1 active']);
  await quiet(10);
  expect(await alarms()).toEqual(['3.1 ended']);
});
it('the alarm for current on an open line does not end while the position is unknown', async () => {
  await carrying(60);
  await carrying(60);
  for (const seconds of [60, 60, 60]) await open(seconds, { sw: null });
  expect(await alarms()).toEqual(['3.1 active']);
});
it('the alarm for current on an open line is not raised for a line that only measures', async () => {
  await renew(false);
  for (const seconds of [60, 60, 60]) await carrying(seconds);
  expect(await alarms()).toEqual([]);
});
it('the alarm for current on an open line is raised once and ends once, although the server restarts before, during and after it', async () => {
  await dead(10);
  await carrying(10);
  await carrying(10);
  await restart();
  await carrying(6);
  expect(await alarms()).toEqual(['3.1 active']);
  await restart();
  await carrying(30);
  await dead(10);
  await dead(50);
  await restart();
  await dead(11);
  expect(await alarms()).toEqual(['3.1 ended']);
});
it('the alarm for current on an open line is not raised for a backlog', async () => {
  await dead(600);
  for (const ago of [300, 240, 180])
    await world.publish(device, 'tele', {
      t: world.clock.now() - ago * 1000,
      bf: 1,
      ln: [{ n: 1, sw: 0, I: { a: 3.1 } }],
    });
  expect(await alarms()).toEqual([]);
});

/** The events of the guard when a command begins or changes its state. */
const command = (commandId: string, state: CommandState) =>
  world.bus.emit('command.changed', {
    commandId,
    deviceId: device.id,
    lineId,
    state,
    verb: 'open',
    batchId: null,
  });

it('the alarm for current on an open line waits while a command is under way on the line, and begins its delay when the command has ended', async () => {
  const commandId = randomUUID();
  await carrying(10);
  command(commandId, 'sent');
  for (const seconds of [10, 10, 10]) await carrying(seconds);
  command(commandId, 'unknown');
  await carrying(10);
  expect(await alarms()).toEqual([]);
  await carrying(15);
  expect(await alarms()).toEqual(['3.1 active']);
});
it('the alarm for current on an open line waits for a command that was under way when the server restarted', async () => {
  await commandInFlight({ world, device }, 'open', lineId);
  await restart();
  for (const seconds of [60, 60, 60]) await carrying(seconds);
  expect(await alarms()).toEqual([]);
});
