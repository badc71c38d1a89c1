import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import type { Client } from '#test/world.ts';
import { type Connected, createSwitchWorld, refusalOf, type SwitchWorld } from './control.world.ts';

let world: SwitchWorld;
let operator: Client;
let chief: Client;

beforeAll(async () => {
  world = await createSwitchWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  // The clock advances, because calls and connections are rate-limited.
  world.clock.advance(50_000);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: world.project }] })).id);
  chief = await world.as((await makeUser(world.db, { role: 1 })).id);
});

/** The line trips and is reset: no report forbids closing afterwards. */
const tripAndReset = async ({ reading }: Connected, code: number) => {
  await reading({ trip: code });
  world.clock.advance(1000);
  await reading();
};
const isRefused = (one: Connected) => refusalOf(operator, one);
const recordOf = ({ device, line }: Connected, given: object = {}) => ({
  project_id: world.project,
  device_id: device.id,
  kind: 'inspection',
  maintenance_time: new Date(world.clock.now()).toISOString(),
  handler_name: 'Wang Jun',
  handler_phone: '13900000202',
  content: 'Insulation measured: 80 MΩ',
  line_ids: [line.id],
  ...given,
});
const record = async (one: Connected, given: object = {}) => {
  const answer = await operator.call('/maintenance/add_record', recordOf(one, given));
  expect(answer.status).toBe(200);
  return answer.data as { record_id: number; revision: number };
};

test('after a trip by leakage a line is closed only when its inspection is recorded', async () => {
  const one = await world.connect();
  expect(await isRefused(one)).toBeNull();
  await tripAndReset(one, 301);
  // The parts that manage closing by a device itself receive the trip at once.
  expect(world.heard('lines.tripped')).toContainEqual({ deviceIds: [one.device.id] });
  const ask = () =>
    operator.call(
      '/device_do/device_do',
      { device_id: one.device.id, line_id: one.line.id, action: 'close' },
      { 'accept-language': 'en' },
    );
  expect(await ask()).toMatchObject({
    status: 409,
    msg: 'The line has tripped and nobody has inspected it yet: record the inspection before you close',
    data: { reason: 'uninspected' },
  });
  const { record_id } = await record(one);
  expect(await isRefused(one)).toBeNull();
  await operator.call('/maintenance/del_record', { record_id });
  expect(await isRefused(one)).toBe('uninspected');
  await record(one);
  expect((await ask()).status).toBe(200);
  await world.control.settled();
  one.leave();
});

describe('the inspection after a trip', () => {
  let one: Connected;
  beforeEach(async () => {
    one = await world.connect();
    return () => one.leave();
  });

  test.each<[string, (connected: Connected) => object, string | null]>([
    ['a record of an inspection allows closing', () => ({}), null],
    ['a record of a repair allows closing', () => ({ kind: 'repair' }), null],
    ['a record of a replacement allows closing', () => ({ kind: 'replacement' }), null],
    ['a record of a routine visit does not allow closing', () => ({ kind: 'routine' }), 'uninspected'],
    [
      'a record of another line does not allow closing',
      ({ device }) => ({ line_ids: [device.lines[1]!.id] }),
      'uninspected',
    ],
    ['a record without a line does not allow closing', () => ({ line_ids: [] }), 'uninspected'],
    [
      'a record of a time before the trip does not allow closing',
      () => ({ maintenance_time: new Date(world.clock.now() - 3_600_000).toISOString() }),
      'uninspected',
    ],
  ])('%s', async (_, given, refusal) => {
    await tripAndReset(one, 502);
    await record(one, given(one));
    expect(await isRefused(one)).toBe(refusal);
  });

  test('an inspection that was recorded before the trip does not count', async () => {
    await record(one);
    world.clock.advance(1000);
    await tripAndReset(one, 301);
    expect(await isRefused(one)).toBe('uninspected');
  });

  test('an inspection is required again by the next trip, and by an edit that removes the line', async () => {
    await tripAndReset(one, 301);
    const written = await record(one);
    const edited = await operator.call('/maintenance/edit_record', {
      ...recordOf(one, { line_ids: [] }),
      ...{ record_id: written.record_id, revision: written.revision },
    });
    expect(edited.status).toBe(200);
    expect(await isRefused(one)).toBe('uninspected');
    await record(one);
    expect(await isRefused(one)).toBeNull();
    world.clock.advance(1000);
    await tripAndReset(one, 301);
    expect(await isRefused(one)).toBe('uninspected');
  });

  describe('the server clock is set back by half an hour', () => {
    const setBack = async () => {
      world.clock.step(-1_800_000);
      await one.reading();
      world.clock.advance(6_000);
      await one.reading();
    };

    test('an inspection from before the trip does not count, although it shows a later time', async () => {
      await record(one);
      await setBack();
      await tripAndReset(one, 301);
      expect(await isRefused(one)).toBe('uninspected');
      await record(one);
      expect(await isRefused(one)).toBeNull();
    });

    test('an inspection after the trip counts, although it shows an earlier time, if its work was done then', async () => {
      await tripAndReset(one, 301);
      await setBack();
      await record(one, { maintenance_time: new Date(world.clock.now() - 300_000).toISOString() });
      expect(await isRefused(one)).toBe('uninspected');
      await record(one);
      expect(await isRefused(one)).toBeNull();
    });

    test('the next trip requires an inspection again', async () => {
      await tripAndReset(one, 301);
      await record(one);
      await setBack();
      await tripAndReset(one, 301);
      expect(await isRefused(one)).toBe('uninspected');
    });
  });

  test('an inspection is still required when a minor trip follows', async () => {
    await tripAndReset(one, 301);
    world.clock.advance(1000);
    await tripAndReset(one, 101);
    expect(await isRefused(one)).toBe('uninspected');
    world.clock.advance(1000);
    // The line trips again without a reset in between.
    await one.reading({ trip: 402 });
    await tripAndReset(one, 202);
    expect(await isRefused(one)).toBe('uninspected');
    await record(one);
    expect(await isRefused(one)).toBeNull();
    world.clock.advance(1000);
    await tripAndReset(one, 101);
    expect(await isRefused(one)).toBeNull();
  });

  describe('a trip without an event', () => {
    /** Sends a reading of the backlog; the newest live reading shows no trip. */
    const backlog = (seq: number, ago: number, trip: number) =>
      one.reading({ trip }, { bf: 1, seq, t: world.clock.now() - ago * 1000 });

    test('a trip without an event requires an inspection, although a newer trip overtook it', async () => {
      await one.reading({}, { seq: 11 });
      await one.reading({ trip: 301 }, { seq: 10 });
      expect(await isRefused(one)).toBe('uninspected');
      await record(one);
      expect(await isRefused(one)).toBeNull();
    });

    test('a trip that a backlog of readings shows requires an inspection, unless one was recorded since', async () => {
      world.clock.advance(600_000);
      await record(one);
      world.clock.advance(60_000);
      await one.reading({}, { seq: 30 });
      await backlog(20, 300, 402);
      await backlog(21, 290, 0);
      expect(await isRefused(one)).toBeNull();
      await backlog(22, 30, 402);
      await backlog(23, 20, 0);
      expect(await isRefused(one)).toBe('uninspected');
    });

    test('a trip that several readings of a backlog show requires one inspection, in any order of arrival', async () => {
      world.clock.advance(600_000);
      await one.reading({}, { seq: 30 });
      await backlog(10, 400, 0);
      await backlog(11, 380, 301);
      await record(one, { maintenance_time: new Date(world.clock.now() - 120_000).toISOString() });
      expect(await isRefused(one)).toBeNull();
      world.clock.advance(1000);
      // These readings repeat the latched trip of before, so they show no new trip.
      for (const seq of [12, 13, 14]) await backlog(seq, 370 - seq, 301);
      expect(await isRefused(one)).toBeNull();
    });

    test('a second trip requires an inspection, although the readings between the two trips arrive later', async () => {
      world.clock.advance(600_000);
      await one.reading({ trip: 301 }, { seq: 10 });
      await record(one);
      world.clock.advance(600_000);
      await one.reading({}, { seq: 30 });
      await backlog(20, 60, 301);
      await backlog(21, 50, 0);
      expect(await isRefused(one)).toBeNull();
      await backlog(19, 120, 0);
      expect(await isRefused(one)).toBe('uninspected');
    });

    test.each([301, 0])(
      'a second trip requires an inspection, although the only reading before it that shows %i came late',
      async (between) => {
        world.clock.advance(600_000);
        await one.reading({ trip: 301 }, { seq: 10 });
        await record(one);
        world.clock.advance(600_000);
        await backlog(11, 60, between);
        await one.reading({ trip: 301 }, { seq: 12 });
        await one.reading({}, { seq: 13 });
        expect(await isRefused(one)).toBe(between === 0 ? 'uninspected' : null);
      },
    );

    test('an inspection before the last live reading does not cover a trip that a slow clock’s backlog shows', async () => {
      await record(one);
      world.clock.advance(60_000);
      await one.reading({}, { seq: 10, t: world.clock.now() });
      world.clock.advance(5000);
      await one.reading({ trip: 301 }, { bf: 1, seq: 11, t: world.clock.now() - 3_600_000 });
      await one.reading({}, { seq: 12 });
      expect(await isRefused(one)).toBe('uninspected');
    });
  });

  test('a trip event requires an inspection, although its time is older than any backlog', async () => {
    await record(one);
    world.clock.advance(60_000);
    await one.send('event', {
      ...{ eid: 'of-2021', kind: 'pos', n: 1, sw: 0, by: 'trip', code: 301, bf: 1, seq: 40 },
      t: Date.UTC(2021, 0, 1),
    });
    await one.reading({}, { seq: 41 });
    expect(await isRefused(one)).toBe('uninspected');
  });

  test('the newest trip requires an inspection, although an older serious trip that is reported later was inspected', async () => {
    expect((await chief.call('/settings/set', { name: 'control.inspectAfter', value: 'any' })).status).toBe(
      200,
    );
    world.clock.advance(600_000);
    await record(one, { maintenance_time: new Date(world.clock.now() - 60_000).toISOString() });
    world.clock.advance(1000);
    await one.reading({ trip: 101 }, { seq: 30 });
    await one.reading({}, { seq: 31 });
    await one.reading({ trip: 301 }, { bf: 1, seq: 20, t: world.clock.now() - 300_000 });
    await one.reading({ trip: 0 }, { bf: 1, seq: 21, t: world.clock.now() - 290_000 });
    expect(await isRefused(one)).toBe('uninspected');
    expect((await chief.call('/settings/set', { name: 'control.inspectAfter', value: null })).status).toBe(
      200,
    );
  });

  test('an inspection is required by a trip that is reported late, unless one was recorded since', async () => {
    const tripLate = (minutesAgo: number, seq: number) =>
      one.send('event', {
        ...{ eid: `late-${minutesAgo}`, kind: 'pos', n: 1, sw: 0, by: 'trip', code: 301, bf: 1, seq },
        t: world.clock.now() - minutesAgo * 60_000,
      });
    await record(one);
    world.clock.advance(120_000);
    await one.reading({}, { seq: 30 });
    await tripLate(10, 20);
    expect(await isRefused(one)).toBeNull();
    await tripLate(1, 21);
    expect(await isRefused(one)).toBe('uninspected');
    await record(one);
    expect(await isRefused(one)).toBeNull();
  });

  test('an inspection is not required after the trip of a leakage test', async () => {
    await one.listens();
    const asked = await operator.call('/device_do/device_do', {
      ...{ device_id: one.device.id, line_id: one.line.id, action: 'leak_test' },
    });
    expect(asked.status).toBe(200);
    world.clock.advance(2000);
    await tripAndReset(one, 301);
    expect(await isRefused(one)).not.toBe('uninspected');
  });
});

describe('an inspection is required after a leakage test', () => {
  const tests = async ({ device, line, listens }: Connected): Promise<string> => {
    await listens();
    const about = { device_id: device.id, line_id: line.id };
    const asked = await operator.call('/device_do/device_do', { ...about, action: 'leak_test' });
    expect(asked.status).toBe(200);
    await world.control.settled();
    world.clock.advance(2000);
    return asked.data.command_id;
  };
  const answers = async (one: Connected, id: string, ack: object) => {
    await one.send('ack', { id, n: 1, ...ack });
    await eventually(async () => {
      const { data } = await operator.call('/device_do/get_command', { command_id: id });
      return data.ended_at !== null;
    });
  };

  test('an inspection is required after a leakage test that the device refused', async () => {
    const one = await world.connect();
    await answers(one, await tests(one), { st: 'rejected', why: 'busy' });
    await tripAndReset(one, 301);
    expect(await isRefused(one)).toBe('uninspected');
    one.leave();
  });

  test('an inspection is required after a leakage test whose line trips by an arc', async () => {
    const one = await world.connect();
    await tests(one);
    await tripAndReset(one, 501);
    expect(await isRefused(one)).toBe('uninspected');
    one.leave();
  });
});

test('a setting decides which trips require an inspection: dangerous ones, every one, or none', async () => {
  const one = await world.connect();
  const set = async (value: string | null) =>
    expect((await chief.call('/settings/set', { name: 'control.inspectAfter', value })).status).toBe(200);
  await tripAndReset(one, 101);
  expect(await isRefused(one)).toBeNull();
  await set('any');
  expect(await isRefused(one)).toBe('uninspected');
  await set(null);
  world.clock.advance(1000);
  // The event names no cause.
  await one.send('event', { eid: 'a', kind: 'pos', n: 1, sw: 0, by: 'trip' });
  world.clock.advance(1000);
  await one.reading();
  expect(await isRefused(one)).toBe('uninspected');
  await set('never');
  expect(await isRefused(one)).not.toBe('uninspected');
  await set(null);
  one.leave();
});

test('a trip still requires an inspection when its type is switched off and when its alarm is deleted', async () => {
  const one = await world.connect();
  await world.pool.query(
    `insert into alarm_types (code, enabled, updated_at) values (701, false, now())
      on conflict (code) do update set enabled = false`,
  );
  await tripAndReset(one, 402);
  await world.pool.query('update alarms set deleted_at = now() where line_id = $1', [one.line.id]);
  expect(await isRefused(one)).toBe('uninspected');
  one.leave();
});
