import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allocate,
  chainRegister,
  energyFlags,
  integratePower,
  type RegisterReading,
  registerDelta,
} from './energy.ts';

const hour = 3_600_000;
const minute = 60_000;
const start = Date.parse('2026-11-20T02:00:00Z');
const total = (parts: readonly { kWh: number }[]) => parts.reduce((sum, part) => sum + part.kWh, 0);

/** A register that only rises, by at most what a line of 20 kW can carry, read at irregular times. */
const honest = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 * 3600 }), fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: 2,
    maxLength: 60,
  })
  .map((moves) => {
    const readings: RegisterReading[] = [{ at: start, kWh: 100 }];
    for (const [seconds, share] of moves) {
      const last = readings.at(-1)!;
      readings.push({ at: last.at + seconds * 1000, kWh: last.kWh + (share * 20 * seconds) / 3600 });
    }
    return readings;
  });
const wild = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 10_000 }).map((second) => start + second * 1000),
    kWh: fc.double({ min: 0, max: 999_999, noNaN: true }),
  }),
  { maxLength: 40 },
);
const distinct = (readings: RegisterReading[]) => [...new Map(readings.map((one) => [one.at, one])).values()];

describe('energy from a register', () => {
  test('the total is the last value minus the first, with any values in between', () => {
    fc.assert(
      fc.property(honest, (readings) => {
        const { steps } = chainRegister(null, readings, 20);
        expect(total(steps)).toBeCloseTo(readings.at(-1)!.kWh - readings[0]!.kWh, 6);
      }),
    );
  });

  test('a series of readings gives the same steps wherever it is cut', () => {
    fc.assert(
      fc.property(wild, fc.nat(), (readings, cut) => {
        const sorted = distinct(readings).sort((a, b) => a.at - b.at);
        const at = sorted.length === 0 ? 0 : cut % sorted.length;
        const first = chainRegister(null, sorted.slice(0, at), 5);
        const second = chainRegister(first.state, sorted.slice(at), 5);
        expect([...first.steps, ...second.steps]).toEqual(chainRegister(null, sorted, 5).steps);
      }),
    );
  });

  test('energy does not depend on the order of arrival', () => {
    fc.assert(
      fc.property(
        wild
          .map(distinct)
          .chain((readings) =>
            fc.tuple(fc.constant(readings), fc.shuffledSubarray(readings, { minLength: readings.length })),
          ),
        ([readings, shuffled]) => {
          expect(chainRegister(null, shuffled, 5)).toEqual(chainRegister(null, readings, 5));
        },
      ),
    );
  });

  test('no step is negative or exceeds what an instrument can measure', () => {
    fc.assert(
      fc.property(wild.map(distinct), (readings) => {
        for (const step of chainRegister(null, readings, 5).steps) {
          expect(step.kWh).toBeGreaterThanOrEqual(0);
          expect(step.kWh).toBeLessThanOrEqual((1.2 * 600 * (step.to - step.from)) / hour + 0.1 + 1e-9);
        }
      }),
    );
  });

  test('a register that keeps rising faster than the rating is counted in full, and raises the proved power', () => {
    const loads = fc.array(fc.double({ min: 60, max: 500, noNaN: true }), { minLength: 4, maxLength: 60 });
    fc.assert(
      fc.property(loads, (powers) => {
        const readings: RegisterReading[] = [{ at: start, kWh: 700 }];
        for (const kW of powers) {
          const last = readings.at(-1)!;
          readings.push({ at: last.at + hour / 4, kWh: last.kWh + kW / 4 });
        }
        const chain = chainRegister(null, readings, 43);
        const counted = (chain.state?.last.kWh ?? 0) - readings[0]!.kWh;
        expect(total(chain.steps)).toBeCloseTo(counted, 6);
        expect(readings.length - 1 - readings.indexOf(chain.state!.last)).toBeLessThan(3);
        expect(chain.state!.maxKW).toBeLessThanOrEqual(Math.max(43, ...powers) + 1e-9);
      }),
    );
  });

  test('the energy of a steel works over a year is exact although the rating of its line is far too low', () => {
    const readings: RegisterReading[] = [];
    let exact = 0;
    for (let quarter = 0; quarter < 35_040; quarter += 1) {
      const kW = 30 + 150 * Math.max(0, Math.sin(quarter / 15.3)) * (1 + ((quarter * 7919) % 13) / 13);
      readings.push({ at: start + (quarter * hour) / 4, kWh: (999_000 + exact) % 1_000_000 });
      exact += kW / 4;
    }
    const { steps } = chainRegister(null, readings, 43);
    const through =
      exact - (30 + 150 * Math.max(0, Math.sin(35_039 / 15.3)) * (1 + ((35_039 * 7919) % 13) / 13)) / 4;
    expect(total(steps)).toBeCloseTo(through, 2);
  });

  test('after a register is set to another value, counting continues there and is flagged; the jump itself never counts', () => {
    const { steps, state } = chainRegister(
      null,
      [10, 9000, 9000.1, 9000.2, 9000.3].map((kWh, index) => ({ at: index * minute, kWh })),
      10,
    );
    expect(total(steps)).toBeCloseTo(0.3, 9);
    expect(steps[0]?.flags).toBe(energyFlags.spike | energyFlags.reset);
    expect(state?.maxKW).toBe(10);
  });

  test('a register rolls over at 1,000,000 kWh', () => {
    const delta = registerDelta({ at: 0, kWh: 999_999.6 }, { at: hour, kWh: 1.4 }, 10);
    expect(delta.kWh).toBeCloseTo(1.8, 6);
    expect(delta.flags).toBe(0);
  });

  test('energy starts from zero after a reset, bounded by what the line can carry', () => {
    expect(registerDelta({ at: 0, kWh: 500 }, { at: hour, kWh: 2 }, 10)).toEqual({
      kWh: 2,
      flags: energyFlags.reset,
      believed: true,
    });
    expect(registerDelta({ at: 0, kWh: 5000 }, { at: hour, kWh: 400 }, 10).kWh).toBeCloseTo(12.1, 6);
  });

  test('a small decrease is jitter: no energy is lost, and none is counted twice', () => {
    const { steps } = chainRegister(
      null,
      [
        { at: 0, kWh: 10 },
        { at: minute, kWh: 9.97 },
        { at: 2 * minute, kWh: 10.05 },
      ],
      10,
    );
    expect(total(steps)).toBeCloseTo(0.05, 9);
  });

  test('ignores a spike and counts the next value from the one before the spike', () => {
    const { steps } = chainRegister(
      null,
      [
        { at: 0, kWh: 10 },
        { at: minute, kWh: 9000 },
        { at: 2 * minute, kWh: 10.1 },
      ],
      10,
    );
    expect(total(steps)).toBeCloseTo(0.1, 9);
    expect(steps.some((step) => step.flags === energyFlags.spike)).toBe(true);
  });
});

describe('division among minutes', () => {
  const step = fc.record({
    from: fc.integer({ min: 0, max: 86_400_000 }).map((ms) => start + ms),
    span: fc.integer({ min: 0, max: 4 * 86_400_000 }),
    kWh: fc.double({ min: 0, max: 1e5, noNaN: true }),
    zone: fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York'),
  });

  test('the divided energy adds up to the total, over any span and in any zone', () => {
    fc.assert(
      fc.property(step, ({ from, span, kWh, zone }) => {
        const parts = allocate({ from, to: from + span, kWh, flags: 0 }, 180_000, zone);
        expect(total(parts)).toBeCloseTo(kWh, 4);
        for (const part of parts) {
          expect(part.minute % minute).toBe(0);
          expect(part.minute).toBeGreaterThan(from - minute);
          expect(part.minute).toBeLessThanOrEqual(from + span);
        }
      }),
    );
  });

  test('energy of a gap of up to two hours is divided evenly and marked as estimated', () => {
    const parts = allocate(
      { from: start, to: start + 2 * hour, kWh: 12, flags: 0 },
      180_000,
      'Asia/Shanghai',
    );
    expect(parts).toHaveLength(120);
    for (const part of parts) expect(part).toMatchObject({ kWh: 0.1, flags: energyFlags.estimated });
  });

  test('energy of a longer gap becomes one unallocated part for each local day', () => {
    const from = Date.parse('2026-11-20T12:00:00+08:00');
    const to = Date.parse('2026-11-22T12:00:00+08:00');
    const parts = allocate({ from, to, kWh: 48, flags: 0 }, 180_000, 'Asia/Shanghai');
    expect(parts.map((part) => Math.round(part.kWh * 1e6) / 1e6)).toEqual([12, 24, 12]);
    expect(parts.every((part) => part.flags === energyFlags.unallocated)).toBe(true);
  });
});

test('without a register, power is integrated over readings that are close together', () => {
  const readings = [0, 1, 2, 30].map((at) => ({ at: at * minute, watts: 6000 }));
  const steps = integratePower(readings, 3 * minute);
  expect(total(steps)).toBeCloseTo(0.2, 9);
  expect(steps).toHaveLength(2);
});
