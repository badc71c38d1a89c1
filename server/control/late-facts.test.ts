import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser } from '#test/factories.ts';
import type { Client } from '#test/world.ts';
import { type Connected, createSwitchWorld, refusalOf, type SwitchWorld } from './control.world.ts';

let world: SwitchWorld;
let operator: Client;
let one: Connected;

beforeAll(async () => {
  world = await createSwitchWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  // The clock advances, because calls and connections are rate-limited.
  world.clock.advance(50_000);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: world.project }] })).id);
  one = await world.connect();
  return () => one.leave();
});

/** Sends the fact in one message, with the given envelope. */
type Fact = (envelope: object) => Promise<unknown>;
const inReading =
  (line: object): Fact =>
  (envelope) =>
    one.reading(line, envelope);
const inEvent =
  (event: object): Fact =>
  (envelope) =>
    one.send('event', { eid: 'a', n: 1, ...event, ...envelope });
const facts = {
  trip: inReading({ trip: 101 }),
  'grave trip': inReading({ trip: 402 }),
  'lock in local mode': inReading({ lock: 1 }),
  'lock for maintenance': inReading({ lock: 2 }),
  'lock of remote control': inReading({ lock: 4 }),
  'lost trip sensor': inReading({ trip: null }),
  'lost lock sensor': inReading({ lock: null }),
  'lost position sensor': inReading({ sw: null }),
  'bad supply': inReading({ U: { a: 150 } }),
  'move by a trip': inEvent({ kind: 'pos', sw: 0, by: 'trip', code: 101 }),
  'move by a grave trip': inEvent({ kind: 'pos', sw: 0, by: 'trip', code: 301 }),
  'alarm of level 2': inEvent({ kind: 'alarm', st: 'raise', code: 501, lvl: 2, latched: true }),
} satisfies Record<string, Fact>;
type Name = keyof typeof facts;

const nothingOf = { sw: undefined, trip: undefined, lock: undefined };
const before = () => world.clock.now() - 5000;
/** No device keeps readings for so long: the time is implausible, but the fact still forbids closing. */
const longAgo = () => world.clock.now() - 30 * 86_400_000;
/**
 * The ways in which a fact can arrive. Each ends when the fact is acknowledged; before it the line was open
 * and healthy by message 1 of boot 1.
 */
const ways = {
  live: (fact: Fact) => fact({ seq: 10 }),
  'late, newer than all live ones': (fact: Fact) => fact({ seq: 10, bf: 1, t: before() }),
  'late, from a newer boot': (fact: Fact) => fact({ boot: 2, seq: 1, bf: 1, t: before() }),
  'live, overtaken by a reading without such facts': async (fact: Fact) => {
    await one.reading(nothingOf, { seq: 11 });
    await fact({ seq: 10 });
  },
  'live, overtaken by a healthy reading': async (fact: Fact) => {
    await one.reading({}, { seq: 11 });
    await fact({ seq: 10 });
  },
  'in the backlog after a live reading': async (fact: Fact) => {
    world.clock.advance(60_000);
    await one.reconnect();
    await one.reading({}, { seq: 11 });
    await fact({ seq: 10, bf: 1, t: before() });
  },
  'from the boot before': async (fact: Fact) => {
    await one.reconnect();
    await one.send('presence', { on: true, boot: 2 });
    await one.reading({}, { boot: 2, seq: 1 });
    await fact({ seq: 10, bf: 1, t: before() });
  },
  'late, and normal in the live reading that follows': async (fact: Fact) => {
    await fact({ seq: 10, bf: 1, t: before() });
    await one.reading({}, { seq: 11 });
  },
  'later than any backlog': (fact: Fact) => fact({ seq: 10, bf: 1, t: longAgo() }),
  'later than any backlog, and normal since': async (fact: Fact) => {
    await fact({ seq: 10, bf: 1, t: longAgo() });
    await one.reading({}, { seq: 11 });
  },
} satisfies Record<string, (fact: Fact) => Promise<unknown>>;
type Way = keyof typeof ways;

/** Expected results for every fact in this case; then the exceptions with their reason. */
const history = {
  ...{ trip: null, 'lock in local mode': null, 'lock for maintenance': null, 'lock of remote control': null },
  ...{ 'lost trip sensor': null, 'lost lock sensor': null, 'lost position sensor': null, 'bad supply': null },
  // An inspection is required, whatever the line reports later.
  ...{ 'grave trip': 'uninspected', 'move by a trip': null, 'move by a grave trip': 'uninspected' },
  // Only the alarm's own end event ends it.
  'alarm of level 2': 'alarm_active',
} as const;
const forbidding = {
  ...{
    trip: 'tripped',
    'grave trip': 'tripped',
    'move by a trip': 'tripped',
    'move by a grave trip': 'tripped',
  },
  ...{
    'lock in local mode': 'locked',
    'lock for maintenance': 'locked',
    'lock of remote control': 'net_ctrl_off',
  },
  ...{ 'lost trip sensor': 'stale', 'lost lock sensor': 'stale', 'lost position sensor': 'stale' },
  ...{ 'bad supply': 'supply_bad', 'alarm of level 2': 'alarm_active' },
} as const;
const effects: Record<Way, Record<Name, string | null>> = {
  live: forbidding,
  // Measured values are history: decision 0121.
  'late, newer than all live ones': { ...forbidding, 'bad supply': null },
  'late, from a newer boot': { ...forbidding, 'bad supply': null },
  // The newest values count; every other fact counts by the newest report that contains it.
  'live, overtaken by a reading without such facts': { ...forbidding, 'bad supply': null },
  'live, overtaken by a healthy reading': history,
  'in the backlog after a live reading': history,
  'from the boot before': history,
  'late, and normal in the live reading that follows': history,
  'later than any backlog': { ...forbidding, 'bad supply': null },
  'later than any backlog, and normal since': history,
};

describe.each(Object.entries(effects))('a fact reported %s', (way, expected) => {
  test.each(Object.entries(expected))('%s: the refusal of a close is %s', async (name, refusal) => {
    expect(await refusalOf(operator, one)).toBeNull();
    await ways[way as Way](facts[name as Name]);
    // The guard refuses to switch a line twice within a few seconds.
    world.clock.advance(5000);
    expect(await refusalOf(operator, one)).toBe(refusal);
  });
});

const stateOf = async () => {
  const { data } = await operator.call('/device_line/get_list', { device_id: one.device.id });
  const { state, stale } = data.list.find(({ n }: { n: number }) => n === 1);
  return stale ? 'stale' : state;
};
const closes = inReading({ sw: 1 });
const isClosedAgain = inEvent({ kind: 'pos', sw: 1, by: 'reclose' });
test.each<[Way, reading: string, move: string]>([
  ['live', 'closed', 'closed'],
  ['late, newer than all live ones', 'open', 'open'],
  ['late, from a newer boot', 'open', 'open'],
  ['live, overtaken by a reading without such facts', 'closed', 'closed'],
  ['live, overtaken by a healthy reading', 'open', 'open'],
  ['in the backlog after a live reading', 'open', 'open'],
  ['from the boot before', 'open', 'open'],
  ['late, and normal in the live reading that follows', 'open', 'open'],
  ['later than any backlog', 'open', 'open'],
  ['later than any backlog, and normal since', 'open', 'open'],
])('%s: a position report shows the line as %s, a move as %s', async (way, reading, move) => {
  expect(await stateOf()).toBe('open');
  await ways[way](closes);
  expect(await stateOf()).toBe(reading);
  one.leave();
  one = await world.connect();
  await ways[way](isClosedAgain);
  expect(await stateOf()).toBe(move);
});
test('a late report of a lost position sensor makes the position unknown', async () => {
  await ways['late, newer than all live ones'](facts['lost position sensor']);
  expect(await stateOf()).toBe('unknown');
});

test('a trip that is reported later than any backlog is one log entry, however many readings repeat it', async () => {
  for (const seq of [10, 11, 12]) await one.reading({ trip: 402 }, { seq, bf: 1, t: longAgo() + seq * 1000 });
  await one.reading({ trip: 101 }, { seq: 13, bf: 1, t: longAgo() + 13_000 });
  const log = await world.db
    .selectFrom('alarm_events')
    .select(['code', 'kind', 'value'])
    .where('line_id', '=', one.line.id)
    .orderBy('at')
    .execute();
  expect(log).toEqual([402, 101].map((value) => ({ code: 701, kind: 'raised', value })));
  const stored = await world.db
    .selectFrom('readings')
    .select('at')
    .where('line_id', '=', one.line.id)
    .where('flags', 'is not', null)
    .execute();
  expect(stored).toEqual([]);
});
