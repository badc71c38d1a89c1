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
export interface Chain {
  steps: EnergyStep[];
  /** The last register value that was believed: what the next one is compared with. */
  last: RegisterReading | null;
}

/** Bits of `energy_flags`. */
export const energyFlags = { estimated: 1, reset: 2, integrated: 4, spike: 8, unallocated: 16 } as const;

/** The register rolls over here, kWh. */
export const registerModulus = 1_000_000;
const jitterKWh = 0.05;
const hourMs = 3_600_000;
export const minuteMs = 60_000;
/** Up to so long a gap is filled evenly. */
export const longestSpreadMs = 2 * hourMs;

/** The most that can have gone through, kWh. Source: domain reference §5.1. */
const capOf = (prev: RegisterReading, cur: RegisterReading, maxKW: number) =>
  (1.2 * maxKW * (cur.at - prev.at)) / hourMs + 0.1;

type Delta = { kWh: number; flags: number; believed: boolean };

/**
 * What went through between two register values: a small decrease is jitter and not believed, a decrease from near the
 * end of the register to near its beginning a rollover, any other a reset that counts from zero; more than the line can
 * carry is a spike and not believed. Source: domain reference §5.1.
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
  if (prev.kWh > 0.9 * registerModulus && cur.kWh < 0.1 * registerModulus && rolled <= cap)
    return { kWh: rolled, flags: 0, believed: true };
  return { kWh: Math.min(cur.kWh, cap), flags: energyFlags.reset, believed: true };
};

const byTime = (a: { at: number }, b: { at: number }) => a.at - b.at;

/**
 * Steps between the believed values of a register, whatever order the readings come in. `base` is the value believed
 * before the first; with it a chain may be cut anywhere and goes on the same. Spikes come as steps of no energy.
 */
export const chainRegister = (
  base: RegisterReading | null,
  readings: readonly RegisterReading[],
  maxKW: number,
): Chain => {
  const steps: EnergyStep[] = [];
  let last = base;
  for (const reading of [...readings].sort(byTime)) {
    if (last === null) {
      last = reading;
      continue;
    }
    const { kWh, flags, believed } = registerDelta(last, reading, maxKW);
    if (believed) {
      steps.push({ from: last.at, to: reading.at, kWh, flags });
      last = reading;
    } else if (flags !== 0) steps.push({ from: reading.at, to: reading.at, kWh: 0, flags });
  }
  return { steps, last };
};

/** Energy of a line without a register: power integrated by trapezoids, where readings are at most `holdMs` apart. */
export const integratePower = (
  readings: readonly { at: number; watts: number }[],
  holdMs: number,
): EnergyStep[] => {
  const sorted = [...readings].sort(byTime);
  return sorted.slice(1).flatMap((cur, index) => {
    const prev = sorted[index]!;
    if (cur.at - prev.at > holdMs) return [];
    const kWh = (((prev.watts + cur.watts) / 2000) * (cur.at - prev.at)) / hourMs;
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
 * Divides a step among minutes: evenly over time up to a gap of 2 h (marked as estimated beyond `holdMs`), a longer one
 * into one unallocated part for each local day. The parts add up to the whole.
 */
export const allocate = (step: EnergyStep, holdMs: number, zone: string): MinuteEnergy[] => {
  const { from, to, kWh, flags } = step;
  const span = to - from;
  if (span <= 0) return [{ minute: minuteOf(to), kWh, flags }];
  if (span > longestSpreadMs) return dayShares(step, zone);
  const marked = flags | (span > holdMs ? energyFlags.estimated : 0);
  const parts: MinuteEnergy[] = [];
  for (let minute = minuteOf(from); minute < to; minute += minuteMs) {
    const covered = Math.min(to, minute + minuteMs) - Math.max(from, minute);
    parts.push({ minute, kWh: (kWh * covered) / span, flags: marked });
  }
  return parts;
};
