import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readingOf } from '#test/alarm-feeder.ts';
import { type AlarmWorld, createAlarmWorld, normal } from '../alarms.world.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const active = async () =>
  (await server.list()).filter((row) => row.active).map((row) => `${row.typeNumber}/${row.level}`);
const lastStep = async () =>
  (
    await server.world.pool.query(
      'select kind, data from alarm_history order by alarm_id desc, seq desc limit 1',
    )
  ).rows[0];
/** A reading per minute from one time to another, both included. */
const readFrom = async (from: number, to: number, values = {}, given = {}) => {
  for (let seconds = from; seconds <= to; seconds += 60) await server.read(seconds, values, given);
};

describe('the history of an alarm', () => {
  it('says that the device reported the end, also when the server had raised the alarm', async () => {
    await server.event(0, { st: 'raise', code: 804, eid: '1-1' });
    await server.event(60, { st: 'clear', code: 804, eid: '1-1' });
    expect(await lastStep()).toMatchObject({ kind: 'cleared', data: { by: 'device' } });
    await server.read(100, { 'U.a': 280 });
    await server.read(160, { 'U.a': 280 });
    expect(await active()).toEqual(['101/2']);
    await server.event(200, { st: 'clear', code: 101, eid: '1-2' });
    expect(await lastStep()).toMatchObject({ kind: 'cleared', data: { by: 'device' } });
  });
});

describe('what is reported again within ten seconds', () => {
  const row = async () => (await server.list()).map(({ count, peak, value }) => ({ count, peak, value }));
  const again = async () => {
    await server.event(0, { st: 'raise', code: 301, eid: '1-1', val: 318, thr: 300, unit: 'mA' });
    await server.event(2, { st: 'raise', code: 301, eid: '1-1', val: 341, thr: 300, unit: 'mA' });
    await server.event(4, { st: 'raise', code: 301, eid: '1-1', val: 305, thr: 300, unit: 'mA' });
  };
  it('is on the alarm with its highest value, although nothing follows', async () => {
    await again();
    await server.review(60);
    expect(await row()).toEqual([{ count: 3, peak: 341, value: 305 }]);
    await server.restart();
    await server.event(70, { st: 'raise', code: 301, eid: '1-1', val: 302, thr: 300, unit: 'mA' });
    expect(await row()).toEqual([{ count: 4, peak: 341, value: 302 }]);
  });
  it('is written once, and not by a review before ten seconds have passed', async () => {
    await again();
    await server.review(9);
    expect(await row()).toEqual([{ count: 1, peak: 318, value: 318 }]);
    await server.review(20);
    await server.review(40);
    expect(await row()).toEqual([{ count: 3, peak: 341, value: 305 }]);
  });
});

describe('an alarm whose limit changes while it is active', () => {
  const readWith = (seconds: number, thresholds: Record<string, number>, values: Record<string, number>) =>
    server.group({
      readings: [readingOf({ ...server.line, thresholds }, seconds, { ...normal, ...values })],
    });
  const shift = async (thresholds: Record<string, number>, values: Record<string, number>) => {
    for (const seconds of [300, 360, 420, 480]) await readWith(seconds, thresholds, values);
  };
  it('ends when its limit rises above the value, and says so', async () => {
    for (const seconds of [0, 60, 120]) await readWith(seconds, {}, { 'I.a': 50 });
    expect(await active()).toEqual(['201/2']);
    await shift({ oc_w: 140, oc_a: 150 }, { 'I.a': 50 });
    expect(await active()).toEqual([]);
    expect(await lastStep()).toMatchObject({ kind: 'cleared', data: { by: 'limits' } });
  });
  it('begins when its limit falls below the value', async () => {
    for (const seconds of [0, 60, 120]) await readWith(seconds, { oc_w: 140, oc_a: 150 }, { 'I.a': 50 });
    expect(await active()).toEqual([]);
    await shift({}, { 'I.a': 50 });
    expect(await active()).toEqual(['201/2']);
  });
  it('waits for its reset although its limit is switched off', async () => {
    const feeder = { ...server.line, type: 4 as const };
    const three = { 'U.a': 220, 'U.b': 220, 'U.c': 220, 'I.a': 10, 'I.b': 10, 'I.c': 10 };
    const read = (seconds: number, thresholds: Record<string, number>, values: Record<string, number>) =>
      server.group({
        readings: [readingOf({ ...feeder, thresholds }, seconds, { ...three, ...values })],
      });
    for (const seconds of [0, 60, 120]) await read(seconds, {}, { 'I.n': 50 });
    expect(await active()).toEqual(['204/2']);
    for (const seconds of [180, 240, 300]) await read(seconds, { in_n: 0 }, { 'I.n': 5 });
    expect(await server.list()).toMatchObject([{ typeNumber: 204, active: true, reset_needed: true }]);
    await server.reset(360);
    expect(await active()).toEqual([]);
  });
});

describe('an alarm that its device never ends', () => {
  it('an alarm that the device does not clear ends by readings after three off-delays of normal values', async () => {
    await server.event(0, { st: 'raise', code: 201, eid: '1-1', latched: false });
    await readFrom(60, 180);
    expect(await active()).toEqual(['201/2']);
    await readFrom(240, 240);
    expect(await active()).toEqual([]);
    expect(await lastStep()).toMatchObject({ kind: 'cleared', data: { by: 'readings' } });
  });
  it('an alarm that the device does not clear stays active while the value is beyond the limit that the device gave', async () => {
    const event = { st: 'raise', code: 402, lvl: 1, eid: '1-1', val: 58, thr: 50 } as const;
    await server.event(0, event);
    await readFrom(60, 900, { 'T.m': 55 });
    expect(await active()).toEqual(['402/1']);
    await readFrom(960, 1140, { 'T.m': 45 });
    expect(await active()).toEqual([]);
  });
  it('an alarm that the device does not clear stays active while one reading in between exceeds its limit or lacks the value', async () => {
    await server.event(0, { st: 'raise', code: 201, eid: '1-1' });
    await readFrom(60, 180);
    await server.read(240, { 'I.a': 60 });
    await readFrom(300, 420);
    await server.read(480, { 'I.a': Number.NaN });
    await readFrom(540, 660);
    expect(await active()).toEqual(['201/2']);
  });
  it('an alarm that the device does not clear ends only by a reset if it is latched', async () => {
    await server.event(0, { st: 'raise', code: 402, eid: '1-1' });
    await readFrom(60, 600);
    expect(await server.list()).toMatchObject([{ active: true, reset_needed: true }]);
  });
  it('an alarm that the device does not clear ends with a restart of the device if the device does not repeat it and no reading measures it', async () => {
    await server.event(0, { st: 'raise', code: 804, eid: '1-1' }, server.deviceLine);
    await readFrom(60, 600);
    expect(await active()).toEqual(['804/2']);
    await readFrom(660, 660, {}, { boot: 2 });
    expect(await active()).toEqual(['804/2']);
    await readFrom(720, 720, {}, { boot: 2 });
    expect(await active()).toEqual([]);
    expect(await lastStep()).toMatchObject({ kind: 'cleared', data: { by: 'restart' } });
  });
  it('an alarm that the device does not clear continues when the restarted device repeats it in time', async () => {
    await server.event(0, { st: 'raise', code: 804, eid: '1-1' }, server.deviceLine);
    await readFrom(60, 60, {}, { boot: 2 });
    await server.event(90, { st: 'raise', code: 804, eid: '2-1', boot: 2 }, server.deviceLine);
    await readFrom(120, 600, {}, { boot: 2 });
    expect(await active()).toEqual(['804/2']);
    expect(await server.list()).toHaveLength(1);
  });
});

describe('a chattering alarm', () => {
  it('chattering readings are one alarm from the third activation on, which ends when the readings are steady', async () => {
    let seconds = 0;
    for (let cycle = 0; cycle < 20; cycle++)
      for (const IL of [20, 20, 5, 5, 5]) {
        seconds += 15;
        await server.read(seconds, { IL });
      }
    const rows = await server.list();
    expect(rows).toHaveLength(3);
    expect(rows.map(({ tags }) => tags)).toEqual([[], [], ['chattering']]);
    for (let calm = 1; calm <= 10; calm++) await server.read(seconds + calm * 15);
    expect(await active()).toEqual([]);
  });
  it('a chattering alarm of a device is one alarm from the third activation on, until five minutes of silence', async () => {
    for (let cycle = 0; cycle < 30; cycle++) {
      await server.event(cycle * 8, { st: 'raise', code: 804, eid: `1-${cycle}` });
      await server.event(cycle * 8 + 4, { st: 'clear', code: 804, eid: `1-${cycle}` });
    }
    expect(await server.list()).toMatchObject([
      { tags: [] },
      { tags: [] },
      { tags: ['chattering'], count: 56 },
    ]);
    expect(await active()).toEqual(['804/2']);
    await server.restart();
    await server.review(400);
    expect(await active()).toEqual(['804/2']);
    await server.review(600);
    expect(await active()).toEqual([]);
  });
  it('a link that is repeatedly lost and restored is one alarm', async () => {
    for (let cycle = 0; cycle < 8; cycle++) {
      await server.find(cycle * 240, 801, true, server.deviceLine);
      await server.find(cycle * 240 + 120, 801, false, server.deviceLine);
      await server.review(cycle * 240 + 180);
    }
    expect(await server.list()).toHaveLength(3);
    await server.review(8 * 240 + 300);
    expect(await active()).toEqual([]);
  });
  it.each([
    ['a finding', (seconds: number, on: boolean) => server.find(seconds, 801, on, server.deviceLine)],
    [
      'an event with the same number',
      (seconds: number, on: boolean) =>
        server.event(seconds, { st: on ? 'raise' : 'clear', code: 804, eid: '1' }),
    ],
  ])('opens a new work order when a handled one was over and returns: %s', async (_of, reports) => {
    for (let cycle = 0; cycle < 4; cycle++) {
      await reports(cycle * 240, true);
      await reports(cycle * 240 + 120, false);
    }
    await server.handleAll();
    expect(await reports(1000, true)).toContainEqual(
      expect.objectContaining({ kind: 'raised', quiet: false }),
    );
    await reports(1010, true);
    expect(await server.unprocessed()).toBe(1);
  });
  it('notifies users again when a chattering alarm rises in level', async () => {
    for (let cycle = 0; cycle < 4; cycle++) {
      await server.event(cycle * 10, { st: 'raise', code: 102, lvl: 1, eid: `1-${cycle}` });
      await server.event(cycle * 10 + 5, { st: 'clear', code: 102, lvl: 1, eid: `1-${cycle}` });
    }
    expect(await server.event(60, { st: 'raise', code: 102, lvl: 2, eid: '1-9' })).toContainEqual(
      expect.objectContaining({ kind: 'escalated', quiet: false }),
    );
  });
});
