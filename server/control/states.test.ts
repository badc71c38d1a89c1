import * as fc from 'fast-check';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { permissions } from '#contract/permissions.ts';
import type { AckMessage } from '#contract/telemetry.ts';
import { createBus } from '#server/core/bus.ts';
import { DeliveryUncertain } from '#server/core/group.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { answer, fakeFindings, makeSwitch, moveBy, report, type Switch } from '#test/switches.ts';
import { createWorld, type World } from '#test/world.ts';
import { createControl } from './commands.ts';
import { isOpen } from './states.ts';

let world: World;
let project: number;
let userId: number;
beforeAll(async () => {
  world = await createWorld(() => {});
  project = (await makeProject(world.db)).id;
  userId = (await makeUser(world.db, { role: 1 })).id;
});
afterAll(() => world.close());

/** How sending to the device ends, and at which step the server dies. */
const ways = [
  'delivers',
  'delivers',
  'delivers',
  'refuses',
  'uncertain, arrived',
  'uncertain, lost',
  'crash after the commit',
  'crash before the publishing',
  'crash after the publishing',
] as const;
/** How the device treats a command. `welded` reports the requested position while current still flows. */
const manners = ['obeys', 'obeys', 'stuck', 'welded', 'rejects', 'fails', 'deaf'] as const;
type Way = (typeof ways)[number];
type Manner = (typeof manners)[number];

/** Delays until a message arrives, in ms; none: lost; two: it arrives twice. */
const arrivals = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 300 }) }, fc.integer({ min: 0, max: 45_000 })),
  { minLength: 0, maxLength: 2 },
);
const mostly = fc.oneof({ weight: 3, arbitrary: fc.constant([20]) }, arrivals);
const scenario = fc.record({
  action: fc.constantFrom('open' as const, 'close' as const),
  startsClosed: fc.boolean(),
  way: fc.constantFrom(...ways),
  manner: fc.constantFrom(...manners),
  /** A second, opposite command after this many ms. */
  opposite: fc.option(fc.integer({ min: 10, max: 20_000 })),
  /** The line is moved by hand after this many ms, without an event. */
  byHand: fc.option(fc.integer({ min: 300, max: 20_000 })),
  clockOffset: fc.integer({ min: -4000, max: 4000 }),
  arrivals: fc.array(mostly, { minLength: 24, maxLength: 24 }),
  crashes: fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 3 }),
  /**
   * Indexes of messages, in order of creation. After storing one of them the server is killed before it emits
   * the event.
   */
  untold: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 4 }),
  /** Unexpected answers to a command that the device has received. */
  strays: fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 45_000 }),
      st: fc.constantFrom('accepted', 'done', 'failed', 'rejected', 'expired'),
      sw: fc.option(fc.constantFrom(0, 1), { nil: undefined }),
      why: fc.constantFrom('dup', 'locked', 'hw_fail', undefined),
    }),
    { maxLength: 3 },
  ),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

const rank = { created: 0, sent: 1, acknowledged: 2 } as Record<string, number>;

/** One server process: its listeners, messages and timers all end with `kill`. */
const startServer = async (findings: ReturnType<typeof fakeFindings>, publish: Publish) => {
  let alive = true;
  const bus = createBus((error) => {
    throw error;
  });
  const control = createControl({
    db: world.db,
    bus,
    clock: {
      now: world.clock.now,
      steady: world.clock.steady,
      after: (ms, run) => world.clock.after(ms, () => alive && run()),
    },
    link: { publishCommand: (number, command) => publish(number, command) },
    raiseFinding: findings.raise,
    log: pino({ level: 'silent' }),
  });
  await control.start();
  return {
    control,
    bus: {
      on: bus.on,
      emit: ((name, event) => alive && bus.emit(name, event)) as typeof bus.emit,
    },
    kill() {
      alive = false;
    },
  };
};
type Publish = Parameters<typeof createControl>[0]['link']['publishCommand'];

const live = async (given: Scenario) => {
  const { db, clock } = world;
  const device: Switch = await makeSwitch(world, project);
  const start = clock.now();
  const findings = fakeFindings();
  const states = new Map<string, string[]>();
  const arrived = new Map<string, number>();
  const truth: { from: number; position: 0 | 1; current: boolean }[] = [
    { from: 0, position: given.startsClosed ? 1 : 0, current: given.startsClosed },
  ];
  const at = (time: number) => truth.findLast((one) => one.from <= time)!;
  const events: { time: number; run: () => unknown }[] = [];
  /** When the first news of a command was stored: an answer, or a move that names the command. */
  const heard: { id: string; at: number }[] = [];
  let serial = 0;
  const post = (time: number, store: (near: Pick<World, 'db' | 'bus' | 'clock'>) => unknown) => {
    const number = serial++;
    const untold = new Set(given.untold).has(number);
    for (const delay of given.arrivals[number % given.arrivals.length]!)
      events.push({
        time: time + delay,
        run: async () => {
          const bus = untold ? createBus(() => {}) : server.bus;
          await store({ db, clock, bus: { ...world.bus, ...bus } });
          if (untold) await restart();
        },
      });
  };
  let seq = 0;
  let newest = 0;
  const deliverReading = (time: number) => {
    const { position, current } = at(time);
    const number = ++seq;
    const deviceTime = time + given.clockOffset;
    post(time, async (near) => {
      const latest = deviceTime > newest;
      if (latest) newest = deviceTime;
      await report(near, device, device.line, {
        at: deviceTime,
        position,
        seq: number,
        latest,
        values: { 'U.a': 230, 'I.a': current ? 4 : 0 },
      });
    });
  };
  const deliverAnswer = (time: number, id: string, ack: Partial<AckMessage> & Pick<AckMessage, 'st'>) => {
    const number = ++seq;
    post(time, (near) => {
      if (ack.st !== 'rejected' || ack.why !== 'dup') heard.push({ id, at: clock.now() });
      return answer(near, device, id, { ...ack, seq: number });
    });
  };
  /** The device receives a command: its reaction and the resulting messages. */
  const take = (id: string, asked: 0 | 1) => {
    const time = clock.now();
    arrived.set(id, time);
    if (given.manner === 'deaf') return;
    if (given.manner === 'rejects') {
      deliverAnswer(time, id, { st: 'rejected', why: 'locked' });
      return;
    }
    deliverAnswer(time + 20, id, { st: 'accepted' });
    if (given.manner === 'fails') {
      deliverAnswer(time + 200, id, { st: 'failed', why: 'hw_fail' });
      return;
    }
    const before = at(time);
    if (given.manner === 'obeys') truth.push({ from: time + 200, position: asked, current: asked === 1 });
    if (given.manner === 'welded')
      truth.push({ from: time + 200, position: asked, current: asked === 1 || before.current });
    if (given.manner !== 'stuck' && before.position !== asked) {
      const number = ++seq;
      post(time + 200, (near) => {
        heard.push({ id, at: clock.now() });
        const at = time + 200 + given.clockOffset;
        return moveBy(near, device, device.line, id, { at, position: asked, seq: number });
      });
    }
    deliverAnswer(time + 210, id, { st: 'done', sw: asked });
    events.push({ time: time + 220, run: () => deliverReading(clock.now()) });
  };

  let dying = false;
  let first: string | null = null;
  const way = (id: string): Way => (first === null || first === id ? given.way : 'delivers');
  const published: string[] = [];
  const publish: Publish = async (_number, command) => {
    const asked = command.cmd === 'open' ? 0 : 1;
    published.push(command.id);
    switch (way(command.id)) {
      case 'refuses':
        throw new Error('no session');
      case 'uncertain, lost':
        throw new DeliveryUncertain();
      case 'uncertain, arrived':
        take(command.id, asked);
        throw new DeliveryUncertain();
      case 'crash before the publishing':
        dying = true;
        return new Promise(() => {});
      case 'crash after the publishing':
        take(command.id, asked);
        dying = true;
        return new Promise(() => {});
      default:
        take(command.id, asked);
    }
  };
  const follow = (bus: { on: World['bus']['on'] }) =>
    bus.on('command.changed', (event) => {
      states.set(event.commandId, [...(states.get(event.commandId) ?? []), event.state]);
    });
  let server = await startServer(findings, publish);
  follow(server.bus);
  const restart = async () => {
    server.kill();
    dying = false;
    server = await startServer(findings, publish);
    follow(server.bus);
  };
  /** Waits for the server's work, or for its death during the work. */
  const settle = async () => {
    let done = false;
    void server.control.settled().then(() => {
      done = true;
    });
    while (!done && !dying) await new Promise((resolve) => setImmediate(resolve));
    if (dying) await restart();
  };

  const order = async (verb: 'open' | 'close') => {
    await db
      .updateTable('device_state')
      .set({ last_seen: new Date(clock.now()) })
      .where('device_id', '=', device.id)
      .execute();
    const after: (() => void)[] = [];
    const requested = await db
      .transaction()
      .execute((trx) =>
        server.control.request(
          {
            db: trx,
            now: clock.now(),
            note: () => {},
            emit: (name, event) => after.push(() => server.bus.emit(name, event)),
            afterCommit: (run) => after.push(run),
          },
          {
            deviceId: device.id,
            lineId: device.line.id,
            verb,
            cause: 'api',
            by: {
              userId,
              username: 'chief',
              role: 1,
              permissions: new Set(permissions),
              scope: { all: true },
              address: '',
              identityProved: true,
            },
          },
        ),
      )
      .catch(() => null);
    if (!requested) return;
    first ??= requested.commandId;
    if (way(requested.commandId) === 'crash after the commit') await restart();
    else for (const run of after) run();
    await settle();
  };

  const other = given.action === 'open' ? 'close' : 'open';
  events.push({ time: start + 10, run: () => order(given.action) });
  if (given.opposite !== null) events.push({ time: start + 10 + given.opposite, run: () => order(other) });
  if (given.byHand !== null)
    events.push({
      time: start + 10 + given.byHand,
      run: () => {
        const now = at(clock.now());
        truth.push({ from: clock.now(), position: now.position ? 0 : 1, current: !now.position });
      },
    });
  for (const { after, st, sw, why } of given.strays)
    events.push({
      time: start + 10 + after,
      run: () => {
        if (first === null || !arrived.has(first)) return;
        deliverAnswer(clock.now(), first, {
          st,
          ...(sw === undefined ? {} : { sw }),
          ...(why === undefined ? {} : { why }),
        });
      },
    });
  for (const crash of given.crashes) events.push({ time: start + crash, run: restart });
  for (let time = 5; time < 60_000; time += 7000)
    events.push({ time: start + time, run: () => deliverReading(clock.now()) });

  const end = start + 130_000;
  for (;;) {
    events.sort((a, b) => a.time - b.time);
    const event = events.shift();
    if (!event || event.time > end) break;
    // In steps, so that timers in between run in order.
    while (clock.now() < event.time) {
      clock.set(Math.min(event.time, clock.now() + 5000));
      await settle();
    }
    await event.run();
    await settle();
  }
  while (clock.now() < end) {
    clock.advance(5000);
    await settle();
  }
  await server.control.stop();
  const rows = await db.selectFrom('commands').selectAll().where('device_id', '=', device.id).execute();
  const left = await db
    .selectFrom('command_answers')
    .select('id')
    .where('device_id', '=', device.id)
    .execute();
  return { rows, left, states, truth, arrived, heard, findings: findings.raised, published };
};

test('lost, late and repeated messages and crashes cause no false proof and no stuck row, and states only move forward', async () => {
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { rows, left, states, truth, arrived, heard, findings, published } = await live(given);
      expect(new Set(published).size).toBe(published.length);
      expect(rows.length).toBeGreaterThan(0);
      expect(left).toEqual([]);
      for (const row of rows) {
        ends.set(row.state, (ends.get(row.state) ?? 0) + 1);
        const asked = row.verb === 'open' ? 0 : 1;
        const near = (states.get(row.id) ?? []).map((state) => rank[state] ?? 3);
        expect(near).toEqual([...new Set(near)].toSorted((a, b) => a - b));
        expect(isOpen(row.state)).toBe(false);
        expect(row.ended_at).not.toBeNull();
        if (!arrived.has(row.id)) expect(['failed', 'expired']).toContain(row.state);
        if (row.state === 'failed' && row.reason === 'interrupted') expect(arrived.has(row.id)).toBe(false);
        if (row.state === 'verified') {
          const sent = row.sent_at!.getTime();
          const ended = row.ended_at!.getTime();
          const wasSo = truth.some(
            ({ from, position, current }, index) =>
              position === asked &&
              current === (asked === 1) &&
              from <= ended &&
              (truth[index + 1]?.from ?? Number.POSITIVE_INFINITY) > sent,
          );
          expect(wasSo).toBe(true);
        }
        // An 'expired' from the device has a reason; without a reason no answer came in time.
        if (row.state === 'expired' && row.reason === null) {
          const inTime = ({ id, at }: { id: string; at: number }) =>
            id === row.id && at < row.expires_at.getTime();
          expect(heard.filter(inTime)).toEqual([]);
        }
        if (row.state === 'mismatch')
          expect(findings.some((finding) => finding.code === 703 && finding.active)).toBe(true);
      }
    }),
    { numRuns: Number(process.env['LIFE_RUNS'] ?? 100) },
  );
  expect([...ends.keys()]).toEqual(expect.arrayContaining(['verified', 'failed', 'expired']));
});

test('a restarted server ends the commands it finds, and sends nothing again', async () => {
  const base: Scenario = {
    action: 'close',
    startsClosed: false,
    way: 'crash after the commit',
    manner: 'obeys',
    opposite: null,
    byHand: null,
    clockOffset: 0,
    arrivals: [[20]],
    crashes: [],
    untold: [],
    strays: [],
  };
  const ended = async (way: Way, manner: Manner = 'obeys', more: Partial<Scenario> = {}) =>
    (await live({ ...base, way, manner, ...more })).rows.map((row) => [row.state, row.reason]);
  expect(await ended('crash after the commit')).toEqual([['failed', 'interrupted']]);
  expect(await ended('crash before the publishing')).toEqual([['expired', null]]);
  expect(await ended('crash after the publishing')).toEqual([['verified', null]]);
  expect(await ended('crash after the publishing', 'deaf')).toEqual([['expired', null]]);
  expect(await ended('delivers', 'stuck')).toEqual([['mismatch', null]]);
  expect(await ended('delivers', 'welded')).toEqual([['verified', null]]);
  // The messages of the device are a reading, 'accepted', the move, 'done' and a reading. The server stored
  // three of them and died before it processed them.
  const untold = [1, 2, 3];
  expect(await ended('delivers', 'obeys', { untold })).toEqual([['verified', null]]);
  expect(await ended('delivers', 'obeys', { untold: [1, 2, 3, 4] })).toEqual([['verified', null]]);
  expect(await ended('delivers', 'stuck', { untold: [1, 2] })).toEqual([['mismatch', null]]);
  expect(await ended('delivers', 'rejects', { untold: [1] })).toEqual([['failed', 'locked']]);
  const onlyTheMove = Array.from({ length: 24 }, (_, index) => (index === 1 || index === 3 ? [] : [20]));
  expect(await ended('delivers', 'obeys', { untold, arrivals: onlyTheMove })).toEqual([['verified', null]]);
});
