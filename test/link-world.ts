import pino from 'pino';
import { connect, connectPool } from '#database/connect.ts';
import { makeAhead } from '#database/partitions.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import type { Judge } from '#server/core/group.ts';
import { startLink } from '#server/link/link.ts';
import { createFleet } from '#simulator/fleet.ts';
import { freshDatabase } from './database.ts';
import { makeDevice, makeProject } from './factories.ts';

const noAlarms: Judge = {
  inTurn: (work) => work(),
  judge: () => ({ empty: true, write: async () => {}, tripped: () => [], settle: () => [], undo: () => {} }),
};
type SimulatedDevice = Parameters<typeof createFleet>[0]['devices'][number];

/** Real database, real broker and simulated switches with one line, started by `run`; without alarm rules. */
export const startLinkWorld = async (count: number) => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 8);
  const db = connect(pool);
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const bus = createBus((error) => log.error(error));
  await makeAhead(pool, systemClock.now());
  const project = await makeProject(db);
  const devices = await Promise.all(
    Array.from({ length: count }, () => makeDevice(db, { project_id: project.id, type: 3 })),
  );
  const link = await startLink({
    pool,
    bus,
    clock: systemClock,
    judge: noAlarms,
    log,
    config: { mqttHost: '127.0.0.1', mqttPort: 0 },
  });
  return {
    db,
    bus,
    log,
    devices,
    link,
    run(more: Partial<SimulatedDevice> = {}) {
      const fleet = createFleet({
        brokerUrl: `mqtt://127.0.0.1:${link.port}`,
        seed: 1,
        devices: devices.map(({ number, secret }) => ({
          number,
          secret,
          type: 3,
          lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office' }],
          nominalVoltage: 220,
          projectKey: 'one',
          ...more,
        })),
      });
      fleet.start();
      return fleet;
    },
    async stop() {
      await link.stop();
      await db.destroy();
      await database.drop();
    },
  };
};
