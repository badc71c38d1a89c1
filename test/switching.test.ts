import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { permissions } from '#contract/permissions.ts';
import { connect, connectPool } from '#database/connect.ts';
import { partitionUpkeep } from '#database/partition-upkeep.ts';
import { createControl } from '#server/control/control.commands.ts';
import { createBus, type Events } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import type { Judge } from '#server/core/group.ts';
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

/** Real database, real broker, a simulated switch; only the alarm rules are left out. */
const start = async () => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 8);
  const db = connect(pool);
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const bus = createBus((error) => log.error(error));
  const partitions = partitionUpkeep(pool, systemClock, 90, () => {});
  await partitions.start();
  const project = await makeProject(db);
  const device = await makeDevice(db, { project_id: project.id, type: 3 });
  const link = await startLink({
    pool,
    bus,
    clock: systemClock,
    judge: noAlarms,
    log,
    config: { mqttHost: '127.0.0.1', mqttPort: 0 },
  });
  const control = createControl({
    db,
    bus,
    clock: systemClock,
    link: link.deviceLink,
    raiseFinding: async () => {},
    log,
  });
  await control.start();
  const states: Events['command.changed'][] = [];
  bus.on('command.changed', (event) => states.push(event));
  const fleet = createFleet({
    brokerUrl: `mqtt://127.0.0.1:${link.port}`,
    seed: 1,
    devices: [
      {
        number: device.number,
        secret: device.secret,
        type: 3,
        lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office', position: 0 }],
        nominalVoltage: 220,
        projectKey: 'one',
        tele_s: 5,
      },
    ],
  });
  fleet.start();
  return {
    db,
    bus,
    control,
    device,
    fleet,
    states,
    async stop() {
      await fleet.stop();
      await control.stop();
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

const switchLine = async (verb: 'open' | 'close') => {
  const { db, bus, control, device, states } = world;
  const after: (() => void)[] = [];
  const { commandId } = await db.transaction().execute((trx) =>
    control.request(
      {
        db: trx,
        now: systemClock.now(),
        note: () => {},
        emit: (name, event) => after.push(() => bus.emit(name, event)),
        afterCommit: (run) => after.push(run),
      },
      {
        deviceId: device.id,
        lineId: device.lines[0]!.id,
        verb,
        cause: 'api',
        by: {
          userId: null,
          username: 'test',
          role: 1,
          permissions: new Set(permissions),
          scope: { all: true },
          address: '',
          identityProved: true,
        },
      },
    ),
  );
  for (const run of after) run();
  await eventually(async () =>
    states.find(
      (one) => one.commandId === commandId && !['created', 'sent', 'acknowledged'].includes(one.state),
    ),
  );
  return db.selectFrom('commands').selectAll().where('id', '=', commandId).executeTakeFirstOrThrow();
};

test('a simulated switch that closes and opens is believed when its meter says so', async () => {
  await eventually(async () => {
    const latest = await world.db.selectFrom('line_latest').selectAll().executeTakeFirst();
    return latest?.position === 0;
  });
  const closed = await switchLine('close');
  expect(closed).toMatchObject({ state: 'verified', reason: null, evidence: { position: 1 } });
  const opened = await switchLine('open');
  expect(opened).toMatchObject({ state: 'verified', evidence: { position: 0, verdict: 'agrees' } });
});
