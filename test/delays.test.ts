import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject } from './factories.ts';

type Device = Awaited<ReturnType<typeof makeDevice>>;

let world: AlarmWorld;
let device: Device;

beforeAll(async () => {
  world = await createAlarmWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.leave();
  device = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id });
  await world.connect(device);
  await core(0, 40);
});

/**
 * After this many seconds the device reports this temperature, °C, of its main core: an alarm after 30 s
 * above 80.
 */
const core = async (seconds: number, celsius: number) => {
  world.clock.advance(seconds * 1000);
  await world.report(device, { T: { m: celsius } });
};
const restart = async () => {
  await world.restart();
  await world.connect(device);
};
const alarms = async () => {
  const { rows } = await world.pool.query<{ code: number; level: number; active: boolean }>(
    'select code, level, cleared_at is null as active from alarms where device_id = $1 and code = 402',
    [device.id],
  );
  return rows.map(({ level, active }) => `${level} ${active ? 'active' : 'ended'}`);
};

it('raises an alarm when its delay is over, although the server restarted during the delay', async () => {
  await core(10, 85);
  await core(10, 85);
  await core(10, 85);
  await restart();
  expect(await alarms()).toEqual([]);
  await core(11, 85);
  expect(await alarms()).toEqual(['2 active']);
});
it('a delay counts from the last sample before a restart if a device reports rarely', async () => {
  await core(3600, 85);
  await restart();
  await core(3600, 85);
  expect(await alarms()).toEqual(['2 active']);
});
it('a delay starts again after a restart if the value was normal before it', async () => {
  await core(10, 85);
  await core(10, 85);
  await core(5, 40);
  await restart();
  await core(11, 85);
  await core(10, 85);
  expect(await alarms()).toEqual([]);
  await core(20, 85);
  expect(await alarms()).toEqual(['2 active']);
});
it('a delay does not count samples of a backlog', async () => {
  await core(25, 85);
  const early = { t: world.clock.now() - 20_000, bf: 1, ln: [{ n: 1, sw: 1, T: { m: 85 } }] };
  await world.publish(device, 'tele', early);
  await restart();
  await core(15, 85);
  expect(await alarms()).toEqual([]);
});
it('ends an alarm when its values were normal for long enough, with a restart in between', async () => {
  await core(10, 75);
  await core(31, 75);
  expect(await alarms()).toEqual(['1 active']);
  await core(10, 40);
  await core(30, 40);
  await restart();
  await core(20, 40);
  expect(await alarms()).toEqual(['1 active']);
  await core(11, 40);
  expect(await alarms()).toEqual(['1 ended']);
});
it('a limiter that intervened while the server restarted raises an alarm', async () => {
  const project = await makeProject(world.db);
  const limiter = await makeDevice(world.db, { project_id: project.id, type: 7 });
  await world.connect(limiter);
  await world.report(limiter, { sc: 4 });
  await world.restart();
  await world.connect(limiter);
  world.clock.advance(60_000);
  await world.report(limiter, { sc: 5 });
  const { rows } = await world.pool.query('select code, level from alarms where device_id = $1', [
    limiter.id,
  ]);
  expect(rows).toEqual([{ code: 205, level: 2 }]);
});
