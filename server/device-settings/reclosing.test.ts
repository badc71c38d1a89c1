import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeProject, makeTag, makeUser } from '#test/factories.ts';
import { createSettingsWorld, type SettableDevice, type SettingsWorld } from '#test/settings-world.ts';
import { becomes, eventually } from '#test/wait.ts';
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

const wished = (device: SettableDevice) =>
  world.db
    .selectFrom('device_desired')
    .select(['value', 'state'])
    .where('device_id', '=', device.id)
    .where('key', '=', 'auto_reclose')
    .executeTakeFirst();
const reclosing = async () => {
  const device = await world.device(project, 3, 2);
  await device.connect();
  const enables = { auto_reclose: true };
  expect(
    await admin.call('/device_do/device_use', { device_id: device.id, enables, password: testPassword }),
  ).toMatchObject({ status: 200 });
  await becomes(async () => (await wished(device))?.state, 'applied');
  device.received.length = 0;
  return device;
};
const setTag = async (on: Parameters<typeof makeTag>[1]) => {
  const tag = await makeTag(world.db, on, { owner: admin.userId, at: world.clock.now() });
  return {
    emit: () =>
      world.bus.emit('tag.changed', {
        tagId: tag.id,
        kind: 'set',
        on: { projectId: project },
        projectId: project,
        partId: null,
        ownerId: admin.userId,
      }),
    remove: () =>
      world.db.updateTable('lockout_tags').set({ removed_at: new Date() }).where('id', '=', tag.id).execute(),
  };
};
const isOff = (device: SettableDevice) =>
  eventually(async () => device.simulated.core.enables['auto_reclose'] === false);

it('auto-reclose is switched off under a lock-out tag at once, even while remote control is disabled and other values wait for the tag', async () => {
  const device = await reclosing();
  await world.db.updateTable('devices').set({ net_ctrl: false }).where('id', '=', device.id).execute();
  await admin.call('/device/device_set', {
    device_id: device.id,
    settings: [{ key: 'il_w', n: 1, value: 20 }],
  });
  const tag = await setTag({ line_id: device.lines[0]!.id });
  tag.emit();
  await isOff(device);
  expect(device.received).toHaveLength(1);
  expect(device.received[0]).toMatchObject({ en: { auto_reclose: false } });
  expect(device.received[0]).not.toHaveProperty('p');
  expect(await wished(device)).toMatchObject({ value: false });
  await tag.remove();
  expect(device.simulated.core.enables['auto_reclose']).toBe(false);
});

it('switches auto-reclose off in a tagged device that was offline, also without an event about the tag', async () => {
  const device = await reclosing();
  await device.disconnect();
  const tag = await setTag({ device_id: device.id });
  // A round that is still running delays the next one, so the clock advances until the value changes.
  await eventually(async () => {
    world.clock.advance(60_000);
    return (await wished(device))?.value === false;
  });
  expect(device.received).toEqual([]);
  await device.connect();
  await isOff(device);
  await tag.remove();
});

it('switches auto-reclose off after a trip until a user switches it on after the inspection, also while remote control is disabled', async () => {
  const device = await reclosing();
  await world.db.updateTable('devices').set({ net_ctrl: false }).where('id', '=', device.id).execute();
  const at = new Date(world.clock.now());
  await world.db
    .insertInto('line_trips')
    .values({
      ...{ line_id: device.lines[0]!.id, device_id: device.id, code: 301, grave: true },
      ...{ at, received_at: at },
    })
    .execute();
  await eventually(async () => {
    world.clock.advance(60_000);
    return (await wished(device))?.value === false;
  });
  await isOff(device);
  expect(device.received).toHaveLength(1);
  await world.db.updateTable('devices').set({ net_ctrl: true }).where('id', '=', device.id).execute();
  admin = await world.as(admin.userId);
  const on = await admin.call('/device_do/device_use', {
    ...{ device_id: device.id, enables: { auto_reclose: true }, password: testPassword },
  });
  expect(on).toMatchObject({ status: 200 });
  const reason = async () =>
    (
      await world.db
        .selectFrom('device_desired')
        .select('reason')
        .where('device_id', '=', device.id)
        .where('key', '=', 'auto_reclose')
        .executeTakeFirst()
    )?.reason;
  await becomes(reason, 'uninspected');
  expect(device.received).toHaveLength(1);
});

it('switches auto-reclose off as soon as a trip is stored, without a round', async () => {
  const device = await reclosing();
  const at = new Date(world.clock.now());
  const trip = { line_id: device.lines[0]!.id, device_id: device.id, code: 301, grave: true };
  await world.db
    .insertInto('line_trips')
    .values({ ...trip, at, received_at: at })
    .execute();
  // The clock stands still, so that no round comes due.
  world.bus.emit('lines.tripped', { deviceIds: [device.id] });
  await isOff(device);
});

it('a tag switches auto-reclose off also when a user who asked for the same has lost the permission', async () => {
  const device = await reclosing();
  const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
  const by = await world.as(user.id);
  await device.disconnect();
  const enables = { auto_reclose: false };
  expect(await by.call('/device_do/device_use', { device_id: device.id, enables })).toMatchObject({
    status: 200,
  });
  await world.db.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();
  const tag = await setTag({ device_id: device.id });
  tag.emit();
  await device.connect();
  await becomes(async () => (await wished(device))?.state, 'rejected');
  tag.emit();
  await isOff(device);
  await tag.remove();
});
