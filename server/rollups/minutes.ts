import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { RollupTable } from '#database/tables/readings.ts';
import {
  allocate,
  type ChainState,
  continueChain,
  type EnergyStep,
  energyFlags,
  grainMsOf,
  integratePower,
  isLong,
  isOneSlot,
  minuteOf,
  type OwnedFrom,
  type RegisterReading,
  slotsOf,
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

const meanNames = ['power_avg', 'current_a', 'current_b', 'current_c'] as const;
/** Where a device type has its quantities among its channels. Of a filter its output counts: the consumption of the site. */
interface Places {
  power: readonly number[];
  current: readonly number[];
  voltage: readonly number[];
  leakage: readonly number[];
  temperature: readonly number[];
  /** In the order of `meanNames`; unweighted: all readings of one minute count alike. */
  means: readonly (readonly number[])[];
  /** Powers of both ports of a filter: their difference is its loss. */
  ports: { input: number; output: number } | null;
}
const findPlaces = (type: DeviceType): Places => {
  const channels = lineChannels[type];
  const indexes = (pattern: RegExp) => channels.flatMap((name, index) => (pattern.test(name) ? [index] : []));
  const power = indexes(/^(out\.)?P\.t$/);
  const ports = { input: channels.indexOf('in.P.t'), output: channels.indexOf('out.P.t') };
  return {
    power,
    current: indexes(/^(out\.)?I\.[abc]$/),
    voltage: indexes(/^(out\.)?U\.[abc]$/),
    leakage: indexes(/^IL$/),
    temperature: indexes(/^T\./),
    means: [power, indexes(/^(out\.)?I\.a$/), indexes(/^(out\.)?I\.b$/), indexes(/^(out\.)?I\.c$/)],
    ports: ports.input < 0 || ports.output < 0 ? null : ports,
  };
};
const knownPlaces = new Map<DeviceType, Places>();
const placesOf = (type: DeviceType): Places => {
  const places = knownPlaces.get(type) ?? findPlaces(type);
  knownPlaces.set(type, places);
  return places;
};

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
/**
 * Rounds to the precision of `readings.channels`, so that a reading gives the same figures before and after
 * it is stored.
 */
const valueAt = (channels: Channels, place: number): number | null => {
  const value = channels[place];
  return value === null || value === undefined ? null : Math.fround(value);
};
// Runs for every reading: a loop without allocation takes a fifth of the time of array methods.
const lowest = (known: number | null, channels: Channels, places: readonly number[]) => {
  let found = known;
  for (const place of places) {
    const value = valueAt(channels, place);
    if (value !== null) found = found === null ? value : Math.min(found, value);
  }
  return found;
};
const highest = (known: number | null, channels: Channels, places: readonly number[]) => {
  let found = known;
  for (const place of places) {
    const value = valueAt(channels, place);
    if (value !== null) found = found === null ? value : Math.max(found, value);
  }
  return found;
};
const sample = ({ minute, counted }: Open, places: Places, channels: Channels) => {
  minute.power_min = lowest(minute.power_min, channels, places.power);
  minute.power_max = highest(minute.power_max, channels, places.power);
  for (let index = 0; index < meanNames.length; index += 1)
    for (const place of places.means[index]!) {
      const value = valueAt(channels, place);
      if (value === null) continue;
      const name = meanNames[index]!;
      const known = counted[index]!;
      minute[name] = ((minute[name] ?? 0) * known + value) / (known + 1);
      counted[index] = known + 1;
    }
  minute.current_max = highest(minute.current_max, channels, places.current);
  minute.voltage_min = lowest(minute.voltage_min, channels, places.voltage);
  minute.voltage_max = highest(minute.voltage_max, channels, places.voltage);
  minute.leakage_max = highest(minute.leakage_max, channels, places.leakage);
  minute.temperature_max = highest(minute.temperature_max, channels, places.temperature);
  minute.samples += 1;
};

/**
 * Rounds as the columns do. If PostgreSQL rounded the decimal text, a mean halfway between two values could
 * become either.
 */
const rounded = (minute: Minute): Minute => {
  const copy = { ...minute, covered_s: Math.fround(minute.covered_s) };
  for (const name of meanNames) {
    const mean = copy[name];
    if (mean !== null) copy[name] = Math.fround(mean);
  }
  return copy;
};
/** Energy with a known amount but unknown time. */
const guessed = energyFlags.estimated | energyFlags.unallocated;

interface Open {
  minute: Minute;
  /** How many values each mean has so far. */
  counted: number[];
  /** The minute has changed since the last `handOut`. */
  changed: boolean;
}

/**
 * The figures of a line's minutes in [start, end), added up reading by reading in order of time. `energy_last`
 * and `last_at`: the last accepted register value of the minute.
 */
export class MinuteSums {
  readonly traits: LineTraits;
  readonly #places: Places;
  readonly #holdMs: number;
  readonly #grainMs: number;
  readonly #hasRegister: boolean;
  /** Earlier readings count only for the coverage. */
  readonly #from: number;
  readonly #end: number;
  #start: number;
  /** In order of time. */
  #open: Open[] = [];
  #chain: ChainState | null;
  #lastAt = Number.NEGATIVE_INFINITY;
  #lastLoss: number | null = null;
  #lastPower: { at: number; watts: number } | null = null;
  readonly #owners: readonly OwnedFrom[];
  #hasLong = false;
  /** Whether part of the energy belongs to a minute before `#start`, which is not kept here. */
  #missed = false;

  /**
   * `base`: the register value accepted before `start`. A line without any register value is integrated from
   * its power. `owners`: the owners of its device, if the energy of a long gap is to be divided.
   */
  constructor(
    traits: LineTraits,
    { start, end }: { start: number; end: number },
    base: RegisterReading | null,
    hasRegister: boolean,
    owners: readonly OwnedFrom[] = [],
  ) {
    this.#owners = owners;
    this.traits = traits;
    this.#places = placesOf(traits.type);
    this.#holdMs = holdMsOf(traits);
    this.#grainMs = grainMsOf(traits.uploadSeconds);
    this.#hasRegister = hasRegister;
    this.#from = start;
    this.#start = start;
    this.#end = end;
    this.#chain = base && { last: base, suspects: [], maxKW: traits.maxKW };
  }

  /** Whether there was a long gap, which is divided at changes of the owner. */
  get hasLongGap(): boolean {
    return this.#hasLong;
  }
  /** How many minutes are kept. */
  get size(): number {
    return this.#open.length;
  }
  get isHandedOut(): boolean {
    return this.#open.every(({ changed }) => !changed);
  }
  get lastAt(): number {
    return this.#lastAt;
  }
  /** The highest power that the register now proves. */
  get maxKW(): number {
    return this.#chain?.maxKW ?? this.traits.maxKW;
  }

  take({ at, energy, channels }: RawReading): void {
    const open = this.#at(at);
    if (open) sample(open, this.#places, channels);
    const isNear = at - this.#lastAt <= this.#holdMs;
    if (isNear) this.#cover(this.#lastAt, at);
    if (this.#places.ports) this.#noteLoss(this.#places.ports, at, channels, isNear);
    this.#lastAt = at;
    if (!this.#hasRegister) this.#integrate(at, channels);
    else if (energy !== null && at >= this.#from) this.#chainOn({ at, kWh: energy });
  }

  /** Takes readings in order of time. Undecided register values are marked as spikes until later ones decide. */
  minutes(): Minute[] {
    const suspected = new Set(this.#chain?.suspects.map((suspect) => minuteOf(suspect.at)));
    return this.#open.map(({ minute }) =>
      suspected.has(minute.bucket)
        ? { ...rounded(minute), energy_flags: minute.energy_flags | energyFlags.spike }
        : rounded(minute),
    );
  }

  /** Whether the minutes from `since` on are complete, so that later readings can be added. */
  isWholeFrom(since: number): boolean {
    const { suspects, maxKW } = this.#chain ?? {};
    return (
      this.#hasRegister &&
      !this.#missed &&
      !this.#hasLong &&
      this.#start <= since &&
      suspects?.length === 0 &&
      maxKW === this.traits.maxKW
    );
  }
  /** How many readings the minutes in [since, until) have. */
  samplesIn(since: number, until: number): number {
    let samples = 0;
    for (const { minute } of this.#open)
      if (minute.bucket >= since && minute.bucket < until) samples += minute.samples;
    return samples;
  }
  /** The minutes before `until` that have changed since the last call. */
  handOut(until: number): Minute[] {
    const minutes: Minute[] = [];
    for (const open of this.#open) {
      if (!open.changed || open.minute.bucket >= until) continue;
      minutes.push(rounded(open.minute));
      open.changed = false;
    }
    return minutes;
  }
  /** After all minutes are stored: removes those before `until` that later readings cannot change. */
  forget(until: number): void {
    const start = Math.min(until, minuteOf(this.#lastAt), minuteOf(this.#chain?.last.at ?? until));
    this.#open = this.#open.filter(({ minute }) => minute.bucket >= start);
    this.#start = Math.max(this.#start, start);
  }
  /**
   * After every minute is stored together with the readings that are missing here: nothing counts as changed or
   * missing.
   */
  settle(until: number): void {
    for (const open of this.#open) open.changed = false;
    this.#missed = false;
    this.#hasLong = false;
    this.forget(until);
  }

  #at(instant: number): Open | null {
    if (instant < this.#start || instant >= this.#end) {
      this.#missed ||= instant < this.#start;
      return null;
    }
    const bucket = minuteOf(instant);
    let index = this.#open.length;
    while (index > 0 && this.#open[index - 1]!.minute.bucket > bucket) index -= 1;
    const known = this.#open[index - 1];
    if (known?.minute.bucket === bucket) {
      known.changed = true;
      return known;
    }
    const open = { minute: empty(bucket), counted: [0, 0, 0, 0], changed: true };
    this.#open.splice(index, 0, open);
    return open;
  }

  #cover(from: number, to: number): void {
    if (isOneSlot(from, to, this.#grainMs)) {
      const open = this.#at(from);
      if (open) open.minute.covered_s += (to - from) / 1000;
      return;
    }
    for (const slot of slotsOf(from, to, this.#grainMs)) {
      const open = this.#at(slot.minute);
      if (open) open.minute.covered_s += (slot.to - slot.from) / 1000;
    }
  }

  /** Adds a filter's loss since the reading before, by trapezoid. */
  #noteLoss(
    { input, output }: { input: number; output: number },
    at: number,
    channels: Channels,
    isNear: boolean,
  ): void {
    const [taken, given] = [valueAt(channels, input), valueAt(channels, output)];
    const loss = taken === null || given === null ? null : taken - given;
    const before = this.#lastLoss;
    this.#lastLoss = loss;
    if (!isNear || loss === null || before === null) return;
    for (const slot of slotsOf(this.#lastAt, at, this.#grainMs)) {
      const open = this.#at(slot.minute);
      if (open)
        open.minute.loss_kwh =
          (open.minute.loss_kwh ?? 0) + ((before + loss) / 2000) * ((slot.to - slot.from) / 3_600_000);
    }
  }

  #integrate(at: number, channels: Channels): void {
    const [place] = this.#places.power;
    const watts = place === undefined ? null : valueAt(channels, place);
    if (watts === null) return;
    const before = this.#lastPower;
    this.#lastPower = { at, watts };
    if (before) for (const step of integratePower([before, this.#lastPower], this.#holdMs)) this.#spend(step);
  }

  #chainOn(reading: RegisterReading): void {
    const steps: EnergyStep[] = [];
    const suspects = this.#chain?.suspects ?? [];
    this.#chain = continueChain(this.#chain, reading, this.traits.maxKW, steps);
    for (const step of steps) this.#spend(step);
    // Several are accepted at once when suspects are decided.
    for (const suspect of suspects)
      if (steps.some((step) => step.to === suspect.at && step.to > step.from)) this.#noteAccepted(suspect);
    if (this.#chain.last === reading) this.#noteAccepted(reading);
  }

  #noteAccepted({ at, kWh }: RegisterReading): void {
    const minute = this.#at(at)?.minute;
    if (!minute) return;
    minute.energy_first ??= kWh;
    minute.first_at ??= at;
    minute.energy_last = kWh;
    minute.last_at = at;
  }

  #spend(step: EnergyStep): void {
    this.#hasLong ||= isLong(step);
    for (const part of allocate(step, this.#holdMs, this.traits.zone, this.#grainMs, this.#owners)) {
      const minute = this.#at(part.minute)?.minute;
      if (!minute) continue;
      minute.energy_kwh += part.kWh;
      minute.energy_flags |= part.flags;
      if ((part.flags & guessed) !== 0) minute.estimated_kwh += part.kWh;
    }
    if ((step.flags & energyFlags.reset) === 0) return;
    const open = this.#at(step.to);
    if (open) open.minute.resets += 1;
  }
}

/**
 * The sums of the minutes in a window, from the line's readings there, those `holdMs` before and some after,
 * and the register value accepted before it.
 */
export const sumsOf = (
  traits: LineTraits,
  window: { start: number; end: number },
  base: RegisterReading | null,
  readings: readonly RawReading[],
  owners: readonly OwnedFrom[] = [],
): MinuteSums => {
  const hasRegister =
    base !== null || readings.some(({ at, energy }) => energy !== null && at >= window.start);
  const sums = new MinuteSums(traits, window, base, hasRegister, owners);
  for (const reading of [...readings].sort((a, b) => a.at - b.at)) sums.take(reading);
  return sums;
};
