import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeProject, makeTag, makeUser } from '#test/factories.ts';
import { createSettingsWorld, type SettingsWorld } from '#test/settings-world.ts';
import { eventually } from '#test/wait.ts';
import { type Client, testPassword } from '#test/world.ts';

let world: SettingsWorld;
let admin: Client;
let project: number;
beforeAll(async () => {
  world = await createSettingsWorld();
  project = (await makeProject(world.db)).id;
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

const lineOf = async (deviceId: number) =>
  (await admin.call('/device/selectSetting', { device_id: deviceId })).data.lines[0];
const limitOf = async (deviceId: number, key: string) =>
  (await lineOf(deviceId)).platform.find((limit: { key: string }) => limit.key === key);
const change = async (deviceId: number, thresholds: object, more: object = {}) => {
  const { line_id, revision } = await lineOf(deviceId);
  return admin.call('/device/change_device_line', { line_id, revision, thresholds, ...more });
};

it('lists the limits that a device does not keep, with the value that applies if the line has none of its own', async () => {
  const { id } = await world.device(project, 3, 1);
  expect(await limitOf(id, 'ov_d')).toMatchObject({ own: null, inherited: 4.4, role: 'deadband', unit: 'V' });
  // The device has reported nothing: the platform judges the line by all limits.
  expect(await limitOf(id, 'ov_a')).toMatchObject({ own: null, inherited: 264 });
  expect((await change(id, { ov_d: 6 })).status).toBe(200);
  expect(await limitOf(id, 'ov_d')).toMatchObject({ own: 6, inherited: 4.4 });
  expect(await limitOf(id, 'ov_t')).toMatchObject({ own: null });
});

it('no longer lists a limit that the device reports', async () => {
  const device = await world.device(project, 3, 1);
  await device.connect();
  await eventually(async () => (await limitOf(device.id, 'ov_a')) === undefined);
  expect(await limitOf(device.id, 'ov_d')).toMatchObject({ own: null });
});

it('asks for the password for a weaker limit, and refuses it under a tag', async () => {
  const { id } = await world.device(project, 3, 1);
  // A smaller deadband ends an alarm, and its interlock, closer to the limit.
  await world.db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(world.clock.now() - 16 * 60_000) })
    .where('user_id', '=', admin.userId)
    .execute();
  expect(await change(id, { ov_d: 1 })).toMatchObject({ status: 409, data: { reason: 'password_needed' } });
  expect((await change(id, { ov_d: 1 }, { password: testPassword })).status).toBe(200);
  await makeTag(world.db, { device_id: id }, { owner: admin.userId, at: world.clock.now() });
  const refused = await change(id, { ov_d: 0.5 }, { password: testPassword });
  expect(refused).toMatchObject({ status: 409, data: { reason: 'tagged' } });
  expect(await limitOf(id, 'ov_d')).toMatchObject({ own: 1 });
});
