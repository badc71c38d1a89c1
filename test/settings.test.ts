import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, connectPool } from '#database/connect.ts';
import { partitionUpkeep } from '#database/partition-upkeep.ts';
import { createConfigSender } from '#server/control/control.config.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import type { Judge } from '#server/core/group.ts';
import { createSettingsSender } from '#server/device-settings/settings.send.ts';
import { stage } from '#server/device-settings/settings.stage.ts';
import { deviceBulk } from '#server/devices/devices.bulk.ts';
import { startLink } from '#server/link/link.ts';
import { createFleet } from '#simulator/fleet.ts';
import { freshDatabase } from './database.ts';
import { makeDevice, makeProject } from './factories.ts';
import { eventually } from './world.ts';

const noAlarms: Judge = {
  judge: () => ({ empty: true, write: async () => {}, settle: () => [], undo: () => {} }),
};
type World = Awaited<ReturnType<typeof start>>;
let world: World;

/** Real database, real broker, simulated switches. */
const start = async () => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 8);
  const db = connect(pool);
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const bus = createBus((error) => log.error(error));
  const partitions = partitionUpkeep(pool, systemClock, 90, () => {});
  await partitions.start();
  const project = await makeProject(db);
  const devices = await Promise.all([3, 3].map((type) => makeDevice(db, { project_id: project.id, type })));
  const link = await startLink({
    pool,
    bus,
    clock: systemClock,
    judge: noAlarms,
    log,
    config: { mqttHost: '127.0.0.1', mqttPort: 0 },
  });
  const sender = createConfigSender({ db, bus, clock: systemClock, link: link.deviceLink, log });
  sender.start();
  const settings = createSettingsSender({ db, bus, clock: systemClock, sender, log });
  await settings.start();
  const fleet = createFleet({
    brokerUrl: `mqtt://127.0.0.1:${link.port}`,
    seed: 1,
    devices: devices.map(({ number, secret }) => ({
      number,
      secret,
      type: 3 as const,
      lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office' as const }],
      nominalVoltage: 220,
      projectKey: 'one',
    })),
  });
  fleet.start();
  return {
    db,
    bus,
    devices,
    link,
    async stop() {
      await fleet.stop();
      await settings.stop();
      await sender.stop();
      await link.stop();
      await partitions.stop();
      await db.destroy();
      await database.drop();
    },
  };
};
beforeAll(async () => {
  world = await start();
});
afterAll(() => world.stop());

test('a wish goes over the broker to the device, and its report over the broker ends it', async () => {
  const [device] = world.devices;
  const now = Date.now();
  await world.db.transaction().execute((trx) =>
    stage(
      trx,
      [
        {
          deviceId: device!.id,
          wishes: [
            { kind: 'parameter', place: 1, key: 'il_a', value: 100 },
            { kind: 'parameter', place: 0, key: 'tele_s', value: 30 },
            { kind: 'enable', place: 0, key: 'buzzer', value: false },
          ],
        },
      ],
      { userId: null, operator: 'test', now },
    ),
  );
  world.bus.emit('settings.changed', { deviceId: device!.id });
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

test('a deleted device is cut off and does not come back', async () => {
  const device = world.devices[1]!;
  await eventually(async () => world.link.stats().connections === 2);
  await world.db
    .transaction()
    .execute((trx) => deviceBulk(trx).delete({ all: true }, [device.id], new Date()));
  world.bus.emit('device.changed', { deviceId: device.id });
  await eventually(async () => world.link.stats().connections === 1);
});
