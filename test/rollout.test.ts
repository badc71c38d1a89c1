import { afterAll, beforeAll, expect, test } from 'vitest';
import { createControl } from '#server/control/commands.ts';
import { systemClock } from '#server/core/clock.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import { createRollouts } from '#server/firmware/worker.ts';
import { makeTag, makeUser } from './factories.ts';
import { startLinkWorld } from './link-world.ts';
import { makeRollout, rolloutComesTo } from './rollouts.ts';
import { fakeFindings } from './switches.ts';

const total = 50;
type World = Awaited<ReturnType<typeof start>>;
let world: World;

const start = async () => {
  const base = await startLinkWorld(total);
  const { db, bus, log, link } = base;
  const control = createControl({
    db,
    bus,
    clock: systemClock,
    link: link.deviceLink,
    raiseFinding: fakeFindings().raise,
    log,
  });
  await control.start();
  const fleet = base.run();
  const author = await makeUser(db, { role: 1 });
  let ahead = 0;
  /** Only the rollout's clock advances: devices and commands use real time. */
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const begin = () => {
    const rollouts = createRollouts({
      db,
      bus,
      clock,
      log,
      control,
      addressOf: addressesBelow('http://localhost'),
    });
    rollouts.start();
    return rollouts;
  };
  return {
    ...base,
    fleet,
    author,
    begin,
    turnClock: (ms: number) => {
      ahead += ms;
    },
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

const begin = (
  to: string,
  share: { canary: number; wave: number; stop: number },
  deviceIds: readonly number[],
): Promise<number> => makeRollout(world.db, { ...share, to, deviceIds, type: 3, authorId: world.author.id });
const rolloutOf = (id: number) =>
  world.db.selectFrom('rollouts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const statesOf = async (id: number): Promise<Map<number, { state: string; reason: string | null }>> =>
  new Map(
    (await world.db.selectFrom('rollout_devices').selectAll().where('rollout_id', '=', id).execute()).map(
      (row) => [row.device_id, { state: row.state, reason: row.reason }],
    ),
  );
const counted = async (id: number): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { state } of (await statesOf(id)).values()) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};
const becomes = (isThere: () => Promise<boolean>, said: () => unknown) =>
  rolloutComesTo(world.db, isThere, said);
/** How many devices of a wave are in each state, and why. */
const waveOf = async (id: number, wave: number): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  const rows = await world.db
    .selectFrom('rollout_devices')
    .select(['state', 'reason', 'tries'])
    .where('rollout_id', '=', id)
    .where('wave', '=', wave)
    .execute();
  for (const { state, reason, tries } of rows) {
    const key = state === 'waiting' && tries === 0 ? 'not asked' : [state, reason].filter(Boolean).join(': ');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};
const everybodyOnline = () =>
  becomes(
    async () =>
      (await world.db.selectFrom('device_state').select('device_id').where('online', '=', true).execute())
        .length === total,
    async () => 'online',
  );
const firmwareOf = async (id: number) =>
  (await world.db.selectFrom('devices').select('firmware').where('id', '=', id).executeTakeFirstOrThrow())
    .firmware;

test('a rollout over 50 devices with failures, killed and resumed, ends with the devices’ real versions', async () => {
  const { devices, fleet } = world;
  await everybodyOnline();
  const wrong = {
    fails: devices[10]!,
    rollsBack: devices[20]!,
    silent: devices[30]!,
    lies: devices[40]!,
  } as const;
  for (const [update, device] of Object.entries(wrong))
    fleet.device(device.number).setFaults({ update: update as keyof typeof wrong });
  const id = await begin(
    '1.5.0',
    { canary: 10, wave: 45, stop: 30 },
    devices.map((device) => device.id),
  );
  const first = world.begin();
  // The canaries are done and the second wave is under way.
  await becomes(
    async () => (await rolloutOf(id)).wave === 2 && ((await counted(id))['downloading'] ?? 0) > 3,
    () => counted(id),
  );
  const canaries = await waveOf(id, 1);
  expect(canaries['updated'], JSON.stringify(canaries)).toBeGreaterThan(0);
  expect(canaries['not asked']).toBeUndefined();
  await first.stop();
  const known = await counted(id);
  // No server runs while devices continue and finish.
  await becomes(
    async () =>
      (await world.db.selectFrom('devices').select('id').where('firmware', '=', '1.5.0').execute()).length >
      (known['updated'] ?? 0) + 10,
    () => counted(id),
  );
  expect(await counted(id)).toEqual(known);
  const second = world.begin();
  await becomes(
    async () => ((await counted(id))['updated'] ?? 0) >= total - 4,
    () => counted(id),
  );
  // A device that stops reporting is given up when its time is over.
  world.turnClock(3 * 60_000);
  second.wake();
  await becomes(
    async () => (await rolloutOf(id)).state === 'done',
    () => counted(id),
  );
  await second.stop();
  const states = await statesOf(id);
  for (const device of devices) {
    const isWrong = Object.values(wrong).includes(device);
    expect(await firmwareOf(device.id), device.number).toBe(isWrong ? '1.4.2' : '1.5.0');
    if (!isWrong) expect(states.get(device.id)).toEqual({ state: 'updated', reason: null });
    else expect(['failed', 'rolled_back']).toContain(states.get(device.id)!.state);
  }
  expect(states.get(wrong.silent.id)).toEqual({ state: 'failed', reason: 'firmware.timeout' });
  // Each device was asked once, through the guard, and its entry in the operation log names who asked.
  const asked = await world.db
    .selectFrom('commands')
    .select(['device_id', 'cause'])
    .where('verb', '=', 'ota')
    .execute();
  expect(asked).toHaveLength(total);
  expect(new Set(asked.map(({ cause }) => cause))).toEqual(new Set(['rollout']));
  const logged = await world.db
    .selectFrom('operation_log')
    .select('operator')
    .where('key', '=', 'version.update')
    .execute();
  expect(logged).toHaveLength(total);
  for (const device of Object.values(wrong)) fleet.device(device.number).setFaults({});
});

test('a rollout stops when too many canaries fail, and no other device is updated', async () => {
  const { devices, fleet } = world;
  await everybodyOnline();
  const part = devices.slice(0, 8);
  fleet.device(part[0]!.number).setFaults({ update: 'fails' });
  const id = await begin(
    '1.6.0',
    { canary: 25, wave: 50, stop: 20 },
    part.map((device) => device.id),
  );
  const rollouts = world.begin();
  await becomes(
    async () => (await rolloutOf(id)).state === 'stopped',
    () => waveOf(id, 1),
  );
  await rollouts.stop();
  expect(await rolloutOf(id)).toMatchObject({ reason: 'firmware.errors', wave: 1 });
  expect(await waveOf(id, 2)).toEqual({ 'not asked': 4 });
  expect(await waveOf(id, 3)).toEqual({ 'not asked': 2 });
});

test('a device under a lock-out tag or in alarm is skipped with the reason, and updated when that is over', async () => {
  const { devices, db, author } = world;
  const device = devices[48]!;
  await makeTag(db, { device_id: device.id }, { owner: author.id, at: Date.now() });
  const id = await begin('1.7.0', { canary: 100, wave: 100, stop: 10 }, [device.id]);
  const rollouts = world.begin();
  await becomes(
    async () => (await statesOf(id)).get(device.id)?.reason === 'control.tagged',
    () => counted(id),
  );
  await db
    .updateTable('lockout_tags')
    .set({ removed_at: new Date() })
    .where('device_id', '=', device.id)
    .execute();
  world.turnClock(6 * 60_000);
  rollouts.wake();
  await becomes(
    async () => (await rolloutOf(id)).state === 'done',
    () => counted(id),
  );
  await rollouts.stop();
  expect((await statesOf(id)).get(device.id)).toEqual({ state: 'updated', reason: null });
});
