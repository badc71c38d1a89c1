import { Buckets, type Rollup } from './buckets.ts';
import {
  blankMeasured,
  channelsOf,
  type LineNature,
  type Measured,
  measure,
  nominalVoltage,
  type Surroundings,
} from './line.ts';
import { ambientAt, type LoadProfile, loadShare, localDayStart, localHour, localMonthStart } from './load.ts';
import type { Random } from './random.ts';

export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const minuteMs = 60_000;
export const quarterMs = 15 * minuteMs;
export const uploadSeconds = 30;
const stepMs = uploadSeconds * 1000;
export const historyDays = 60;
const hoursKeptMs = 15 * dayMs;
const quartersKeptMs = 5 * dayMs;
const minutesKeptMs = dayMs;
const rawKeptMs = 3 * hourMs;

/** [from, to): period in which the line was open. */
export type OpenSpan = readonly [from: number, to: number];
interface WalkLine {
  lineId: number;
  nature: LineNature;
  profile: LoadProfile;
  open: readonly OpenSpan[];
  /** kWh at the beginning of history. */
  register: number;
}
export interface Sink {
  reading(
    lineId: number,
    at: number,
    seq: number,
    register: number,
    closed: boolean,
    channels: number[],
  ): void;
  minute(lineId: number, row: Rollup): void;
  quarter(lineId: number, row: Rollup): void;
  hour(lineId: number, row: Rollup): void;
  day(lineId: number, row: Rollup): void;
  month(lineId: number, row: Rollup): void;
  /**
   * Receives the energy of a quarter of an hour or a whole hour of the 60 days, for the load of the project.
   */
  load(from: number, spanMs: number, coveredSeconds: number, energy: number): void;
}
export interface LineEnd {
  lineId: number;
  at: number;
  seq: number;
  register: number;
  closed: boolean;
  channels: number[];
}

/** The register has hundredths, and is cut off, not rounded. */
const shown = (energy: number) => Math.floor(energy * 100 + 1e-6) / 100;

const openShare = (open: readonly OpenSpan[], from: number, to: number): number => {
  let covered = 0;
  for (const [a, b] of open) covered += Math.max(0, Math.min(b, to) - Math.max(a, from));
  return covered / (to - from);
};
const isOpen = (open: readonly OpenSpan[], at: number) => open.some(([from, to]) => at >= from && at < to);

const extremesOf = (measured: Measured, three: boolean) => {
  const { volts, amps, terminals } = measured;
  return three
    ? {
        low: Math.min(...volts),
        high: Math.max(...volts),
        amps: Math.max(...amps),
        heat: Math.max(...terminals),
      }
    : { low: volts[0], high: volts[0], amps: amps[0], heat: terminals[0] };
};

/** The latest sample at or before `end` of a device that uploads at this offset within its interval. */
const lastSampleAt = (end: number, offsetMs: number): number =>
  Math.floor((end - offsetMs) / stepMs) * stepMs + offsetMs;

/**
 * Generates the history of a device's lines from 60 days before `now` to `end`: by the hour, and by upload on
 * the last day. The output is consistent: a bucket's energy is the increase of the register in it, steps
 * across its edges are divided evenly over time, and coarser buckets are sums of finer ones.
 */
export const walkDevice = (
  lines: readonly WalkLine[],
  span: { now: number; end: number; offsetMs: number; keepsRaw: (lineId: number, at: number) => boolean },
  random: Random,
  sink: Sink,
): LineEnd[] => {
  const { now, end, offsetMs, keepsRaw } = span;
  const from = localDayStart(now) - historyDays * dayMs;
  const fineFrom = Math.floor((end - minutesKeptMs) / hourMs) * hourMs;
  const hoursFrom = end - hoursKeptMs;
  const quartersFrom = localDayStart(end - quartersKeptMs);
  const around: { -readonly [Key in keyof Surroundings]: Surroundings[Key] } = {
    ambient: 25,
    humidity: 60,
    source: [nominalVoltage, nominalVoltage, nominalVoltage],
    hertz: 50,
  };
  let wander = 0;
  let humidity = random.between(50, 70);
  const stepAround = (at: number, seconds: number) => {
    const keep = Math.exp(-seconds / 600);
    wander = wander * keep + 0.006 * Math.sqrt(1 - keep * keep) * random.normal();
    const damp = Math.exp(-seconds / 7200);
    humidity = 65 + (humidity - 65) * damp + 7 * Math.sqrt(1 - damp * damp) * random.normal();
    const base = nominalVoltage * (1 + wander - 0.012 * Math.cos((2 * Math.PI * (localHour(at) - 20)) / 24));
    around.source = [base, base * 1.003, base * 0.998];
    around.humidity = Math.min(90, Math.max(45, humidity));
    around.ambient = ambientAt(at);
    around.hertz = 50 + 0.012 * random.normal();
  };

  const walkers = lines.map((line) => {
    const months = new Buckets(localMonthStart, (row) => sink.month(line.lineId, row));
    const days = new Buckets(localDayStart, (row) => {
      sink.day(line.lineId, row);
      months.add(row);
    });
    const hours = new Buckets(
      (at) => Math.floor(at / hourMs) * hourMs,
      (row) => {
        if (row.bucket >= hoursFrom) sink.hour(line.lineId, row);
        days.add(row);
      },
    );
    const quarters = new Buckets(
      (at) => Math.floor(at / quarterMs) * quarterMs,
      (row) => {
        sink.quarter(line.lineId, row);
        sink.load(row.bucket, quarterMs, row.coveredSeconds, row.energy);
        hours.add(row);
      },
    );
    const minutes = new Buckets(
      (at) => Math.floor(at / minuteMs) * minuteMs,
      (row) => {
        sink.minute(line.lineId, row);
        quarters.add(row);
      },
    );
    return {
      line,
      months,
      days,
      hours,
      quarters,
      minutes,
      measured: blankMeasured(),
      noise: 0.08 * random.normal(),
      energy: line.register,
      register: line.register,
      registerAt: from,
    };
  });
  type Walker = (typeof walkers)[number];

  const stepNoise = (walker: Walker, keep: number) => {
    walker.noise = walker.noise * keep + 0.08 * Math.sqrt(1 - keep * keep) * random.normal();
    return walker.noise;
  };
  const hourKeep = 0.6;
  for (let hour = from; hour < Math.min(fineFrom, end); hour += hourMs) {
    stepAround(hour + hourMs / 2, 3600);
    for (const walker of walkers) {
      const { line, measured } = walker;
      const { nature } = line;
      const noise = stepNoise(walker, hourKeep);
      const open = openShare(line.open, hour, hour + hourMs);
      const full = nature.watts * loadShare(line.profile, hour + hourMs / 2, noise);
      measure(measured, nature, around, open < 1 ? full : 0, open < 1);
      const seen = extremesOf(measured, nature.three);
      const isFine = hour >= quartersFrom;
      const spanMs = isFine ? quarterMs : hourMs;
      for (let bucket = hour; bucket < hour + hourMs; bucket += spanMs) {
        const drawn = isFine ? nature.watts * loadShare(line.profile, bucket + quarterMs / 2, noise) : full;
        const watts = open === 0 ? drawn : drawn * (1 - openShare(line.open, bucket, bucket + spanMs));
        const firstAt = bucket + offsetMs;
        const lastAt = bucket + spanMs - stepMs + offsetMs;
        const registerAt = (at: number) => shown(walker.energy + (watts * (at - bucket)) / 3.6e9);
        const energyFirst = registerAt(firstAt);
        const energy = (watts * spanMs) / 3.6e9;
        walker.register = registerAt(lastAt);
        walker.registerAt = lastAt;
        walker.energy += energy;
        const row = {
          bucket,
          samples: spanMs / stepMs,
          coveredSeconds: spanMs / 1000,
          energy,
          powerMin: watts < drawn ? 0 : drawn * 0.93,
          powerSum: (watts * spanMs) / stepMs,
          powerMax: watts > 0 ? drawn * 1.08 : 0,
          currentMax: seen.amps * 1.08,
          voltageMin: seen.low - 2.4,
          voltageMax: seen.high + 2.4,
          leakageMax: measured.leakage * 1.05,
          temperatureMax: seen.heat + 1,
          energyFirst,
          energyLast: walker.register,
          firstAt,
          lastAt,
        };
        if (isFine) walker.quarters.add(row);
        else {
          sink.load(bucket, spanMs, row.coveredSeconds, energy);
          walker.hours.add(row);
        }
      }
    }
  }

  const last = lastSampleAt(end, offsetMs);
  let seq = Math.round((fineFrom - from) / stepMs);
  const fineKeep = 0.985;
  const rawFrom = Math.floor(end / hourMs) * hourMs - rawKeptMs;
  for (let at = fineFrom + offsetMs; at <= last; at += stepMs) {
    stepAround(at, uploadSeconds);
    seq += 1;
    for (const walker of walkers) {
      const { line, measured } = walker;
      const { nature } = line;
      const noise = stepNoise(walker, fineKeep);
      const closed = !isOpen(line.open, at);
      const watts = closed ? nature.watts * loadShare(line.profile, at, noise) : 0;
      measure(measured, nature, around, watts, closed);
      walker.energy += (watts * Math.min(stepMs, at - fineFrom)) / 3.6e9;
      const register = shown(walker.energy);
      const minute = Math.floor(at / minuteMs) * minuteMs;
      const grown = register - walker.register;
      const late = walker.registerAt < minute ? (at - minute) / (at - walker.registerAt) : 1;
      walker.minutes.addEnergy(grown * (1 - late));
      walker.register = register;
      walker.registerAt = at;
      const seen = extremesOf(measured, nature.three);
      walker.minutes.add({
        bucket: 0,
        samples: 1,
        coveredSeconds: uploadSeconds,
        energy: grown * late,
        powerMin: watts,
        powerSum: watts,
        powerMax: watts,
        currentMax: seen.amps,
        voltageMin: seen.low,
        voltageMax: seen.high,
        leakageMax: measured.leakage,
        temperatureMax: seen.heat,
        energyFirst: walker.register,
        energyLast: walker.register,
        firstAt: at,
        lastAt: at,
      });
      if (at >= rawFrom || keepsRaw(line.lineId, at))
        sink.reading(line.lineId, at, seq, walker.register, closed, channelsOf(nature.type, measured));
    }
  }
  return walkers.map((walker) => {
    walker.minutes.flush();
    walker.quarters.flush();
    walker.hours.flush();
    walker.days.flush();
    walker.months.flush();
    return {
      lineId: walker.line.lineId,
      at: last,
      seq,
      register: walker.register,
      closed: !isOpen(walker.line.open, last),
      channels: channelsOf(walker.line.nature.type, walker.measured),
    };
  });
};
