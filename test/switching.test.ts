import { afterAll, beforeAll, expect, test } from 'vitest';
import { permissions } from '#contract/permissions.ts';
import { createControl } from '#server/control/commands.ts';
import type { Events } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { startLinkWorld } from './link-world.ts';
import { eventually } from './wait.ts';

type World = Awaited<ReturnType<typeof start>>;
let world: World;

const start = async () => {
  const base = await startLinkWorld(1);
  const { db, bus, log, link, devices } = base;
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
  const fleet = base.run({
    lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office', position: 0 }],
    tele_s: 5,
  });
  return {
    ...base,
    control,
    device: devices[0]!,
    fleet,
    states,
    async stop() {
      await fleet.stop();
      await control.stop();
      await base.stop();
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

test('closing and opening a simulated switch is verified by its meter', async () => {
  await eventually(async () => {
    const latest = await world.db.selectFrom('line_latest').selectAll().executeTakeFirst();
    return latest?.position === 0;
  });
  const closed = await switchLine('close');
  expect(closed).toMatchObject({ state: 'verified', reason: null, evidence: { position: 1 } });
  const opened = await switchLine('open');
  expect(opened).toMatchObject({ state: 'verified', evidence: { position: 0, verdict: 'agrees' } });
});
