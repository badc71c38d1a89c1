import { DateTime } from 'luxon';
import { firstAfter } from '#server/core/zone.ts';

/** One value of a line's cumulative register, kWh, at a device time in ms. */
export interface RegisterReading {
  at: number;
  kWh: number;
}
/** Energy between two instants; `flags` as in `energyFlags`. */
export interface EnergyStep {
  from: number;
  to: number;
  kWh: number;
  flags: number;
}
/** The state of a chain; it continues identically from here, wherever it was cut. */
export interface ChainState {
  /** The last accepted register value, with which the next one is compared. */
  last: RegisterReading;
  /** Later values that rise faster than the line can carry, not decided yet. */
  suspects: readonly RegisterReading[];
  /** The highest power of the line, kW: by its rating, or higher if its register proves it. */
  maxKW: number;
}
interface Chain {
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
/**
 * A line that reports less often has no figures by minute: its steps are divided among quarters of an hour.
 */
const seldomSeconds = 300;
export const grainMsOf = (uploadSeconds: number): number =>
  uploadSeconds >= seldomSeconds ? quarterMs : minuteMs;
/** Gaps up to this length are divided evenly. */
const longestSpreadMs = 2 * hourMs;
/** This many consecutive values above the cap decide: the rating is wrong, or the register was set anew. */
const decidingValues = 3;
/** A rise above this multiple of the rating is not energy if the values after it rise within the rating. */
const jumpRatio = 10;
/** The maximum of the instruments of these devices, kW. Source: domain reference §1.1, `P`. */
const instrumentKW = 600;
const capMargin = 1.2;
const capKWh = 0.1;

const hoursBetween = (from: RegisterReading, to: RegisterReading) => (to.at - from.at) / hourMs;
/** The maximum possible energy, kWh. Source: domain reference §5.1. */
const capOf = (prev: RegisterReading, cur: RegisterReading, maxKW: number) =>
  capMargin * maxKW * hoursBetween(prev, cur) + capKWh;
/** The smallest power whose cap allows a rise, kW. */
const neededKW = (prev: RegisterReading, cur: RegisterReading) =>
  cur.at > prev.at ? (cur.kWh - prev.kWh - capKWh) / (capMargin * hoursBetween(prev, cur)) : 0;

type Delta = { kWh: number; flags: number; believed: boolean };

/**
 * Energy between two register values: a small decrease is jitter and ignored, a decrease from near the end of
 * the register to near its beginning is a rollover (flagged beyond the rating), and any other decrease is a
 * reset that counts from zero; a rise beyond what the line can carry is a spike and ignored. Source: domain
 * reference §5.1.
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
/** The step of an ignored value: it has no energy, and is flagged as a spike. */
const spikeAt = ({ at }: RegisterReading): EnergyStep => ({
  from: at,
  to: at,
  kWh: 0,
  flags: energyFlags.spike,
});
/**
 * Decides about consecutive values above the cap. They are energy of a line with too low a rating, counted in
 * full and flagged. Exception: if the first rise is more than an instrument measures, or far beyond the
 * rating while later values rise within the rating, the register was set anew and the first rise is not
 * energy.
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

/** Continues a chain with its next value in time, and adds the steps that it decides to `steps`. */
export const continueChain = (
  state: ChainState | null,
  reading: RegisterReading,
  maxKW: number,
  steps: EnergyStep[],
): ChainState => {
  if (state === null) return { last: reading, suspects: [], maxKW };
  const { last, suspects } = state;
  const { kWh, flags, believed } = registerDelta(last, reading, state.maxKW);
  if (believed) {
    for (const suspect of suspects) steps.push(spikeAt(suspect));
    steps.push({ from: last.at, to: reading.at, kWh, flags });
    return { last: reading, suspects: suspects.length === 0 ? suspects : [], maxKW: state.maxKW };
  }
  if (flags === 0) return state;
  const falls = suspects.some((suspect) => suspect.kWh > reading.kWh);
  if (falls) for (const suspect of suspects) steps.push(spikeAt(suspect));
  const next = { ...state, suspects: falls ? [reading] : [...suspects, reading] };
  if (next.suspects.length < decidingValues) return next;
  const decided = decide(next);
  steps.push(...decided.steps);
  return decided.state;
};

/**
 * Steps between the accepted values of a register, for readings in any order, continuing from `start`. Values
 * above the cap wait until a later one is plausible (then they were spikes) or three consecutive ones never
 * fall.
 */
export const chainRegister = (
  start: ChainState | null,
  readings: readonly RegisterReading[],
  maxKW: number,
): Chain => {
  const steps: EnergyStep[] = [];
  let state = start;
  for (const reading of [...readings].sort(byTime)) state = continueChain(state, reading, maxKW, steps);
  return { steps, state };
};

/**
 * Energy of a line without a register: power integrated by trapezoids, between readings that are at most
 * `holdMs` apart. Reverse power is not consumption and counts as zero, as in a register of active energy.
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

/** From this time on a device has another owner, or none; its days are those of this time zone. */
export interface OwnedFrom {
  at: number;
  zone: string;
}

/** Whether the energy of a gap is not divided evenly. */
export const isLong = ({ from, to }: EnergyStep): boolean => to - from > longestSpreadMs;

/**
 * Where the energy of a long gap is stored: one minute for each owner and local day of that owner, at the end of the
 * gap's part of that day.
 */
const dayShares = (
  { from, to, kWh, flags }: EnergyStep,
  zone: string,
  given: readonly OwnedFrom[],
): MinuteEnergy[] => {
  const shares: MinuteEnergy[] = [];
  // A quarter of an hour belongs to the owner at its beginning.
  const owners = given.map((each) => ({ ...each, at: Math.ceil(each.at / quarterMs) * quarterMs }));
  for (let start = from; start < to; ) {
    const owner = owners.findLast(({ at }) => at <= start);
    const day = DateTime.fromMillis(start, { zone: owner?.zone ?? zone });
    const end = Math.min(
      to,
      firstAfter('day', day).toMillis(),
      ...owners.map(({ at }) => at).filter((at) => at > start),
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

interface MinuteEnergy {
  minute: number;
  kWh: number;
  flags: number;
}

/**
 * Whether the period lies in one slot. Most periods do, and building the list of `slotsOf` would cost more
 * than this check.
 */
export const isOneSlot = (from: number, to: number, grainMs: number): boolean =>
  to <= Math.floor(from / grainMs) * grainMs + grainMs;

/**
 * Divides a period among minutes, or among quarters of an hour if `grainMs` requires it; such a part belongs
 * to the minute in which it begins.
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
 * Divides a step among minutes: evenly over time for gaps up to 2 h (marked as estimated beyond `holdMs`), a
 * longer one into one unallocated part for each owner and local day. `owners`: the owners of the device in order of
 * time. The parts add up to the whole.
 */
export const allocate = (
  step: EnergyStep,
  holdMs: number,
  zone: string,
  grainMs: number = minuteMs,
  owners: readonly OwnedFrom[] = [],
): MinuteEnergy[] => {
  const { from, to, kWh, flags } = step;
  const span = to - from;
  if (span <= 0) return [{ minute: minuteOf(to), kWh, flags }];
  if (isLong(step)) return dayShares(step, zone, owners);
  const marked = flags | (span > holdMs ? energyFlags.estimated : 0);
  if (isOneSlot(from, to, grainMs))
    return [{ minute: minuteOf(from), kWh: (kWh * span) / span, flags: marked }];
  return slotsOf(from, to, grainMs).map((slot) => ({
    minute: slot.minute,
    kWh: (kWh * (slot.to - slot.from)) / span,
    flags: marked,
  }));
};
