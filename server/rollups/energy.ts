import { DateTime } from 'luxon';

/** One value of a line's cumulative register, kWh, at a device time in ms. */
export interface RegisterReading {
  at: number;
  kWh: number;
}
/** Energy that went through between two instants; `flags` as in `energyFlags`. */
export interface EnergyStep {
  from: number;
  to: number;
  kWh: number;
  flags: number;
}
/** The state of a chain; it continues the same from here, wherever it was cut. */
export interface ChainState {
  /** The last register value that was believed: what the next one is compared with. */
  last: RegisterReading;
  /** Values after `last` beyond what the line can carry, not decided yet. */
  suspects: readonly RegisterReading[];
  /** The most power that the line carries, kW: by its rating, or more where its register proves it. */
  maxKW: number;
}
export interface Chain {
  steps: EnergyStep[];
  /** Null before the first value. */
  state: ChainState | null;
}

/** Bits of `energy_flags`. */
export const energyFlags = {
  estimated: 1,
  reset: 2,
  integrated: 4,
  spike: 8,
  unallocated: 16,
  aboveRating: 32,
  corrected: 64,
} as const;

/** The register rolls over here, kWh. */
export const registerModulus = 1_000_000;
const jitterKWh = 0.05;
const hourMs = 3_600_000;
export const minuteMs = 60_000;
export const quarterMs = 15 * minuteMs;
/** A line that reports so seldom has no figures of a minute: its steps are divided among quarters of an hour. */
const seldomSeconds = 300;
export const grainMsOf = (uploadSeconds: number): number =>
  uploadSeconds >= seldomSeconds ? quarterMs : minuteMs;
/** Up to so long a gap is filled evenly. */
export const longestSpreadMs = 2 * hourMs;
/** So many values in a row beyond the cap decide: the rating is wrong, or the register made a new start. */
const decidingValues = 3;
/** Beyond this many times the rating a rise is no energy where the values after it rise as the rating allows. */
const jumpRatio = 10;
/** No instrument of these devices measures more, kW. Source: domain reference §1.1, `P`. */
const instrumentKW = 600;
const capMargin = 1.2;
const capKWh = 0.1;

const hoursBetween = (from: RegisterReading, to: RegisterReading) => (to.at - from.at) / hourMs;
/** The most that can have gone through, kWh. Source: domain reference §5.1. */
const capOf = (prev: RegisterReading, cur: RegisterReading, maxKW: number) =>
  capMargin * maxKW * hoursBetween(prev, cur) + capKWh;
/** The least power whose cap allows a rise, kW. */
const neededKW = (prev: RegisterReading, cur: RegisterReading) =>
  cur.at > prev.at ? (cur.kWh - prev.kWh - capKWh) / (capMargin * hoursBetween(prev, cur)) : 0;

type Delta = { kWh: number; flags: number; believed: boolean };

/**
 * What went through between two register values: a small decrease is jitter and not believed, a decrease from near the
 * end of the register to near its beginning a rollover (flagged beyond the rating), any other a reset that counts from
 * zero; a rise beyond what the line can carry is a spike and not believed. Source: domain reference §5.1.
 */
export const registerDelta = (prev: RegisterReading, cur: RegisterReading, maxKW: number): Delta => {
  const cap = capOf(prev, cur, maxKW);
  if (cur.kWh >= prev.kWh) {
    const kWh = cur.kWh - prev.kWh;
    return kWh > cap
      ? { kWh: 0, flags: energyFlags.spike, believed: false }
      : { kWh, flags: 0, believed: true };
  }
  if (prev.kWh - cur.kWh <= jitterKWh) return { kWh: 0, flags: 0, believed: false };
  const rolled = registerModulus - prev.kWh + cur.kWh;
  const most = capOf(prev, cur, Math.min(jumpRatio * maxKW, instrumentKW));
  if (prev.kWh > 0.9 * registerModulus && cur.kWh < 0.1 * registerModulus && rolled <= most)
    return { kWh: rolled, flags: rolled > cap ? energyFlags.aboveRating : 0, believed: true };
  return { kWh: Math.min(cur.kWh, cap), flags: energyFlags.reset, believed: true };
};

const byTime = (a: { at: number }, b: { at: number }) => a.at - b.at;
/** A value that is kept back, as a step of no energy. */
const spikeAt = ({ at }: RegisterReading): EnergyStep => ({
  from: at,
  to: at,
  kWh: 0,
  flags: energyFlags.spike,
});
/** The steps of values that are not decided yet. */
export const undecided = ({ state }: Chain): EnergyStep[] => state?.suspects.map(spikeAt) ?? [];

/**
 * Decides about values in a row beyond the cap. They are energy of a line with too low a rating, counted in full and
 * flagged; but where the first rise is more than an instrument measures, or far beyond the rating while the values
 * after it rise as the rating allows, the register made a new start: the first rise is not energy.
 */
const decide = ({ last, suspects, maxKW }: ChainState): { steps: EnergyStep[]; state: ChainState } => {
  const values = [last, ...suspects];
  const pairs = suspects.map((value, index) => ({ from: values[index]!, to: value }));
  const needs = pairs.map(({ from, to }) => neededKW(from, to));
  const [first = 0, ...later] = needs;
  const isNewStart = first > jumpRatio * maxKW && later.every((kW) => kW <= maxKW);
  const exceeds = Math.max(...needs) > instrumentKW;
  const steps = pairs.map(({ from, to }, index): EnergyStep => {
    const jumped = needs[index]! > instrumentKW || (isNewStart && index === 0);
    return {
      from: from.at,
      to: to.at,
      kWh: jumped ? 0 : to.kWh - from.kWh,
      flags: jumped
        ? energyFlags.spike | energyFlags.reset
        : needs[index]! > maxKW
          ? energyFlags.aboveRating
          : 0,
    };
  });
  return {
    steps,
    state: {
      last: suspects.at(-1) ?? last,
      suspects: [],
      maxKW: isNewStart || exceeds ? maxKW : Math.max(maxKW, ...needs),
    },
  };
};

/**
 * Steps between the believed values of a register, for readings in any order, going on from `start`. Values beyond
 * the cap are kept back until one after them is plausible (then they were spikes) or three in a row never fall.
 */
export const chainRegister = (
  start: ChainState | null,
  readings: readonly RegisterReading[],
  maxKW: number,
): Chain => {
  const steps: EnergyStep[] = [];
  let state = start;
  for (const reading of [...readings].sort(byTime)) {
    if (state === null) {
      state = { last: reading, suspects: [], maxKW };
      continue;
    }
    const { last, suspects } = state;
    const { kWh, flags, believed } = registerDelta(last, reading, state.maxKW);
    if (believed) {
      steps.push(...suspects.map(spikeAt), { from: last.at, to: reading.at, kWh, flags });
      state = { ...state, last: reading, suspects: [] };
      continue;
    }
    if (flags === 0) continue;
    const falls = suspects.some((suspect) => suspect.kWh > reading.kWh);
    if (falls) steps.push(...suspects.map(spikeAt));
    state = { ...state, suspects: falls ? [reading] : [...suspects, reading] };
    if (state.suspects.length < decidingValues) continue;
    const decided = decide(state);
    steps.push(...decided.steps);
    state = decided.state;
  }
  return { steps, state };
};

/**
 * Energy of a line without a register: power integrated by trapezoids, where readings are at most `holdMs` apart. Power
 * that flows back is not consumption and counts as none, as in a register of active energy.
 */
export const integratePower = (
  readings: readonly { at: number; watts: number }[],
  holdMs: number,
): EnergyStep[] => {
  const sorted = [...readings].sort(byTime);
  return sorted.slice(1).flatMap((cur, index) => {
    const prev = sorted[index]!;
    if (cur.at - prev.at > holdMs) return [];
    const kWh = ((Math.max(0, prev.watts) + Math.max(0, cur.watts)) / 2000) * ((cur.at - prev.at) / hourMs);
    return [{ from: prev.at, to: cur.at, kWh, flags: energyFlags.integrated }];
  });
};

export const minuteOf = (at: number): number => Math.floor(at / minuteMs) * minuteMs;

/** Where a long gap's energy is put: one minute for each local day it touches, that in which its part of the day ends. */
const dayShares = ({ from, to, kWh, flags }: EnergyStep, zone: string): MinuteEnergy[] => {
  const shares: MinuteEnergy[] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(
      to,
      DateTime.fromMillis(start, { zone }).startOf('day').plus({ days: 1 }).toMillis(),
    );
    shares.push({
      minute: minuteOf(end === to ? to : end - 1),
      kWh: (kWh * (end - start)) / (to - from),
      flags: flags | energyFlags.unallocated,
    });
    start = end;
  }
  return shares;
};

export interface MinuteEnergy {
  minute: number;
  kWh: number;
  flags: number;
}

/**
 * Divides a stretch of time among minutes, or among quarters of an hour where `grainMs` says so; such a part goes to the
 * minute in which it begins.
 */
export const slotsOf = (
  from: number,
  to: number,
  grainMs: number,
): { minute: number; from: number; to: number }[] => {
  const slots: { minute: number; from: number; to: number }[] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(to, Math.floor(start / grainMs) * grainMs + grainMs);
    slots.push({ minute: minuteOf(start), from: start, to: end });
    start = end;
  }
  return slots;
};

/**
 * Divides a step among minutes: evenly over time up to a gap of 2 h (marked as estimated beyond `holdMs`), a longer one
 * into one unallocated part for each local day. The parts add up to the whole.
 */
export const allocate = (
  step: EnergyStep,
  holdMs: number,
  zone: string,
  grainMs: number = minuteMs,
): MinuteEnergy[] => {
  const { from, to, kWh, flags } = step;
  const span = to - from;
  if (span <= 0) return [{ minute: minuteOf(to), kWh, flags }];
  if (span > longestSpreadMs) return dayShares(step, zone);
  const marked = flags | (span > holdMs ? energyFlags.estimated : 0);
  return slotsOf(from, to, grainMs).map((slot) => ({
    minute: slot.minute,
    kWh: (kWh * (slot.to - slot.from)) / span,
    flags: marked,
  }));
};
