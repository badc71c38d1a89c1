/** Threshold alarms against a slow reference that knows the domain reference §3.1 and §3.2 only, not the engine. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFeeder } from '#test/alarm-feeder.ts';

interface Kind {
  readonly code: number;
  readonly channel: string;
  readonly early: number;
  readonly alarm: number;
  /** Beyond the deadband towards normal. */
  readonly clear: number;
  readonly onMs: number;
  readonly offMs: number;
  /** 1: alarms above its limits, -1: below. */
  readonly sign: 1 | -1;
  readonly latches: boolean;
  readonly values: readonly number[];
}
/** Line of 40 A and 220 V, numbers of the domain reference §2.2. */
const kinds: readonly Kind[] = [
  {
    code: 101,
    channel: 'U.a',
    early: 235.4,
    alarm: 264,
    clear: 231,
    onMs: 10_000,
    offMs: 30_000,
    sign: 1,
    latches: false,
    values: [220, 230, 232, 235, 236, 250, 264, 265, 290],
  },
  {
    code: 102,
    channel: 'U.a',
    early: 198,
    alarm: 176,
    clear: 202.4,
    onMs: 10_000,
    offMs: 30_000,
    sign: -1,
    latches: false,
    values: [220, 203, 202, 199, 198, 197, 180, 176, 175, 100],
  },
  {
    code: 201,
    channel: 'I.a',
    early: 36,
    alarm: 44,
    clear: 34,
    onMs: 60_000,
    offMs: 60_000,
    sign: 1,
    latches: false,
    values: [10, 33, 35, 36, 37, 44, 45, 60],
  },
  {
    code: 402,
    channel: 'T.m',
    early: 70,
    alarm: 80,
    clear: 65,
    onMs: 30_000,
    offMs: 60_000,
    sign: 1,
    latches: true,
    values: [40, 64, 66, 70, 71, 80, 81, 118],
  },
  {
    code: 403,
    channel: 'T.c',
    early: 55,
    alarm: 65,
    clear: 52,
    onMs: 60_000,
    offMs: 60_000,
    sign: 1,
    latches: false,
    values: [30, 51, 53, 55, 56, 65, 66, 90],
  },
];
const normal = { 'U.a': 220, 'I.a': 10, IL: 5, 'T.m': 40 };

interface Sample {
  readonly at: number;
  readonly value: number;
}
/** Since when each sample up to the last one has passed; NaN if the last one has not. */
const since = (samples: readonly Sample[], passes: (value: number) => boolean): number => {
  let from = Number.NaN;
  for (const { at, value } of samples.toReversed()) {
    if (!passes(value)) break;
    from = at;
  }
  return from;
};
const lasted = (from: number, at: number, delayMs: number) =>
  at - from >= delayMs - Math.min(2000, delayMs / 20);

const hour = 3_600_000;
/** The work orders of one alarm: level, whether it is active, and whether it was handled. */
const reference = (kind: Kind) => {
  const samples: Sample[] = [];
  const orders: { level: number; active: boolean; handled: boolean; waitsForReset: boolean }[] = [];
  let [activations, endedAt, chattersUntil, wasNormal] = [0, Number.NEGATIVE_INFINITY, 0, false];
  const { sign } = kind;
  const beyond = (limit: number) => (value: number) => value * sign > limit * sign;
  const open = (level: number) => orders.push({ level, active: true, handled: false, waitsForReset: false });
  return {
    orders,
    handle() {
      for (const order of orders) order.handled = true;
    },
    take(at: number, value: number) {
      samples.push({ at, value });
      const alarm = lasted(since(samples, beyond(kind.alarm)), at, kind.onMs);
      const early = lasted(since(samples, beyond(kind.early)), at, kind.onMs);
      const reached = alarm ? 2 : early ? 1 : 0;
      const isBeyond = beyond(kind.early)(value);
      const order = orders.findLast((each) => each.active);
      if (!order) {
        if (reached === 0) return;
        activations = at - endedAt <= hour ? activations + 1 : 1;
        if (activations >= 3) chattersUntil = at + hour;
        wasNormal = false;
        open(reached);
        return;
      }
      if (isBeyond) {
        if (at < chattersUntil && wasNormal) chattersUntil = at + hour;
        wasNormal = false;
        const rises = reached > order.level;
        if (order.handled && (rises || order.waitsForReset)) {
          order.active = false;
          activations = at - endedAt <= hour ? activations + 1 : 1;
          if (activations >= 3) chattersUntil = at + hour;
          open(Math.max(order.level, reached));
          return;
        }
        order.level = Math.max(order.level, reached);
        order.waitsForReset = false;
        return;
      }
      const isNormal = (each: number) => each * sign <= kind.clear * sign;
      wasNormal = isNormal(value);
      const offMs = at < chattersUntil ? 4 * kind.offMs : kind.offMs;
      if (!lasted(since(samples, isNormal), at, offMs)) return;
      if (kind.latches && order.level === 2) order.waitsForReset = true;
      else {
        order.active = false;
        endedAt = at;
      }
    },
  };
};

it('raises, raises again, keeps and ends work orders as a slow reference does', () => {
  const step = fc.record({
    gap: fc.constantFrom(1, 5, 10, 29, 30, 60, 300, 3700),
    choice: fc.nat(9),
    again: fc.integer({ min: 1, max: 6 }),
    handles: fc.nat(9).map((n) => n === 0),
  });
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.array(step, { maxLength: 30 }), (kind, steps) => {
      const feeder = createFeeder();
      const expected = reference(kind);
      const orders: { level: number; active: boolean }[] = [];
      const known = new Map<unknown, { level: number; active: boolean }>();
      let seconds = 0;
      for (const { gap, choice, again, handles } of steps) {
        for (let times = 0; times < again; times += 1) {
          seconds += gap;
          const value = kind.values[choice % kind.values.length]!;
          for (const change of feeder.feed(seconds, { ...normal, [kind.channel]: value })) {
            if (change.code !== kind.code) continue;
            seen.set(change.kind, (seen.get(change.kind) ?? 0) + 1);
            const order = known.get(change.alarm) ?? { level: 0, active: true };
            if (!known.has(change.alarm)) orders.push(order);
            known.set(change.alarm, order);
          }
          for (const [alarm, order] of known) {
            const { level, clearedAt } = alarm as { level: number; clearedAt: number | null };
            Object.assign(order, { level, active: clearedAt === null });
          }
          expected.take(seconds * 1000, value);
          expect(orders).toEqual(expected.orders.map(({ level, active }) => ({ level, active })));
        }
        if (handles) {
          feeder.handle();
          expected.handle();
        }
      }
    }),
    { numRuns: 1000 },
  );
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['raised', 'escalated', 'followed', 'cleared']));
});
