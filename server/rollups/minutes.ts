import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { RollupTable } from '#database/tables/readings.ts';
import {
  allocate,
  type Chain,
  chainRegister,
  integratePower,
  minuteMs,
  minuteOf,
  type RegisterReading,
  undecided,
} from './energy.ts';

/** What the figures of a line depend on beside its readings. */
export interface LineTraits {
  type: DeviceType;
  uploadSeconds: number;
  zone: string;
  /** The most power that the line can carry: by its rating, or more where its register proved it. */
  maxKW: number;
}
export interface RawReading {
  at: number;
  energy: number | null;
  channels: readonly (number | null)[];
}
/** As the tables hold it, in milliseconds. */
export interface Minute extends Omit<RollupTable, 'line_id' | 'bucket' | 'first_at' | 'last_at'> {
  bucket: number;
  first_at: number | null;
  last_at: number | null;
}

const indexes = (pattern: RegExp) => (type: DeviceType) =>
  lineChannels[type].flatMap((name, index) => (pattern.test(name) ? [index] : []));
/** Of a filter its output counts: what the site consumes. */
const quantities = {
  power: indexes(/^(out\.)?P\.t$/),
  current: indexes(/^(out\.)?I\.[abc]$/),
  voltage: indexes(/^(out\.)?U\.[abc]$/),
  leakage: indexes(/^IL$/),
  temperature: indexes(/^T\./),
};

/** Readings further apart than this leave a gap. */
export const holdMsOf = ({ uploadSeconds }: LineTraits): number => Math.max(3 * uploadSeconds, 120) * 1000;

const empty = (bucket: number): Minute => ({
  bucket,
  samples: 0,
  covered_s: 0,
  energy_kwh: 0,
  energy_flags: 0,
  power_min: null,
  power_avg: null,
  power_max: null,
  current_max: null,
  voltage_min: null,
  voltage_max: null,
  leakage_max: null,
  temperature_max: null,
  energy_first: null,
  energy_last: null,
  first_at: null,
  last_at: null,
});
const lowest = (known: number | null, given: number) => (known === null ? given : Math.min(known, given));
const highest = (known: number | null, given: number) => (known === null ? given : Math.max(known, given));

/**
 * The figures of the minutes in [start, end), from the line's readings there, those `holdMs` before and some after, and
 * the register value believed before `start`. `energy_last` at `last_at` is the last believed value of a minute; `maxKW`
 * is the most power that the register proves now.
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
  const sorted = [...readings].sort((a, b) => a.at - b.at);
  const powered = new Map<number, number>();

  sorted.forEach((reading, index) => {
    const minute = at(reading.at);
    if (minute) sample(minute, traits.type, reading.channels, powered);
    const before = sorted[index - 1];
    if (!before || reading.at - before.at > holdMs) return;
    for (let from = before.at; from < reading.at; ) {
      const until = Math.min(reading.at, minuteOf(from) + minuteMs);
      const covered = at(from);
      if (covered) covered.covered_s += (until - from) / 1000;
      from = until;
    }
  });

  const registers = sorted.flatMap(({ at, energy }) =>
    energy !== null && at >= window.start ? [{ at, kWh: energy }] : [],
  );
  const [power] = quantities.power(traits.type);
  const hasRegister = base !== null || registers.length > 0;
  const start = base && { last: base, suspects: [], maxKW: traits.maxKW };
  const chain = chainRegister(start, registers, traits.maxKW);
  noteBelieved(chain, base, registers, at);
  const steps = hasRegister
    ? [...chain.steps, ...undecided(chain)]
    : integratePower(
        sorted.flatMap((reading) => {
          const watts = power === undefined ? null : reading.channels[power];
          return watts === null || watts === undefined ? [] : [{ at: reading.at, watts }];
        }),
        holdMs,
      );
  for (const step of steps)
    for (const part of allocate(step, holdMs, traits.zone)) {
      const minute = at(part.minute);
      if (!minute) continue;
      minute.energy_kwh += part.kWh;
      minute.energy_flags |= part.flags;
    }
  return {
    minutes: [...minutes.values()].sort((a, b) => a.bucket - b.bucket),
    maxKW: chain.state?.maxKW ?? traits.maxKW,
  };
};

const sample = (
  minute: Minute,
  type: DeviceType,
  channels: readonly (number | null)[],
  powered: Map<number, number>,
) => {
  const told = (quantity: keyof typeof quantities) =>
    quantities[quantity](type).flatMap((index) => channels[index] ?? []);
  for (const watts of told('power')) {
    minute.power_min = lowest(minute.power_min, watts);
    minute.power_max = highest(minute.power_max, watts);
    const known = powered.get(minute.bucket) ?? 0;
    minute.power_avg = ((minute.power_avg ?? 0) * known + watts) / (known + 1);
    powered.set(minute.bucket, known + 1);
  }
  for (const amperes of told('current')) minute.current_max = highest(minute.current_max, amperes);
  for (const volts of told('voltage')) {
    minute.voltage_min = lowest(minute.voltage_min, volts);
    minute.voltage_max = highest(minute.voltage_max, volts);
  }
  for (const milliamperes of told('leakage')) minute.leakage_max = highest(minute.leakage_max, milliamperes);
  for (const celsius of told('temperature'))
    minute.temperature_max = highest(minute.temperature_max, celsius);
  minute.samples++;
};

/** Notes in each minute the first and last value of the register that is believed there. */
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
