import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConfigSender } from '#server/control/config-message.ts';
import { systemClock } from '#server/core/clock.ts';
import { createSettingsSender } from '#server/device-settings/push.ts';
import { stage } from '#server/device-settings/staging.ts';
import { deviceBulk } from '#server/devices/bulk.ts';
import { startLinkWorld } from './link-world.ts';
import { eventually } from './wait.ts';

type World = Awaited<ReturnType<typeof start>>;
let world: World;

const start = async () => {
  const base = await startLinkWorld(2);
  const { db, bus, log, link } = base;
  const sender = createConfigSender({ db, bus, clock: systemClock, link: link.deviceLink, log });
  sender.start();
  const settings = createSettingsSender({ db, bus, clock: systemClock, sender, log });
  await settings.start();
  const fleet = base.run();
  return {
    ...base,
    async stop() {
      await fleet.stop();
      await settings.stop();
      await sender.stop();
      await base.stop();
    },
  };
};
beforeAll(async () => {
  world = await start();
});
afterAll(() => world.stop());

test('a desired value goes over the broker to the device, and the device’s report completes it', async () => {
  const [device] = world.devices;
  const now = Date.now();
  const { project_id } = await world.db
    .selectFrom('devices')
    .select('project_id')
    .where('id', '=', device!.id)
    .executeTakeFirstOrThrow();
  await world.db.transaction().execute((trx) =>
    stage(
      trx,
      [
        {
          deviceId: device!.id,
          askedIn: project_id,
          wishes: [
            { kind: 'parameter', place: 1, key: 'il_a', value: 100 },
            { kind: 'parameter', place: 0, key: 'tele_s', value: 30 },
            { kind: 'enable', place: 0, key: 'buzzer', value: false },
          ],
        },
      ],
      { userId: null, operator: 'test', now, jobMoved: () => {} },
    ),
  );
  world.bus.emit('settings.requested', { deviceId: device!.id });
  await eventually(async () => {
    const rows = await world.db.selectFrom('device_desired').select('state').execute();
    return rows.every((row) => row.state === 'applied');
  });
  const row = await world.db
    .selectFrom('devices')
    .select('upload_seconds')
    .where('id', '=', device!.id)
    .executeTakeFirstOrThrow();
  expect(row.upload_seconds).toBe(30);
  const messages = await world.db.selectFrom('config_messages').select(['state', 'purpose']).execute();
  expect(messages).toEqual([{ state: 'applied', purpose: 'settings' }]);
});

test('a deleted device is disconnected and does not come back', async () => {
  const device = world.devices[1]!;
  await eventually(async () => world.link.stats().connections === 2);
  await world.db
    .transaction()
    .execute((trx) => deviceBulk(trx).delete({ all: true }, [device.id], new Date()));
  world.bus.emit('device.changed', { deviceId: device.id, what: 'place' });
  await eventually(async () => world.link.stats().connections === 1);
});
