import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scopeOf } from '#server/core/scope.ts';
import { eventOf, start } from '#test/alarm-feeder.ts';
import { type AlarmWorld, createAlarmWorld } from '../alarms.world.ts';
import { raisedSince } from '../raised-since.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const minute = 60;
/** An event from a backlog that happened at `seconds` and arrived after `delay` more. */
const late = async (seconds: number, delay: number, message: Parameters<typeof eventOf>[2]) => {
  const changes = await server.group({ events: [eventOf(server.line, seconds, message, true, delay)] });
  return changes.map(({ kind, quiet }) => `${kind}${quiet ? ' quiet' : ''}`);
};
const news = async (changes: ReturnType<AlarmWorld['review']>) =>
  (await changes).map(({ code, kind, quiet }) => `${code} ${kind}${quiet ? ' quiet' : ''}`);
const arc = { st: 'raise', code: 502, eid: '1-1' } as const;

describe('an alarm from a backlog', () => {
  it('an alarm from a backlog pops up if it is at most 15 minutes old', async () => {
    expect(await late(0, 15 * minute, arc)).toEqual(['raised']);
    expect(await late(0, 15 * minute + 1, { ...arc, code: 501, eid: '1-2' })).toEqual(['raised quiet']);
  });
  it('an alarm from a backlog pops up once, although live data confirms it', async () => {
    const leak = { st: 'raise', code: 301, eid: '1-1', val: 40 } as const;
    expect(await late(0, minute, leak)).toEqual(['raised']);
    const changes = await server.read(2 * minute, { IL: 40 });
    expect(changes.filter(({ quiet }) => !quiet)).toEqual([]);
    expect(await server.list()).toMatchObject([{ late: false }]);
  });
  it('an alarm from a backlog pops up once on a console that was away when live data confirmed it, or when the backlog was complete', async () => {
    await late(0, minute, { st: 'raise', code: 301, eid: '1-1', val: 40 });
    await late(-120 * minute, 121 * minute, { ...arc, eid: '1-2' });
    const scope = await scopeOf(server.world.db, { id: server.operator.userId, role: 1 });
    const missedSince = async (seconds: number) =>
      (await raisedSince(server.world.db, scope, start + seconds * 1000)).map(({ code }) => code).sort();
    expect(await missedSince(0)).toEqual([301]);
    await server.read(2 * minute, { IL: 40 });
    expect(await missedSince(90)).toEqual([]);
    expect(await news(server.review(10 * minute))).toEqual(['502 raised']);
    expect(await missedSince(90)).toEqual([502]);
    expect(await missedSince(11 * minute)).toEqual([]);
  });
  it('a severe alarm from a backlog is announced if it is still active a minute after the last message of the backlog', async () => {
    await late(0, 120 * minute, arc);
    await late(10, 120 * minute, { st: 'raise', code: 802, eid: '1-2' });
    const end = 120 * minute + 10;
    expect(await news(server.review(end + 59))).toEqual([]);
    expect(await news(server.review(end + 60))).toEqual(['502 raised']);
    expect(await news(server.review(end + 120))).toEqual([]);
    expect((await server.list()).map(({ typeNumber, late: isLate }) => [typeNumber, isLate])).toEqual([
      [502, false],
      [802, true],
    ]);
  });
  it('a severe alarm from a backlog is announced after a restart, too', async () => {
    await late(0, 120 * minute, arc);
    await server.restart();
    expect(await news(server.review(121 * minute))).toEqual([]);
    expect(await news(server.review(122 * minute))).toEqual(['502 raised']);
  });
  it('an alarm from a backlog is not announced if the backlog contains its end', async () => {
    await late(0, 120 * minute, arc);
    await late(30, 120 * minute, { ...arc, st: 'clear' });
    expect(await news(server.review(125 * minute))).toEqual([]);
  });
  it('an alarm from a backlog is not announced while readings contradict it', async () => {
    await late(0, 120 * minute, { st: 'raise', code: 401, lvl: 2, eid: '1-1', val: 80, latched: false });
    await server.read(121 * minute, { 'T.l': 30 });
    expect(await news(server.review(122 * minute))).toEqual([]);
  });
});
