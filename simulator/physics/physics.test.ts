import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomStream } from '../random.ts';
import { arcHalfCycles, parallelArcHalfCycles } from './arcs.ts';
import {
  phaseCurrent,
  reactivePower,
  splitOverPhases,
  starPointShift,
  totalDistortion,
  unbalancePercent,
} from './electrical.ts';
import { electronicHarmonics, filteredHarmonics } from './filter.ts';
import { dryInsulation, insulationResistance, leakageCurrent } from './leakage.ts';
import { hourProfiles, loadProfiles, profileAt } from './load.ts';
import { neutralCurrent } from './neutral.ts';
import { steadyTemperature, stepLooseness, stepTemperature } from './thermal.ts';
import { stepTripDisc, tripSeconds } from './trip.ts';

const minutesUntil = (limit: number, kappaMinutes: number, ratio: number, runaway: boolean) => {
  const ambient = 34;
  let temperature = steadyTemperature('terminal', ambient, ratio);
  let kappa = 1;
  for (let second = 1; second < 4 * 3600; second++) {
    kappa = stepLooseness(kappa, 1, 7 / (kappaMinutes * 60), runaway ? temperature : 20);
    temperature = stepTemperature('terminal', temperature, 1, ambient, ratio, kappa);
    if (temperature > limit) return second / 60;
  }
  return Number.POSITIVE_INFINITY;
};

describe('heat', () => {
  it('a terminal settles at the computed temperature', () => {
    expect(steadyTemperature('terminal', 34, 1)).toBeCloseTo(69, 1);
    expect(steadyTemperature('terminal', 34, 1.25)).toBeCloseTo(88.7, 1);
    expect(steadyTemperature('terminal', 34, 0.6, 5)).toBeCloseTo(97, 1);
  });
  it('the temperature reaches its steady value with steps of any length', () => {
    let second = 20;
    for (let i = 0; i < 900; i++) second = stepTemperature('terminal', second, 1, 34, 1);
    expect(stepTemperature('terminal', 20, 900, 34, 1)).toBeCloseTo(second, 6);
  });
  it('a slow loose joint exceeds its limits after 46, 60 and 74 minutes', () => {
    expect([70, 80, 90].map((limit) => Math.round(minutesUntil(limit, 120, 0.6, false)))).toEqual([
      46, 60, 74,
    ]);
  });
  it('a fast loose joint exceeds its limits after 5.4, 7.3 and 8.8 minutes', () => {
    expect([70, 80, 90].map((limit) => minutesUntil(limit, 10, 0.8, false).toFixed(1))).toEqual([
      '5.4',
      '7.3',
      '8.8',
    ]);
  });
  it('the temperature of a loose joint rises without end above 70 °C', () => {
    expect(minutesUntil(90, 120, 0.6, true)).toBeLessThan(minutesUntil(90, 120, 0.6, false) - 2);
  });
});

describe('trip curve', () => {
  it.each([
    [1.25, 324],
    [1.45, 65],
    [2.55, 12],
  ])('the trip curve opens at %f In after %f s', (ratio, seconds) => {
    expect(tripSeconds('iec_vi', ratio / 1.2, 60)).toBeCloseTo(seconds, 0);
  });
  it('the trip curve never opens at 1.13 In', () => {
    expect(tripSeconds('iec_vi', 1.13 / 1.2, 60)).toBe(Number.POSITIVE_INFINITY);
  });
  it('the trip curve opens after exactly its time at a constant current', () => {
    let disc = 0;
    let seconds = 0;
    while (disc < 1) {
      disc = stepTripDisc(disc, 1, 'iec_vi', 1.25 / 1.2, 60);
      seconds++;
    }
    expect(seconds).toBe(324);
  });
});

describe('electrical', () => {
  it('the current of a load follows from its power', () => {
    expect(phaseCurrent(2200, 0, 220)).toBe(10);
    expect(phaseCurrent(2200, reactivePower(2200, 0.8), 220)).toBeCloseTo(12.5, 6);
    expect(phaseCurrent(2200, 100, 0)).toBe(0);
  });
  it.each([
    [20, 20],
    [12, 26],
  ])('splits a load with α = %d to a median unbalance near %d percent', (alpha, percent) => {
    const random = randomStream(1, 'split');
    const found = Array.from({ length: 4001 }, () => unbalancePercent(splitOverPhases(random, alpha))).sort(
      (a, b) => a - b,
    );
    expect(Math.abs(found[2000]! - percent)).toBeLessThan(2);
  });
  it('unequal phase loads shift the star point when the neutral is broken', () => {
    const [a, b, c] = starPointShift(0.25);
    expect(a).toBeCloseTo(0.75, 3);
    expect(b).toBeCloseTo(1.146, 3);
    expect(c).toBe(b);
  });
  it('the current of electronics has a distortion of 0.74', () => {
    expect(totalDistortion(electronicHarmonics)).toBeCloseTo(0.74, 2);
  });
});

describe('neutral', () => {
  it('the neutral carries nothing for a balanced motor load, and the third harmonics of all phases for electronics', () => {
    expect(neutralCurrent([10, 10, 10], 0)).toBe(0);
    expect(neutralCurrent([10, 10, 10], 0.75)).toBeCloseTo(22.5, 6);
    expect(neutralCurrent([10, 0, 0], 0)).toBe(10);
  });
});

describe('filter', () => {
  it('a filter removes most of the harmonics, less with age, and none when broken', () => {
    const clean = filteredHarmonics(electronicHarmonics, 0, 1);
    expect(clean[0]).toBeCloseTo(0.09, 6);
    expect(clean[3]).toBeCloseTo(0.048, 6);
    expect(filteredHarmonics(electronicHarmonics, 3650, 1)[0]).toBeGreaterThan(clean[0]!);
    expect(filteredHarmonics(electronicHarmonics, 0, 0)).toEqual([...electronicHarmonics]);
  });
});

describe('leakage', () => {
  it.each([
    [50, 11],
    [95, 131],
  ])('leakage of a feeder at humidity %d is %d mA', (humidity, milliamperes) => {
    const ohms = insulationResistance(dryInsulation.feeder, humidity);
    expect(leakageCurrent(0, 0, 220, ohms)).toBeCloseTo(milliamperes, 0);
  });
  it('leakage grows by 0.35 mA with each kW of electronics', () => {
    expect(leakageCurrent(1, 10, 220, 1e12)).toBeCloseTo(4.5, 3);
  });
});

describe('arcs', () => {
  it('a parallel arc must be reported after fewer half-cycles at a larger current', () => {
    expect([50, 75, 100, 150, 400].map(parallelArcHalfCycles)).toEqual([null, 12, 10, 8, 8]);
  });
  it('a sound line stays below 10 arcing half-cycles per second', () => {
    const random = randomStream(2, 'arcs');
    for (let i = 0; i < 100_000; i++) expect(arcHalfCycles(random, 0.002, 1)).toBeLessThan(10);
  });
});

describe('load profiles', () => {
  it('each load profile has 24 hours and reaches its full load on working days', () => {
    for (const name of loadProfiles) {
      expect(hourProfiles[name].workday).toHaveLength(24);
      expect(hourProfiles[name].weekend).toHaveLength(24);
      expect(Math.max(...hourProfiles[name].workday)).toBe(name === 'household' ? 0.97 : 1);
    }
    expect(profileAt('factory', 9, false)).toBe(1);
    expect(profileAt('household', 20, true)).toBe(1);
    expect(profileAt('office', 10.5, false)).toBeCloseTo(0.99, 6);
  });
  it('values between two hours lie between the values of these hours', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...loadProfiles),
        fc.double({ min: 0, max: 23.999, noNaN: true }),
        (name, hour) => {
          const share = profileAt(name, hour, false);
          return share > 0 && share <= 1;
        },
      ),
    );
  });
});
