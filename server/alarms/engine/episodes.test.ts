import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AlarmChange } from '#server/core/bus.ts';
import { type AlarmWorld, createAlarmWorld } from '../alarms.world.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const read: AlarmWorld['read'] = (...given) => server.read(...given);
const event: AlarmWorld['event'] = (...given) => server.event(...given);
const find: AlarmWorld['find'] = (...given) => server.find(...given);
const restart = () => server.restart();
const list = () => server.list();
const unprocessed = () => server.unprocessed();
const handleAll = async () => {
  await server.handleAll();
  expect(await unprocessed()).toBe(0);
};

/** The only announced change, which must be a new unprocessed work order that follows the first. */
const expectFollowed = async (changes: readonly AlarmChange[], level: number) => {
  const [old, next] = await list();
  expect(old).toMatchObject({ status: 'processed', active: false });
  expect(next).toMatchObject({ status: 'unprocessed', active: true, level });
  expect(next?.work_order).not.toBe(old?.work_order);
  expect(next?.follows).toEqual({ id: old?.id, work_order: old?.work_order });
  expect(old?.followed_by).toEqual({ id: next?.id, work_order: next?.work_order });
  expect(await list()).toHaveLength(2);
  expect(await unprocessed()).toBe(1);
  expect(changes.filter(({ quiet }) => !quiet)).toMatchObject([{ kind: 'raised', alarmId: next?.id, level }]);
  expect(changes).toContainEqual(
    expect.objectContaining({ kind: 'followed', alarmId: old?.id, quiet: true }),
  );
  expect(changes.map(({ kind }) => kind)).not.toContain('cleared');
};

/** Changes after an alarm was handled, and the level of the work order that each opens. */
const news: readonly {
  name: string;
  first: () => Promise<unknown>;
  again: () => Promise<AlarmChange[]>;
  level: number;
}[] = [
  {
    name: 'a joint that heats up from an early warning to an alarm',
    first: async () => {
      await read(0, { 'T.m': 75 });
      await read(60, { 'T.m': 75 });
    },
    again: async () => [...(await read(120, { 'T.m': 105 })), ...(await read(180, { 'T.m': 105 }))],
    level: 2,
  },
  {
    name: 'a latched leakage that was normal and comes back',
    first: async () => {
      for (const [seconds, IL] of [
        [0, 60],
        [60, 5],
        [120, 5],
        [180, 5],
      ] as const)
        await read(seconds, { IL });
    },
    again: () => read(600_000, { IL: 118 }),
    level: 2,
  },
  {
    name: 'another event of the device at the same level',
    first: () => event(0, { st: 'raise', code: 502, eid: '1-1' }),
    again: () => event(3600, { st: 'raise', code: 502, eid: '1-2' }),
    level: 2,
  },
  {
    name: 'the same event at a higher level',
    first: () => event(0, { st: 'raise', code: 102, lvl: 1, eid: '1-1' }),
    again: () => event(60, { st: 'raise', code: 102, lvl: 2, eid: '1-1' }),
    level: 2,
  },
  {
    name: 'the same event number of another boot',
    first: () => event(0, { st: 'raise', code: 804, eid: '7' }),
    again: () => event(3600, { st: 'raise', code: 804, eid: '7', boot: 2 }),
    level: 2,
  },
  {
    name: 'an event of a lower level that begins another episode, without lowering the level',
    first: () => event(0, { st: 'raise', code: 102, lvl: 2, eid: '1-1' }),
    again: () => event(3600, { st: 'raise', code: 102, lvl: 1, eid: '1-2' }),
    level: 2,
  },
  {
    name: 'a value that rises above what the device itself warned of, on a phase that it did not name',
    first: () => event(0, { st: 'raise', code: 402, lvl: 1, eid: '1-1' }),
    again: async () => [...(await read(60, { 'T.m': 105 })), ...(await read(120, { 'T.m': 105 }))],
    level: 2,
  },
  {
    name: 'another uncommanded move',
    first: () => find(0, 704),
    again: () => find(3 * 86_400, 704),
    level: 2,
  },
  { name: 'another failed switching', first: () => find(0, 703), again: () => find(600, 703), level: 2 },
  {
    name: 'another protection that trips before the reset',
    first: () => read(0, {}, { trip: 999, position: 0 }),
    again: () => read(600, {}, { trip: 998, position: 0 }),
    level: 2,
  },
];

describe('after a handled alarm', () => {
  for (const { name, first, again, level } of news) {
    it(`${name} opens a new work order`, async () => {
      await first();
      await handleAll();
      await expectFollowed(await again(), level);
    });
    it(`${name} opens a new work order, after a restart too`, async () => {
      await first();
      await handleAll();
      await restart();
      await expectFollowed(await again(), level);
    });
    it(`${name} opens a new work order, also when this node does not know yet that the alarm was handled`, async () => {
      await first();
      await server.world.pool.query(
        `update alarms set handled_at = now(), handled_by = $1, handling_content = 'seen to', revision = revision + 1`,
        [server.operator.userId],
      );
      await expectFollowed(await again(), level);
    });
  }
  it('a trip is a separate work order, not part of the handled one', async () => {
    await read(0, { IL: 60 });
    await handleAll();
    const changes = await read(60, { IL: 60, 'I.a': 0 }, { trip: 301, position: 0 });
    expect(changes.filter(({ quiet }) => !quiet)).toMatchObject([{ kind: 'raised', code: 701 }]);
    expect(await unprocessed()).toBe(1);
  });
  it('a trip that was handled with its cause opens no second work order, and the next trip does', async () => {
    await read(0, { IL: 60 });
    await read(60, { IL: 60, 'I.a': 0 }, { trip: 301, position: 0 });
    expect(await list()).toMatchObject([{ tags: ['trip'] }]);
    await handleAll();
    for (const seconds of [120, 180, 240])
      await read(seconds, { IL: 60, 'I.a': 0 }, { trip: 301, position: 0 });
    expect(await list()).toHaveLength(1);
    expect(await unprocessed()).toBe(0);
    const changes = await read(300, { IL: 60, 'I.a': 0 }, { trip: 302, position: 0 });
    expect(changes.filter(({ quiet }) => !quiet)).toMatchObject([{ kind: 'raised', code: 701 }]);
    expect(await unprocessed()).toBe(1);
  });
  it('an unchanged condition opens no second work order, however long it lasts', async () => {
    await read(0, { IL: 60 });
    await event(0, { st: 'raise', code: 502, eid: '1-1' });
    await handleAll();
    for (let seconds = 60; seconds <= 600; seconds += 60) await read(seconds, { IL: 60 });
    await event(700, { st: 'raise', code: 502, eid: '1-1' });
    expect(await unprocessed()).toBe(0);
    expect(await list()).toHaveLength(2);
  });
  it('the end of a device’s event ends the last of its work orders, also after a restart', async () => {
    await event(0, { st: 'raise', code: 102, lvl: 1, eid: '1-1' });
    await handleAll();
    await event(60, { st: 'raise', code: 102, lvl: 2, eid: '1-1' });
    await restart();
    expect(await event(120, { st: 'clear', code: 102, eid: '1-1' })).toMatchObject([
      { kind: 'cleared', quiet: false, level: 2 },
    ]);
    expect((await list()).map((row) => row.active)).toEqual([false, false]);
  });
  it('the next work order of a handled alarm suppresses the consequences of that alarm', async () => {
    await read(0, { 'U.a': 0, 'I.a': 0 });
    await event(1, { st: 'raise', code: 107, eid: '1-7' });
    await handleAll();
    await event(60, { st: 'raise', code: 109, eid: '1-8' });
    await event(120, { st: 'raise', code: 109, eid: '1-9' });
    const { rows } = await server.world.pool.query('select suppressed_by from alarms where code = 107');
    const [last] = (await list()).filter((row) => row.active);
    expect(rows).toEqual([{ suppressed_by: last?.id }]);
  });
});

describe('before it is handled', () => {
  it('a rise of level stays in the same work order and is announced again', async () => {
    await event(0, { st: 'raise', code: 102, lvl: 1, eid: '1-1' });
    expect(await event(60, { st: 'raise', code: 102, lvl: 2, eid: '1-2' })).toContainEqual(
      expect.objectContaining({ kind: 'escalated', quiet: false, level: 2 }),
    );
    expect(await list()).toHaveLength(1);
  });
});
