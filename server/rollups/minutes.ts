import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { RollupTable } from '#database/tables/readings.ts';
import {
  allocate,
  type Chain,
  chainRegister,
  energyFlags,
  grainMsOf,
  integratePower,
  minuteOf,
  type RegisterReading,
  slotsOf,
  undecided,
} from './energy.ts';

/** Facts of a line that its figures depend on, besides its readings. */
export interface LineTraits {
  type: DeviceType;
  uploadSeconds: number;
  zone: string;
  /** The highest power of the line: by its rating, or higher if its register proved it. */
  maxKW: number;
}
export interface RawReading {
  at: number;
  energy: number | null;
  channels: readonly (number | null)[];
}
/** In the form of the tables, with times in milliseconds. */
export interface Minute extends Omit<RollupTable, 'line_id' | 'bucket' | 'first_at' | 'last_at'> {
  bucket: number;
  first_at: number | null;
  last_at: number | null;
}

const indexes = (pattern: RegExp): ((type: DeviceType) => readonly number[]) => {
  const known = new Map<DeviceType, readonly number[]>();
  return (type) => {
    const found =
      known.get(type) ?? lineChannels[type].flatMap((name, index) => (pattern.test(name) ? [index] : []));
    known.set(type, found);
    return found;
  };
};
/** For a filter its output counts: the consumption of the site. */
const quantities = {
  power: indexes(/^(out\.)?P\.t$/),
  current: indexes(/^(out\.)?I\.[abc]$/),
  voltage: indexes(/^(out\.)?U\.[abc]$/),
  leakage: indexes(/^IL$/),
  temperature: indexes(/^T\./),
};
/** Unweighted means: all readings of one minute count alike. */
const means = {
  power_avg: quantities.power,
  current_a: indexes(/^(out\.)?I\.a$/),
  current_b: indexes(/^(out\.)?I\.b$/),
  current_c: indexes(/^(out\.)?I\.c$/),
};
const meanNames = Object.keys(means) as (keyof typeof means)[];
/** Input minus output of a filter. */
const portPowers = (type: DeviceType) => ({
  input: lineChannels[type].indexOf('in.P.t'),
  output: lineChannels[type].indexOf('out.P.t'),
});

/** Readings further apart than this leave a gap. */
export const holdMsOf = ({ uploadSeconds }: LineTraits): number => Math.max(3 * uploadSeconds, 120) * 1000;

const empty = (bucket: number): Minute => ({
  bucket,
  samples: 0,
  covered_s: 0,
  energy_kwh: 0,
  energy_flags: 0,
  estimated_kwh: 0,
  corrected_kwh: 0,
  loss_kwh: null,
  resets: 0,
  power_min: null,
  power_avg: null,
  power_max: null,
  current_max: null,
  current_a: null,
  current_b: null,
  current_c: null,
  voltage_min: null,
  voltage_max: null,
  leakage_max: null,
  temperature_max: null,
  energy_first: null,
  energy_last: null,
  first_at: null,
  last_at: null,
});
type Channels = readonly (number | null)[];
// Runs for every reading: loops that allocate nothing cost a fifth of arrays here.
const lowest = (known: number | null, channels: Channels, places: readonly number[]) => {
  let found = known;
  for (const place of places) {
    const value = channels[place] ?? null;
    if (value !== null) found = found === null ? value : Math.min(found, value);
  }
  return found;
};
const highest = (known: number | null, channels: Channels, places: readonly number[]) => {
  let found = known;
  for (const place of places) {
    const value = channels[place] ?? null;
    if (value !== null) found = found === null ? value : Math.max(found, value);
  }
  return found;
};

/**
 * The figures of the minutes in [start, end), from the line's readings there, those `holdMs` before and some
 * after, and the register value accepted before `start`. `energy_last` at `last_at` is the last accepted
 * value of a minute; `maxKW` is the highest power that the register now proves.
 */
export const minutesOf = (
  traits: LineTraits,
  window: { start: number; end: number },
  base: RegisterReading | null,
  readings: readonly RawReading[],
): { minutes: Minute[]; maxKW: number } => {
  const minutes = new Map<number, Minute>();
  const holdMs = holdMsOf(traits);
  const at = (instant: number): Minute | null => {
    if (instant < window.start || instant >= window.end) return null;
    const bucket = minuteOf(instant);
    const minute = minutes.get(bucket) ?? empty(bucket);
    minutes.set(bucket, minute);
    return minute;
  };
  const grainMs = grainMsOf(traits.uploadSeconds);
  const sorted = [...readings].sort((a, b) => a.at - b.at);
  const counts = new Map<Minute, number[]>();
  sorted.forEach((reading, index) => {
    const minute = at(reading.at);
    if (minute) {
      const counted = counts.get(minute) ?? meanNames.map(() => 0);
      counts.set(minute, counted);
      sample(minute, traits.type, reading.channels, counted);
    }
    const before = sorted[index - 1];
    if (!before || reading.at - before.at > holdMs) return;
    for (const slot of slotsOf(before.at, reading.at, grainMs)) {
      const covered = at(slot.minute);
      if (covered) covered.covered_s += (slot.to - slot.from) / 1000;
    }
    noteLoss(traits.type, before, reading, grainMs, at);
  });

  const registers = sorted.flatMap(({ at, energy }) =>
    energy !== null && at >= window.start ? [{ at, kWh: energy }] : [],
  );
  const hasRegister = base !== null || registers.length > 0;
  const start = base && { last: base, suspects: [], maxKW: traits.maxKW };
  const chain = chainRegister(start, registers, traits.maxKW);
  noteBelieved(chain, base, registers, at);
  const steps = hasRegister
    ? [...chain.steps, ...undecided(chain)]
    : integratePower(powersOf(traits.type, sorted), holdMs);
  for (const step of steps) {
    for (const part of allocate(step, holdMs, traits.zone, grainMs)) {
      const minute = at(part.minute);
      if (!minute) continue;
      minute.energy_kwh += part.kWh;
      minute.energy_flags |= part.flags;
      if ((part.flags & guessed) !== 0) minute.estimated_kwh += part.kWh;
    }
    const reset = (step.flags & energyFlags.reset) === 0 ? null : at(step.to);
    if (reset) reset.resets++;
  }
  return {
    minutes: [...minutes.values()].sort((a, b) => a.bucket - b.bucket),
    maxKW: chain.state?.maxKW ?? traits.maxKW,
  };
};

/** Energy with a known amount but unknown time. */
const guessed = energyFlags.estimated | energyFlags.unallocated;

const powersOf = (type: DeviceType, readings: readonly RawReading[]) => {
  const [power] = quantities.power(type);
  return readings.flatMap((reading) => {
    const watts = power === undefined ? null : reading.channels[power];
    return watts === null || watts === undefined ? [] : [{ at: reading.at, watts }];
  });
};

/** Adds a filter's loss between two readings, by trapezoid. */
const noteLoss = (
  type: DeviceType,
  before: RawReading,
  reading: RawReading,
  grainMs: number,
  at: (instant: number) => Minute | null,
) => {
  const { input, output } = portPowers(type);
  if (input < 0 || output < 0) return;
  const lossOf = ({ channels }: RawReading) => {
    const [taken, given] = [channels[input], channels[output]];
    return taken === null || taken === undefined || given === null || given === undefined
      ? null
      : taken - given;
  };
  const [first, second] = [lossOf(before), lossOf(reading)];
  if (first === null || second === null) return;
  for (const slot of slotsOf(before.at, reading.at, grainMs)) {
    const minute = at(slot.minute);
    if (minute)
      minute.loss_kwh =
        (minute.loss_kwh ?? 0) + ((first + second) / 2000) * ((slot.to - slot.from) / 3_600_000);
  }
};

/** `counted`: how many values each mean has so far. */
const sample = (minute: Minute, type: DeviceType, channels: Channels, counted: number[]) => {
  const { power, current, voltage, leakage, temperature } = quantities;
  minute.power_min = lowest(minute.power_min, channels, power(type));
  minute.power_max = highest(minute.power_max, channels, power(type));
  for (const [index, name] of meanNames.entries())
    for (const place of means[name](type)) {
      const value = channels[place] ?? null;
      if (value === null) continue;
      const known = counted[index]!;
      minute[name] = ((minute[name] ?? 0) * known + value) / (known + 1);
      counted[index] = known + 1;
    }
  minute.current_max = highest(minute.current_max, channels, current(type));
  minute.voltage_min = lowest(minute.voltage_min, channels, voltage(type));
  minute.voltage_max = highest(minute.voltage_max, channels, voltage(type));
  minute.leakage_max = highest(minute.leakage_max, channels, leakage(type));
  minute.temperature_max = highest(minute.temperature_max, channels, temperature(type));
  minute.samples++;
};

/** Stores for each minute the first and last accepted register value. */
const noteBelieved = (
  { steps }: Chain,
  base: RegisterReading | null,
  registers: readonly RegisterReading[],
  at: (instant: number) => Minute | null,
) => {
  const first = base === null ? registers[0] : undefined;
  const trusted = new Set(steps.filter((step) => step.to > step.from).map((step) => step.to));
  for (const reading of registers) {
    if (reading !== first && !trusted.has(reading.at)) continue;
    const minute = at(reading.at);
    if (!minute) continue;
    minute.energy_first ??= reading.kWh;
    minute.first_at ??= reading.at;
    minute.energy_last = reading.kWh;
    minute.last_at = reading.at;
  }
};
