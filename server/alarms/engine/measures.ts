/** Quantities that a reading does not contain directly: spreads, unbalances, rates, steps and counts. */
import type { GroupReading } from '#server/core/group.ts';
import type { Journal, LineMemory, Measure } from './memory.ts';

export const channel =
  (index: number): Measure =>
  (reading) =>
    reading.channels[index] ?? Number.NaN;

export const largestOf = (reading: Pick<GroupReading, 'channels'>, indexes: readonly number[]) => {
  let largest = Number.NaN;
  for (const index of indexes) {
    const value = reading.channels[index];
    if (value !== null && value !== undefined && !(value <= largest)) largest = value;
  }
  return largest;
};
/** Largest measured value; NaN when none is measured. */
export const largest =
  (indexes: readonly number[]): Measure =>
  (reading) =>
    largestOf(reading, indexes);

/** A phase's voltage, or nothing if it is near zero: that is an outage (109) or a lost phase (103). */
export const suppliedVoltage =
  (index: number, nominal: number): Measure =>
  (reading) => {
    const value = reading.channels[index];
    return value === null || value === undefined || value < 0.1 * nominal ? Number.NaN : value;
  };

/** A phase's voltage as evidence of its loss: a low value counts only while another phase is above 85 %. */
export const lostVoltage =
  (index: number, others: readonly number[], nominal: number): Measure =>
  (reading) => {
    const value = reading.channels[index];
    if (value === null || value === undefined) return Number.NaN;
    if (value >= 0.65 * nominal) return value;
    return largestOf(reading, others) > 0.85 * nominal ? value : Number.NaN;
  };

/** Highest minus lowest phase voltage; needs all phases. */
export const spread =
  (indexes: readonly number[], nominal: number): Measure =>
  (reading) => {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (const index of indexes) {
      const value = reading.channels[index];
      if (value === null || value === undefined) return Number.NaN;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    return most < 0.1 * nominal ? Number.NaN : most - least;
  };

/**
 * Largest deviation from the mean in per cent of the mean; if the mean is below `least`, the result is
 * `otherwise`.
 */
export const unbalance =
  (indexes: readonly number[], least: number, otherwise: number): Measure =>
  (reading) => {
    let sum = 0;
    for (const index of indexes) {
      const value = reading.channels[index];
      if (value === null || value === undefined) return Number.NaN;
      sum += value;
    }
    const mean = sum / indexes.length;
    if (!(mean > least)) return otherwise;
    let deviation = 0;
    for (const index of indexes)
      deviation = Math.max(deviation, Math.abs((reading.channels[index] ?? mean) - mean));
    return (100 * deviation) / mean;
  };

/** A channel while another one is above `least`, else 0. */
export const whileAbove =
  (index: number, other: number, least: number): Measure =>
  (reading) =>
    (reading.channels[other] ?? 0) > least ? (reading.channels[index] ?? Number.NaN) : 0;

/** Nominal frequency for a measured one: 50 or 60 Hz. */
export const nominalHertz = (hertz: number): number => (hertz < 55 ? 50 : 60);
/** Distance from the nominal frequency; nothing without supply. */
export const offNominal =
  (index: number): Measure =>
  (reading) => {
    const value = reading.channels[index];
    return value === null || value === undefined || value < 40
      ? Number.NaN
      : Math.abs(value - nominalHertz(value));
  };

/** Power factor while the load is above `least` W; at a lower load it proves nothing and counts as good. */
export const loadedPowerFactor =
  (factor: number, power: number, least: number): Measure =>
  (reading) => {
    const value = reading.channels[factor];
    const watts = reading.channels[power];
    if (value === null || value === undefined || watts === null || watts === undefined) return Number.NaN;
    return Math.abs(watts) > least ? Math.abs(value) : 1;
  };

const leastDistortion = 5;
/**
 * Share of the current's distortion that a filter removes, per cent; with little distortion or load it counts
 * as good.
 */
export const filtering =
  (before: number, after: number, current: number, leastCurrent: number): Measure =>
  (reading) => {
    const entering = reading.channels[before];
    const leaving = reading.channels[after];
    if (entering === null || entering === undefined || leaving === null || leaving === undefined)
      return Number.NaN;
    if (entering <= leastDistortion || (reading.channels[current] ?? 0) <= leastCurrent) return 100;
    return 100 * (1 - leaving / entering);
  };

const rateWindowMs = 60_000;
/**
 * K/min over the last one to two minutes (longer if samples are rarer), for the fastest of several sensors.
 */
export const temperatureRate =
  (indexes: readonly number[]): Measure =>
  (reading, memory) => {
    const since = memory.temperatureAt[0];
    if (Number.isNaN(since)) return Number.NaN;
    let fastest = Number.NaN;
    for (const index of indexes) {
      const before = memory.temperatures[0][index];
      const now = reading.channels[index];
      if (before === null || before === undefined || now === null || now === undefined) continue;
      const rate = ((now - before) * 60_000) / (reading.at - since);
      if (!(rate <= fastest)) fastest = rate;
    }
    return fastest;
  };

const stepWindowMs = 90_000;
/**
 * mA above the minimum of the last minute if the rise is also more than half of it, else 0 (domain reference
 * §2.2, 302).
 */
export const leakageStep =
  (index: number): Measure =>
  (reading, memory) => {
    const value = reading.channels[index];
    if (value === null || value === undefined) return Number.NaN;
    const frozen = reading.at - memory.leakageFrozenAt <= stepWindowMs;
    const [older, newer] = memory.leakageLeast;
    const before = frozen ? memory.leakageFrozen : Number.isNaN(older) ? newer : Math.min(older, newer);
    const rise = value - before;
    return rise > 0.5 * before ? rise : 0;
  };

const arcWindowMs = 1_800_000;
/** Arcs counted in the last 30 to 60 minutes. */
export const arcsAnHour = (reading: GroupReading, memory: LineMemory, index: number): number => {
  const count = reading.channels[index];
  const since = Number.isNaN(memory.arcs[0]) ? memory.arcs[1] : memory.arcs[0];
  return count === null || count === undefined || Number.isNaN(since) || count < since ? 0 : count - since;
};

export const energyUsed: Measure = (_reading, memory) => memory.energyUsed;

/** Positions of a line's remembered quantities in its channels; -1 for 'not measured'. */
export interface Remembered {
  readonly temperatures: readonly number[];
  readonly leakage: number;
  readonly arcs: number;
  readonly shortCircuits: number;
  /** End of the quota's month for a time; null without a quota. */
  readonly quotaUntil: ((at: number) => number) | null;
}

/** Reading index -1 of an array would be slower than everything else here. */
const measuredAt = (channels: readonly (number | null)[], index: number): number | null | undefined =>
  index < 0 ? null : channels[index];

/** Adds a reading to the memory. Adding it a second time changes only the journal. */
export const remember = (
  memory: LineMemory,
  what: Remembered,
  reading: GroupReading,
  journal: Journal,
): void => {
  const { at, channels } = reading;
  if (what.temperatures.length > 0) {
    const apart = at - memory.temperatureAt[1];
    if (!(apart < rateWindowMs)) {
      const known = apart <= 10 * rateWindowMs;
      memory.temperatureAt = [known ? memory.temperatureAt[1] : Number.NaN, at];
      memory.temperatures = [known ? memory.temperatures[1] : [], channels];
    }
  }
  const leakage = measuredAt(channels, what.leakage);
  if (leakage !== null && leakage !== undefined) rememberLeakage(memory, at, leakage);
  const arcs = measuredAt(channels, what.arcs);
  if (arcs !== null && arcs !== undefined) {
    if (arcs < memory.arcs[1]) memory.arcs = [Number.NaN, arcs];
    if (!(at - memory.arcAt < arcWindowMs)) {
      memory.arcs = [memory.arcs[1], arcs];
      memory.arcAt = at;
    }
  }
  const shortCircuits = measuredAt(channels, what.shortCircuits);
  if (shortCircuits !== null && shortCircuits !== undefined && shortCircuits !== memory.shortCircuits) {
    journal.touch(memory).shortCircuited = shortCircuits > memory.shortCircuits;
    memory.shortCircuits = shortCircuits;
  } else if (memory.shortCircuited) journal.touch(memory).shortCircuited = false;
  if (what.quotaUntil !== null && reading.energy !== null) {
    if (!(at < memory.energyUntil)) {
      if (!Number.isNaN(memory.energyUntil)) journal.touch(memory).energyUsed = 0;
      memory.energyUntil = what.quotaUntil(at);
    }
    if (!Number.isNaN(memory.energy))
      memory.energyUsed += reading.energy >= memory.energy ? reading.energy - memory.energy : reading.energy;
    memory.energy = reading.energy;
  }
  memory.at = at;
};

const rememberLeakage = (memory: LineMemory, at: number, value: number): void => {
  if (!(at - memory.at <= stepWindowMs)) {
    memory.leakageLeast = [Number.NaN, value];
    memory.leakageAt = at;
    return;
  }
  if (at - memory.leakageAt >= stepWindowMs / 3) {
    memory.leakageLeast = [memory.leakageLeast[1], value];
    memory.leakageAt = at;
  } else if (value < memory.leakageLeast[1]) memory.leakageLeast = [memory.leakageLeast[0], value];
};

/** Keeps the level before a leakage step while the step is being judged. */
export const freezeLeakage = (memory: LineMemory, at: number): void => {
  if (at - memory.leakageFrozenAt <= stepWindowMs) return;
  const [older, newer] = memory.leakageLeast;
  memory.leakageFrozen = Number.isNaN(older) ? newer : Math.min(older, newer);
  memory.leakageFrozenAt = at;
};
