import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patienceMs } from '#test/patience.ts';
import { type ArrivalWorld, arrivalWorld, type Sender } from './arrival.world.ts';
import { registerModulus } from './energy.ts';
import { type RawReading, sumsOf } from './minutes.ts';

const names = ['rollup_minute', 'rollup_quarter', 'rollup_hour', 'rollup_day', 'rollup_month'] as const;
const zone = 'Asia/Kolkata';
/** Number of cases, and another seed, for a long search. */
const runs = Number(process.env['ARRIVAL_RUNS'] ?? 6);
const seed = Number(process.env['ARRIVAL_SEED'] ?? 99);
const timeout = (4 + runs / 6) * patienceMs;
let world: ArrivalWorld;
beforeAll(async () => {
  world = await arrivalWorld();
});
afterAll(() => world.close());

interface Measured {
  kind: 'reading';
  /** Seconds since the reading before. */
  seconds: number;
  /** How the reading arrives: at once, a little later, or with the next backlog. */
  way: 'live' | 'slow' | 'backlog';
  value: 'rise' | 'spike' | 'reset' | 'jitter';
  watts: number;
}
type Move =
  | Measured
  | { kind: 'backlog'; order: number }
  | { kind: 'round'; node: 0 | 1 }
  | { kind: 'rounds' | 'crash' | 'hold' | 'kill' | 'release' | 'restart' }
  | { kind: 'elsewhere'; is: boolean }
  | { kind: 'steady'; minutes: number; seconds: number; watts: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'clock'; seconds: number }
  | { kind: 'zone'; zone: string }
  | { kind: 'rating'; amperes: number }
  | { kind: 'correct'; kWh: number };

const reading: fc.Arbitrary<Move> = fc.record({
  kind: fc.constant('reading' as const),
  seconds: fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 90 }), weight: 6 },
    { arbitrary: fc.integer({ min: 91, max: 3 * 3600 }), weight: 1 },
  ),
  way: fc.constantFrom('live', 'live', 'live', 'slow', 'backlog'),
  value: fc.constantFrom('rise', 'rise', 'rise', 'rise', 'rise', 'rise', 'spike', 'reset', 'jitter'),
  watts: fc.integer({ min: 0, max: 9000 }),
});
const move: fc.Arbitrary<Move> = fc.oneof(
  { arbitrary: reading, weight: 12 },
  { arbitrary: fc.record({ kind: fc.constant('backlog' as const), order: fc.nat() }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('round' as const),
      node: fc.constantFrom(0 as const, 1 as const),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('steady' as const),
      minutes: fc.integer({ min: 1, max: 4 }),
      seconds: fc.integer({ min: 7, max: 29 }),
      watts: fc.integer({ min: 0, max: 9000 }),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom<Move>(
      { kind: 'restart' },
      { kind: 'elsewhere', is: true },
      { kind: 'elsewhere', is: false },
      { kind: 'rounds' },
      { kind: 'crash' },
      { kind: 'kill' },
      { kind: 'release' },
    ),
    weight: 2,
  },
  { arbitrary: fc.constant<Move>({ kind: 'hold' }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 1500 }) }),
    weight: 2,
  },
);

/** Other events that change the figures of a line. */
const change: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('clock' as const),
    seconds: fc.oneof(fc.integer({ min: -90, max: 90 }), fc.constantFrom(-3600, 3600)),
  }),
  fc.record({ kind: fc.constant('zone' as const), zone: fc.constantFrom(zone, 'Europe/Berlin') }),
  fc.record({ kind: fc.constant('rating' as const), amperes: fc.constantFrom(10, 63) }),
  fc.record({ kind: fc.constant('correct' as const), kWh: fc.integer({ min: -2, max: 5 }) }),
);

interface Message {
  seq: number;
  t: number;
  bf?: 1;
  watts: number;
  kWh: number;
}
/** The register of the device, and the messages that it keeps back. */
class Meter {
  kWh: number;
  seq = 1;
  at: number;
  kept: Message[] = [];
  constructor(at: number, kWh: number) {
    this.at = at;
    this.kWh = kWh;
  }
  measure({ seconds, value, watts }: Measured): Message {
    const rise = (watts / 1000) * (seconds / 3600);
    this.kWh = value === 'reset' ? rise : (this.kWh + rise) % registerModulus;
    this.at = world.now();
    this.seq += 1;
    const kWh =
      value === 'spike'
        ? (this.kWh + 50_000) % registerModulus
        : value === 'jitter'
          ? Math.max(0, this.kWh - 0.02)
          : this.kWh;
    return { seq: this.seq, t: this.at, watts, kWh };
  }
}
/** Sorts the items in an order that depends only on the number. */
const mixed = <Item>(items: readonly Item[], order: number): Item[] =>
  items
    .map((item, index) => ({ item, key: Math.imul(index + 1, 2_654_435_761 ^ order) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

/** Readings at even intervals, and a round after each minute. */
const steady = async (
  sender: Sender,
  meter: Meter,
  { minutes, seconds, watts }: Extract<Move, { kind: 'steady' }>,
) => {
  for (let passed = 0; passed < minutes * 60; passed += seconds) {
    world.advance(seconds);
    await sender.send(meter.measure({ kind: 'reading', seconds, way: 'live', value: 'rise', watts }));
    if (passed % 60 >= 60 - seconds) await world.round(0);
  }
};

const make = async (sender: Sender, meter: Meter, move: Move): Promise<void> => {
  switch (move.kind) {
    case 'reading': {
      world.advance(move.seconds);
      const message = meter.measure(move);
      if (move.way === 'backlog') return void meter.kept.push({ ...message, bf: 1 });
      if (move.way === 'slow') world.advance(45);
      return sender.send(message);
    }
    case 'backlog':
      for (const message of mixed(meter.kept.splice(0), move.order)) await sender.send(message);
      return;
    case 'steady':
      return steady(sender, meter, move);
    case 'restart':
      return world.restart();
    case 'elsewhere':
      return world.storeElsewhere(move.is);
    case 'wait':
      return world.advance(move.seconds);
    case 'clock':
      world.advance(move.seconds);
      return world.round(0);
    case 'zone':
    case 'rating':
    case 'correct':
      // A held transaction would block this change too.
      await sender.settled();
      await world.roundsEnded();
      if (move.kind === 'zone') return world.moveTo(sender, move.zone);
      if (move.kind === 'rating') return world.rate(sender, move.amperes);
      return world.correct(sender, move.kWh);
    case 'round':
      return world.round(move.node);
    case 'rounds':
      return void (await Promise.all([world.round(0), world.round(1)]));
    case 'crash':
      return world.crashRound();
    case 'hold':
      return sender.hold();
    case 'kill':
      return sender.killHeld();
    case 'release':
      return sender.settled();
  }
};

const isReal = (name: string) => /^(covered|power|current|voltage|leakage|temperature)_/.test(name);
const short = (name: string, value: unknown) => {
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'number') return value;
  return isReal(name) ? Math.fround(value) : Math.round(value * 1e6) / 1e6;
};
const plain = (rows: readonly object[]) =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, short(name, value)])),
  );
const stored = async (lineId: number) =>
  Promise.all(
    names.map(async (name) => {
      const { rows } = await world.pool.query<{ line_id: number }>(
        `select * from ${name} where line_id = $1 order by bucket`,
        [lineId],
      );
      return plain(rows.map(({ line_id: _, ...row }) => row));
    }),
  );
/** The minutes of all readings, computed at once. */
const atOnce = async (lineId: number, uploadSeconds: number) => {
  const { rows } = await world.pool.query<Omit<RawReading, 'at'> & { at: Date }>(
    'select at, energy, channels from readings where line_id = $1 order by at',
    [lineId],
  );
  const readings = rows.map((row) => ({ ...row, at: row.at.getTime() }));
  const always = { start: 0, end: Date.parse('2200-01-01') };
  const line = { type: 3 as const, uploadSeconds, zone, maxKW: (63 * 220) / 1000 };
  return { count: rows.length, minutes: sumsOf(line, always, null, readings).minutes() };
};

const measured = (seconds: number): Move => ({
  kind: 'reading',
  seconds,
  way: 'live',
  value: 'rise',
  watts: 1500,
});
/** A transaction that is held up for longer than two rounds, with one round before it ends. */
const heldUp: Move[] = [
  measured(1),
  { kind: 'hold' },
  measured(80),
  measured(5955),
  { kind: 'round', node: 0 },
  { kind: 'round', node: 1 },
  measured(87),
  { kind: 'round', node: 0 },
  { kind: 'wait', seconds: 1235 },
];

/** Hours without special events, in which minutes are added up. */
const calm: Move[] = Array.from({ length: 6 }, () => ({
  kind: 'steady' as const,
  minutes: 4,
  seconds: 13,
  watts: 1500,
}));

test('for any order, delays and crashes, the rounds give the same result as all readings at once', {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 6, maxLength: 40 }),
      fc.constantFrom(5, 60),
      fc.boolean(),
      fc.constantFrom(100, registerModulus - 1),
      async (moves, uploadSeconds, hasRegister, kWh) => {
        const sender = await world.begin({ uploadSeconds, hasRegister, kWh });
        const meter = new Meter(world.now(), kWh);
        for (const one of moves) await make(sender, meter, one);
        await make(sender, meter, { kind: 'backlog', order: 1 });
        await sender.settled();
        await world.roundsEnded();
        // The last minute ends; five minutes later every minute must be folded.
        for (const seconds of [60, 60, 300]) {
          world.advance(seconds);
          await world.round(0);
          await world.roundsEnded();
        }
        world.storeElsewhere(false);
        const found = await stored(sender.lineId);
        expect(found).toEqual(await stored(sender.readLineId));
        const { count, minutes } = await atOnce(sender.lineId, uploadSeconds);
        expect(count).toBe(meter.seq);
        expect(found[0]).toEqual(plain(minutes));
        // Everything from the readings again: no larger bucket may differ.
        await world.pool.query(
          `insert into rollup_dirty (line_id, hour) select distinct line_id, date_trunc('hour', at, 'UTC') from readings
           where line_id = $1 order by 2`,
          [sender.lineId],
        );
        for (const name of names)
          await world.pool.query(`delete from ${name} where line_id = $1`, [sender.lineId]);
        await world.round(0);
        await world.roundsEnded();
        expect(found).toEqual(await stored(sender.lineId));
      },
    ),
    {
      numRuns: runs,
      seed,
      examples: [
        [heldUp, 60, false, 100],
        [calm, 5, true, 100],
      ],
    },
  );
  expect(world.added()).toBeGreaterThan(20);
});

test('minutes that are added up while readings come in equal those calculated from the stored readings', {
  timeout,
}, async () => {
  const before = world.added();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ arbitrary: move, weight: 4 }, { arbitrary: change, weight: 1 }), {
        minLength: 6,
        maxLength: 40,
      }),
      fc.constantFrom(1, 5),
      async (moves, uploadSeconds) => {
        const sender = await world.begin({ uploadSeconds, hasRegister: true, kWh: 100 });
        const meter = new Meter(world.now(), 100);
        for (const one of moves) await make(sender, meter, one);
        await make(sender, meter, { kind: 'backlog', order: 1 });
        await sender.settled();
        await world.roundsEnded();
        // After these steps the clock is later than it was before the step back.
        for (const seconds of [8000, 60, 300]) {
          world.advance(seconds);
          await world.round(0);
          await world.roundsEnded();
        }
        world.storeElsewhere(false);
        expect(await stored(sender.lineId)).toEqual(await stored(sender.readLineId));
      },
    ),
    { numRuns: runs, seed },
  );
  expect(world.added()).toBeGreaterThan(before);
});
