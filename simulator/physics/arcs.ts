import type { Random } from '../random.ts';

/** Arcing half-cycles per second on a sound line (from switching). */
export const healthyArcRate = 0.002;
/** From this many arcing half-cycles in one second, an arc that interrupts the current counts as one arc. */
export const arcEventHalfCycles = 4;

/** Arcing half-cycles in a window of `seconds`; one second at 50 Hz has 100 half-cycles. */
export const arcHalfCycles = (random: Random, ratePerSecond: number, seconds: number) =>
  Math.min(100 * Math.max(1, seconds), random.poisson(ratePerSecond * seconds));

/** Break time of an arc-fault device at 230 V in s (IEC 62606): shorter for larger currents. */
export const arcBreakSeconds = (amperes: number): number => {
  const table: [number, number][] = [
    [2.5, 1],
    [5, 0.5],
    [10, 0.25],
    [16, 0.15],
  ];
  for (const [limit, seconds] of table) if (amperes <= limit) return seconds;
  return 0.12;
};
/** Half-cycles within 0.5 s from which a parallel arc must be reported: 75 A 12, 100 A 10, 150 A and more 8. */
export const parallelArcHalfCycles = (amperes: number): number | null =>
  amperes < 75 ? null : amperes < 100 ? 12 : amperes < 150 ? 10 : 8;
