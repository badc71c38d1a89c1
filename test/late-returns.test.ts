import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backlogWork } from '#server/alarms/backlog.ts';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { eventually } from './wait.ts';
import type { Client } from './world.ts';

const minute = 60_000;
let world: AlarmWorld;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  world = await createAlarmWorld();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
let type = 3;
const begin = async (given: number) => {
  type = given;
  world.leave();
  device = await makeDevice(world.db, { type, project_id: (await makeProject(world.db)).id });
  await world.connect(device);
  await send(0, {});
};
beforeEach(() => begin(3));

/** A report of line 1, measured so many minutes ago; 0: now, and live. */
const send = (minutesAgo: number, values: Record<string, unknown>) =>
  world.publish(device, 'tele', {
    t: world.clock.now() - minutesAgo * minute,
    ...(minutesAgo > 0 && { bf: 1 }),
    ln: [
      {
        ...{ n: 1, sw: 1, trip: 0, I: { a: 5 }, IL: 3, P: { t: 1000 }, T: { m: 40 } },
        U: type === 4 ? { a: 220, b: 220, c: 220 } : { a: 220 },
        ...values,
      },
    ],
  });
interface Row {
  id: number;
  status: string;
  active: boolean;
  level: number;
  follows: { id: number } | null;
  work_order: string;
}
const rows = async (code: number): Promise<Row[]> =>
  (
    await admin.call('/device_warning/WarningList', {
      device_id: device.id,
      typeNumber: code,
      sort: 'time',
    })
  ).data.list;
const states = async (code: number) =>
  (await rows(code)).map(({ status, active }) => `${status} ${active ? 'active' : 'ended'}`);
const handle = async (code: number) => {
  const ids = (await rows(code)).filter(({ status }) => status === 'unprocessed').map(({ id }) => id);
  const { data } = await admin.call('/device_warning/batchHandle', { ids, content: 'seen to' });
  expect(data.done).toBe(ids.length);
  expect(ids.length).toBe(1);
};
const passes = (minutes: number) => world.clock.advance(minutes * minute);
/** No more late reports come: they are judged, and the review of the next minute takes that into account. */
const settle = async () => {
  passes(2);
  await backlogWork(world.pool).run({ now: world.clock.now(), signal: new AbortController().signal });
  passes(1);
};
const restart = async () => {
  world.leave();
  await world.restart();
  await world.connect(device);
};
const again = ['processed ended', 'unprocessed active'];
const becomesAgain = (code: number) =>
  eventually(async () => JSON.stringify(await states(code)) === JSON.stringify(again), {
    said: () => `alarms of ${code}`,
  });

/** Values beyond a limit, for each kind of condition that readings show. */
const conditions: readonly (readonly [string, number, Record<string, unknown>, number])[] = [
  ['a voltage', 101, { U: { a: 275 } }, 3],
  ['a low voltage', 102, { U: { a: 150 } }, 3],
  ['a supply', 109, { U: { a: 2 }, I: { a: 0 } }, 3],
  ['a current', 201, { I: { a: 60 } }, 3],
  ['a power', 202, { P: { t: 12_000 } }, 3],
  ['a leakage', 301, { IL: 60 }, 3],
  ['a temperature', 402, { T: { m: 95 } }, 3],
  ['an early warning', 402, { T: { m: 75 } }, 3],
  ['a sensor', 805, { T: { m: null } }, 3],
  ['a trip', 701, { sw: 0, I: { a: 0 }, trip: 998 }, 3],
  ['a contact that carries current', 703, { sw: 0, I: { a: 9 } }, 3],
  ['a lost phase', 103, { U: { a: 30, b: 220, c: 220 } }, 4],
];

describe.each(conditions)(
  '%s that was normal in between, as only late reports show, and is not now',
  (_, code, values, of) => {
    beforeEach(async () => {
      if (of !== 3) await begin(of);
      for (let sample = 0; sample < 3; sample += 1) {
        passes(1);
        await send(0, values);
      }
      await handle(code);
      passes(30);
    });
    const normal = async () => {
      for (let ago = 20; ago >= 10; ago -= 1) await send(ago, {});
    };
    it('is a new unprocessed alarm when the late reports come after the live one', async () => {
      await send(0, values);
      await normal();
      await settle();
      await becomesAgain(code);
    });
    it('is a new unprocessed alarm when the late reports come before the live one, also if the server was started anew in between', async () => {
      await normal();
      await restart();
      await settle();
      expect(await states(code)).toEqual(['processed active']);
      await restart();
      await send(0, values);
      await becomesAgain(code);
    });
  },
);

const hot = { T: { m: 95 } };
const heat = async () => {
  for (let sample = 0; sample < 3; sample += 1) {
    passes(1);
    await send(0, hot);
  }
};
it('an alarm stays handled that was handled after it had begun again', async () => {
  await heat();
  await handle(402);
  passes(30);
  await send(0, hot);
  passes(1);
  for (let ago = 20; ago >= 10; ago -= 1) await send(ago, {});
  await settle();
  await becomesAgain(402);
  await handle(402);
  passes(1);
  await send(0, hot);
  await send(34, {});
  await settle();
  passes(1);
  await send(0, hot);
  expect(await states(402)).toEqual(['processed ended', 'processed active']);
});
it('an alarm that nobody had handled goes on in its work order, and is handled with it', async () => {
  await heat();
  passes(30);
  for (let ago = 20; ago >= 10; ago -= 1) await send(ago, {});
  await settle();
  await send(0, hot);
  expect(await states(402)).toEqual(['unprocessed active']);
  await handle(402);
  passes(3);
  await send(0, hot);
  expect(await states(402)).toEqual(['processed active']);
});
it('a late report that was normal for less than the off-delay divides no alarm', async () => {
  await heat();
  await handle(402);
  passes(30);
  for (let ago = 25; ago >= 5; ago -= 1) await send(ago, { T: { m: ago === 12 ? 40 : 95 } });
  await send(0, hot);
  await settle();
  passes(1);
  await send(0, hot);
  expect(await states(402)).toEqual(['processed active']);
});

it('the new work order names the handled one and is announced', async () => {
  for (const _ of [1, 2]) {
    passes(1);
    await send(0, { U: { a: 275 } });
  }
  await handle(101);
  passes(30);
  await send(0, { U: { a: 275 } });
  for (let ago = 20; ago >= 10; ago -= 1) await send(ago, {});
  await settle();
  await becomesAgain(101);
  const [old, next] = await rows(101);
  expect(next?.follows?.id).toBe(old?.id);
  const heard = world.heard('alarms.changed').flat();
  expect(
    heard.filter(({ alarmId, kind, quiet }) => alarmId === next?.id && kind === 'raised' && !quiet),
  ).toHaveLength(1);
});

describe('events of a device, of which some come late', () => {
  const tell = (st: 'raise' | 'clear', given: Record<string, unknown>) =>
    world.publish(device, 'event', { kind: 'alarm', st, code: 303, lvl: 2, n: 1, ...given });
  const stored = (minutesAgo: number) => ({ bf: 1, t: world.clock.now() - minutesAgo * minute });

  it('another event of a backlog is a new alarm although the end of the handled one is lost, and is announced', async () => {
    await tell('raise', { eid: '1-1' });
    await handle(303);
    passes(60);
    await tell('raise', { eid: '1-2', ...stored(40) });
    expect(await states(303)).toEqual(again);
    const announced = () =>
      world
        .heard('alarms.changed')
        .flat()
        .filter(
          ({ deviceId, code, kind, quiet }) =>
            deviceId === device.id && code === 303 && kind === 'raised' && !quiet,
        );
    expect(announced()).toHaveLength(1);
    await eventually(async () => {
      passes(1);
      return announced().length === 2;
    });
  });
  it('another event of a backlog is active when the end of the earlier one comes after it, also after a restart', async () => {
    await tell('raise', { eid: '1-1' });
    passes(60);
    await tell('raise', { eid: '1-2', ...stored(20) });
    await restart();
    await tell('clear', { eid: '1-1', ...stored(40) });
    expect(await states(303)).toEqual(['unprocessed ended', 'unprocessed active']);
  });
  it('an event without a number that began again is a new alarm although its end was overtaken', async () => {
    await tell('raise', { boot: 7, seq: 1 });
    await handle(303);
    passes(60);
    await tell('raise', { boot: 7, seq: 3 });
    expect(await states(303)).toEqual(['processed active']);
    await tell('clear', { boot: 7, seq: 2, t: world.clock.now() - 1000 });
    expect(await states(303)).toEqual(again);
  });
});
