import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { becomes } from './wait.ts';
import type { Client } from './world.ts';

type Device = Awaited<ReturnType<typeof makeDevice>>;
const set = '/device_warning_type/set_defaults';
const get = '/device_warning_type/get_defaults';

let world: AlarmWorld;
let admin: Client;
let manager: Client;
let project: { id: number };
let other: { id: number };
let device: Device;
let elsewhere: Device;

beforeAll(async () => {
  world = await createAlarmWorld();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  world.leave();
  await world.db.deleteFrom('default_thresholds').execute();
  project = await makeProject(world.db);
  other = await makeProject(world.db);
  device = await makeDevice(world.db, { project_id: project.id });
  elsewhere = await makeDevice(world.db, { project_id: other.id });
  manager = await world.as((await makeUser(world.db, { role: 100, letters: 'E', projects: [project] })).id);
  for (const each of [device, elsewhere]) {
    await world.connect(each);
    await world.report(each);
  }
  // Earlier tests advanced the clock, so the password is not asked for here.
  await world.db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(world.clock.now()) })
    .execute();
});

/**
 * The overvoltage alarm after a minute of this voltage: level and threshold, or null. A reading that arrives
 * just after a threshold was set may still be judged by the old one, so the test waits for the expected
 * state.
 */
const atVolts = async (which: Device, volts: number) => {
  for (let sample = 0; sample < 3; sample += 1) {
    world.clock.advance(30_000);
    await world.report(which, { U: { a: volts } });
  }
  const { rows } = await world.pool.query(
    'select level, threshold from alarms where device_id = $1 and code = 101 and cleared_at is null',
    [which.id],
  );
  return rows[0] ?? null;
};
/** The same after a normal voltage: an alarm by the old threshold would not end just below the new one. */
const afresh = async (which: Device, volts: number) => {
  await atVolts(which, 220);
  return atVolts(which, volts);
};

it('a project’s threshold applies to its devices of the type, and to no others', async () => {
  expect(
    (await manager.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_w: 228 } })).data,
  ).toMatchObject({ thresholds: { ov_w: 228 }, before: {} });
  await becomes(() => atVolts(elsewhere, 230), null);
  await becomes(() => atVolts(device, 230), { level: 1, threshold: 228 });
});

it('a threshold set while a node was cut off applies once the node is connected again', async () => {
  await world.db
    .insertInto('default_thresholds')
    .values({
      project_id: project.id,
      device_type: 3,
      thresholds: JSON.stringify({ ov_w: 228 }),
      updated_at: new Date(),
      updated_by: 1,
    })
    .execute();
  await world.db.updateTable('alarm_types').set({ enabled: false }).where('code', '=', 101).execute();
  world.bus.emit('events.missed', {});
  await becomes(() => atVolts(device, 230), null);
  await world.db.updateTable('alarm_types').set({ enabled: true }).where('code', '=', 101).execute();
  world.bus.emit('events.missed', {});
  await atVolts(device, 220);
  await becomes(() => atVolts(device, 230), { level: 1, threshold: 228 });
});

it('the nearest threshold applies: line, device, project, installation, catalogue', async () => {
  await admin.call(set, { device_type: 3, thresholds: { ov_w: 226, ov_a: 240 } });
  await admin.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_w: 228 } });
  await becomes(() => atVolts(elsewhere, 227), { level: 1, threshold: 226 });
  await becomes(() => afresh(device, 227), null);
  const limit = (lineId: number, ov_w: number) =>
    world.db
      .updateTable('lines')
      .set({ thresholds: JSON.stringify({ ov_w }) })
      .where('id', '=', lineId)
      .execute();
  await limit(device.deviceLine.id, 230);
  world.bus.emit('device.changed', { deviceId: device.id, what: 'place' });
  await becomes(() => afresh(device, 229), null);
  await limit(device.lines[0]!.id, 232);
  world.bus.emit('line.changed', { deviceId: device.id, lineId: device.lines[0]!.id });
  await becomes(() => afresh(device, 231), null);
  await becomes(() => atVolts(device, 233), { level: 1, threshold: 232 });
  expect(await atVolts(device, 241)).toMatchObject({ level: 2, threshold: 240 });
});

it('removing a threshold puts the next one in effect, and ends its active alarm', async () => {
  await manager.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_w: 228 } });
  await becomes(() => atVolts(device, 230), { level: 1, threshold: 228 });
  await manager.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_w: null } });
  await becomes(() => atVolts(device, 229), null);
});

it('lists the thresholds that are set at each level, and refuses invalid values, field by field', async () => {
  await admin.call(set, { device_type: 3, thresholds: { ov_w: 250 } });
  await manager.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_a: 262 } });
  const { data } = await manager.call(get, { project_id: project.id, device_type: 3 });
  const of = (key: string) => data.parameters.find((each: { key: string }) => each.key === key);
  expect(of('ov_w')).toMatchObject({ value: null, inherited: 250, unit: 'V' });
  expect(of('ov_a')).toMatchObject({ value: 262, inherited: null });
  expect(of('quota_kwh')).toBeUndefined();
  const refused = await manager.call(set, {
    project_id: project.id,
    device_type: 3,
    thresholds: { ov_a: 9000, thdu: 5, quota_kwh: 5, nonsense: 1 },
  });
  expect(refused.status).toBe(422);
  expect(Object.keys(refused.data).sort()).toEqual([
    'thresholds.nonsense',
    'thresholds.ov_a',
    'thresholds.quota_kwh',
    'thresholds.thdu',
  ]);
  const crossed = await manager.call(set, {
    project_id: project.id,
    device_type: 3,
    thresholds: { ov_a: 245 },
  });
  expect(Object.keys(crossed.data)).toEqual(['thresholds.ov_w']);
});

it('only a user who sees everything sets thresholds for the installation, and no user sets them for a foreign project', async () => {
  const thresholds = { ov_w: 228 };
  expect((await manager.call(set, { device_type: 3, thresholds })).status).toBe(403);
  expect((await manager.call(set, { project_id: other.id, device_type: 3, thresholds })).status).toBe(404);
  expect((await manager.call(get, { project_id: other.id, device_type: 3 })).status).toBe(404);
  const reader = await world.as(
    (await makeUser(world.db, { role: 101, letters: 'D', projects: [project] })).id,
  );
  expect((await reader.call(set, { project_id: project.id, device_type: 3, thresholds })).status).toBe(403);
});

it('a threshold of the installation cannot cross its paired limit in any project, and the field names the project', async () => {
  const named = (await world.db
    .selectFrom('projects')
    .select('name')
    .where('id', '=', project.id)
    .executeTakeFirst())!.name;
  await manager.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_a: 245 } });
  const refused = await admin.call(set, { device_type: 3, thresholds: { ov_w: 250, uv_w: 200 } });
  expect(refused).toMatchObject({ status: 422, data: { 'thresholds.ov_w': expect.stringContaining(named) } });
  expect(Object.keys(refused.data)).toEqual(['thresholds.ov_w']);
  expect((await admin.call(get, { device_type: 3 })).data.revision).toBe(0);
  expect((await admin.call(set, { device_type: 3, thresholds: { ov_w: 245 } })).status).toBe(200);
  // Another device type is not affected, nor a project that sets both limits of the pair itself.
  expect((await admin.call(set, { device_type: 4, thresholds: { ov_w: 250 } })).status).toBe(200);
  await manager.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_w: 240 } });
  expect((await admin.call(set, { device_type: 3, thresholds: { ov_w: 250 } })).status).toBe(200);
});

it('two paired limits stay in order when they are set at the same moment at two levels', async () => {
  for (let round = 0; round < 5; round += 1) {
    await world.db.deleteFrom('default_thresholds').execute();
    const both = await Promise.all([
      admin.call(set, { device_type: 3, thresholds: { ov_w: 250 } }),
      manager.call(set, { project_id: project.id, device_type: 3, thresholds: { ov_a: 245 } }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
  }
});

it('a user who saves over another user’s change gets a fault, and no change is lost', async () => {
  const where = { project_id: project.id, device_type: 3 };
  const read = async () => (await manager.call(get, where)).data;
  const { revision } = await read();
  expect(revision).toBe(0);
  const first = await manager.call(set, { ...where, thresholds: { ov_w: 228 }, revision });
  expect(first.data.revision).toBeGreaterThan(revision);
  const late = await admin.call(set, { ...where, thresholds: { ov_w: 240 }, revision });
  expect(late).toMatchObject({
    status: 409,
    data: { revision: first.data.revision, current: { ov_w: 228 } },
  });
  // The same holds for two changes within one millisecond.
  const second = await manager.call(set, {
    ...where,
    thresholds: { uv_w: 200 },
    revision: first.data.revision,
  });
  expect(second.data).toMatchObject({ thresholds: { ov_w: 228, uv_w: 200 } });
  expect(second.data.revision).toBeGreaterThan(first.data.revision);
  expect((await read()).revision).toBe(second.data.revision);
});
