/**
 * What memory loses when the process is killed: counters of chatter, the block after a device's own end of an alarm,
 * and an end that overtook its beginning. Losing them shows an alarm too many, never one too few.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from '#server/alarms/alarms.world.ts';
import { eventOf } from '#test/alarm-feeder.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const alarms = async () =>
  (await server.list()).map((row) => [row.typeNumber, row.active ? 'active' : 'ended', row.tags.join()]);
const kinds = (changes: { kind: string; quiet: boolean }[]) =>
  changes.filter(({ quiet }) => !quiet).map(({ kind }) => kind);

describe('after a restart', () => {
  it('the third activation in an hour is a new alarm that is announced, where it would have chattered', async () => {
    for (const seconds of [0, 600]) {
      await server.event(seconds, { st: 'raise', code: 201, eid: `1-${seconds}` });
      await server.event(seconds + 60, { st: 'clear', code: 201, eid: `1-${seconds}` });
    }
    await server.restart();
    expect(kinds(await server.event(1200, { st: 'raise', code: 201, eid: '1-1200' }))).toEqual(['raised']);
    expect(await alarms()).toHaveLength(3);
    expect(kinds(await server.event(1260, { st: 'clear', code: 201, eid: '1-1200' }))).toEqual(['cleared']);
  });
  it('an active alarm still chatters: its next activations are the same alarm', async () => {
    for (const seconds of [0, 600, 1200]) {
      await server.event(seconds, { st: 'raise', code: 403, eid: `1-${seconds}` });
      await server.event(seconds + 60, { st: 'clear', code: 403, eid: `1-${seconds}` });
    }
    const before = await alarms();
    expect(before.at(-1)).toEqual([403, 'active', 'chattering']);
    await server.restart();
    await server.event(1300, { st: 'raise', code: 403, eid: '1-1300' });
    expect(await alarms()).toEqual(before);
  });
  it('values beyond the limit after the device’s own end of the alarm raise another alarm', async () => {
    const hot = { 'T.m': 90 };
    await server.event(0, { st: 'raise', code: 402, lvl: 1, eid: '1-1' });
    await server.event(60, { st: 'clear', code: 402, lvl: 1, eid: '1-1' });
    await server.restart();
    for (let seconds = 61; seconds < 400; seconds += 30) await server.read(seconds, hot);
    expect((await alarms()).at(-1)).toEqual([402, 'active', '']);
  });
  it('a beginning that its end overtook is an active alarm, which the next boot of the device ends', async () => {
    await server.event(60, { st: 'clear', code: 703, eid: '1-1' });
    await server.restart();
    expect(kinds(await server.event(0, { st: 'raise', code: 703, eid: '1-1' }))).toEqual(['raised']);
    expect(await alarms()).toEqual([[703, 'active', '']]);
    for (const seconds of [100, 200, 300]) await server.read(seconds, {}, { boot: 2 });
    expect(await alarms()).toEqual([[703, 'ended', '']]);
  });
  it('an event that ended before is not raised again when the device repeats its messages', async () => {
    await server.event(0, { st: 'raise', code: 201, eid: '1-1' });
    await server.event(60, { st: 'clear', code: 201, eid: '1-1' });
    await server.restart();
    expect(await server.event(0, { st: 'raise', code: 201, eid: '1-1' })).toEqual([]);
    await server.event(60, { st: 'clear', code: 201, eid: '1-1' });
    expect(await alarms()).toEqual([[201, 'ended', '']]);
  });
  it('a device that lost its clock and its numbers and raises the same number again is announced', async () => {
    await server.event(0, { st: 'raise', code: 201, eid: '1-1' });
    await server.event(60, { st: 'clear', code: 201, eid: '1-1' });
    for (const restarts of [false, true]) {
      if (restarts) await server.restart();
      const seconds = restarts ? -80_000 : -86_400;
      const boot = restarts ? 4 : 3;
      await server.event(seconds, { st: 'raise', code: 201, eid: '1-1', boot });
      expect((await alarms()).some(([, condition]) => condition === 'active')).toBe(true);
      await server.event(seconds + 60, { st: 'clear', code: 201, eid: '1-1', boot });
    }
  });
});

describe('a device that counts its messages from 0 again without another boot number', () => {
  const first = { code: 804, eid: '1-1' } as const;
  beforeEach(async () => {
    await server.event(0, { ...first, st: 'raise', seq: 500 });
    await server.event(60, { ...first, st: 'clear', seq: 501 });
  });
  it('raises a new alarm for an event with the number of one that had ended', async () => {
    expect(kinds(await server.event(3600, { ...first, st: 'raise', seq: 0 }))).toEqual(['raised']);
    expect(await alarms()).toEqual([
      [804, 'ended', ''],
      [804, 'active', ''],
    ]);
  });
  it('ends the event that began in the second count', async () => {
    await server.event(3600, { ...first, st: 'raise', seq: 502 });
    expect(kinds(await server.event(7200, { ...first, st: 'clear', seq: 1 }))).toEqual(['cleared']);
  });
});

describe('a device whose clock was set back by four seconds', () => {
  /** At 103 s, with a time of the device of 99 s. */
  const then = (message: Parameters<typeof eventOf>[2]) =>
    server.group({ events: [eventOf(server.line, 99, { ...message, seq: 8 }, false, 4)] });
  it('reports a rise to level 2 by another event: it is a rise, not an episode of the past', async () => {
    await server.event(100, { st: 'raise', code: 401, lvl: 1, eid: '1-1', seq: 7 });
    await then({ st: 'raise', code: 401, lvl: 2, eid: '1-2' });
    expect((await server.list()).map(({ level, active }) => [level, active])).toEqual([[2, true]]);
  });
  it('reports another episode of a handled alarm, which is announced', async () => {
    await server.event(100, { st: 'raise', code: 501, eid: '1-1', seq: 7 });
    await server.handleAll();
    expect(kinds(await then({ st: 'raise', code: 501, eid: '1-2' }))).toEqual(['raised']);
    expect(await server.unprocessed()).toBe(1);
  });
  it('reports an event again that had ended: it is announced', async () => {
    await server.event(98, { st: 'raise', code: 804, eid: '1-1', seq: 5 });
    await server.event(101, { st: 'clear', code: 804, eid: '1-1', seq: 6 });
    expect(kinds(await then({ st: 'raise', code: 804, eid: '1-1' }))).toEqual(['raised']);
    expect((await alarms()).map(([, state]) => state)).toEqual(['ended', 'active']);
  });
  it('reports the end of an alarm, which is not before its beginning', async () => {
    await server.event(100, { st: 'raise', code: 205, latched: false, eid: '1-1', seq: 7 });
    await then({ st: 'clear', code: 205, eid: '1-1' });
    const { rows } = await server.world.pool.query('select cleared_at >= raised_at as right from alarms');
    expect(rows).toEqual([{ right: true }]);
  });
  it('repeats a message out of order: the event with the lower number is an earlier episode', async () => {
    await server.event(100, { st: 'raise', code: 401, lvl: 1, eid: '1-2', seq: 9 });
    await then({ st: 'raise', code: 401, lvl: 1, eid: '1-1' });
    expect((await alarms()).map(([, state]) => state).sort()).toEqual(['active', 'ended']);
  });
});
