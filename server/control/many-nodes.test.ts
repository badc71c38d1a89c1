import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { permissions } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { Fault } from '#server/core/fault.ts';
import { type ControlWorld, createControlWorld } from '#test/control-world.ts';
import { makeProject } from '#test/factories.ts';
import { healthy, makeSwitch, observe, type Switch } from '#test/switches.ts';
import type { Ask } from './request.ts';

let world: ControlWorld;
let devices: Switch[];
beforeAll(async () => {
  world = await createControlWorld();
  const project = (await makeProject(world.db)).id;
  devices = [];
  for (let index = 0; index < 3; index += 1) devices.push(await makeSwitch(world, project, 2));
});
afterAll(() => world.close());

/** Mostly usual values, so that some commands are written and others refused. */
const rarely = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
const deviceState = fc.record({ online: rarely(true, false), netCtrl: rarely(true, false) });
const lineState = fc.record({
  position: rarely<0 | 1 | null>(0, 1, null),
  trip: rarely<number | null>(0, 3, null),
  lock: rarely<number | null>(0, 1, 2, 4),
  voltage: rarely(230, 120, 300),
  age: rarely(0, 3_600_000),
  critical: rarely(false, true),
});
const asks = fc.array(
  fc.record({
    device: fc.nat(2),
    line: fc.nat(1),
    foreign: rarely(false, true),
    verb: fc.constantFrom('open' as const, 'close' as const, 'close' as const),
    role: rarely(1, 5),
    proved: rarely(true, false),
  }),
  { minLength: 1, maxLength: 8 },
);
const scenario = fc.record({
  devices: fc.array(deviceState, { minLength: 3, maxLength: 3 }),
  lines: fc.array(lineState, { minLength: 6, maxLength: 6 }),
  asks,
});

class Undone extends Error {}
/** Runs the work, returns its result and rolls everything back. */
const undone = async <Result>(work: (trx: Db) => Promise<Result>): Promise<Result> => {
  let result: Result | undefined;
  await world.db
    .transaction()
    .execute(async (trx) => {
      result = await work(trx);
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  return result!;
};
const callOf = (db: Db) => ({ db, now: world.clock.now(), emit: () => {}, afterCommit: () => {} });
const plain = (refusal: Fault | null) => refusal && { code: refusal.code, details: refusal.details };
const written = (db: Db) =>
  db
    .selectFrom('commands')
    .select(['device_id', 'line_id', 'number', 'verb', 'state', 'reason', 'operator'])
    .orderBy('device_id')
    .orderBy('number')
    .execute();

test('many simultaneous requests have the same results as requests one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const now = world.clock.now();
      for (const [index, device] of devices.entries()) {
        const { online, netCtrl } = given.devices[index]!;
        await world.db
          .updateTable('device_state')
          .set({ online, last_seen: new Date(now) })
          .where('device_id', '=', device.id)
          .execute();
        await world.db
          .updateTable('devices')
          .set({ net_ctrl: netCtrl })
          .where('id', '=', device.id)
          .execute();
        for (const [place, line] of device.lines.entries()) {
          const state = given.lines[2 * index + place]!;
          await observe(world.db, line.id, now - state.age, {
            position: state.position,
            trip: state.trip,
            lock: state.lock,
            values: { ...healthy, 'U.a': state.voltage },
          });
          await world.db
            .updateTable('lines')
            .set({ critical: state.critical })
            .where('id', '=', line.id)
            .execute();
        }
      }
      const many = given.asks.map(
        (ask): Ask => ({
          deviceId: devices[ask.device]!.id,
          lineId: devices[ask.foreign ? (ask.device + 1) % 3 : ask.device]!.lines[ask.line]!.id,
          verb: ask.verb,
          cause: 'api',
          by: {
            userId: null,
            username: `role ${ask.role}`,
            role: ask.role,
            permissions: new Set(permissions),
            scope: { all: true },
            address: '',
            identityProved: ask.proved,
          },
        }),
      );
      const together = await undone(async (trx) => {
        const answers = await world.control.requestMany(callOf(trx), many);
        return { refusals: answers.map(({ refusal }) => plain(refusal)), rows: await written(trx) };
      });
      const single = await undone(async (trx) => {
        const refusals: ReturnType<typeof plain>[] = [];
        for (const ask of many)
          try {
            await world.control.request({ ...callOf(trx), note: () => {} }, ask);
            refusals.push(null);
          } catch (error) {
            if (!(error instanceof Fault)) throw error;
            refusals.push(plain(error));
          }
        return { refusals, rows: await written(trx) };
      });
      expect(together).toEqual(single);
    }),
    { numRuns: 60 },
  );
});
