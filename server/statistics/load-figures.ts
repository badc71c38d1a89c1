/** Maximum, minimum, mean, duration curve and curve of a load, in one pass over its quarters of an hour. */

import { DateTime } from 'luxon';
import { firstAfter, firstOf } from '#server/core/zone.ts';
import type { Range, Span } from './range.ts';

const dayMs = 86_400_000;
const quarterS = 900;
/** Bytes of a quarter of an hour: its index since 1970, power in W, covered seconds, and number of lines. */
const width = 24;

/** The time step of a curve. */
type CurveStep = 'quarter' | 'hour' | 'day';
export const curveStep = ({ from, to }: Span): CurveStep => {
  const days = (to - from) / dayMs;
  return days <= 2.1 ? 'quarter' : days <= 32 ? 'hour' : 'day';
};

interface CurvePoint {
  at: number;
  avg: number;
  max: number;
  min: number;
  covered: number;
}
export interface LoadFigures {
  max_w: number | null;
  max_at: number | null;
  min_w: number | null;
  min_at: number | null;
  avg_w: number | null;
  covered_s: number;
  /**
   * The duration curve from the highest power to the lowest, with a value for each hundredth of the quarters
   * of an hour.
   */
  duration: number[];
  curve: CurvePoint[];
}

/**
 * A mean weighted by the covered share of each quarter, so that a quarter counts alike however many lines it has;
 * for quarters without coverage, the plain mean.
 */
class Mean {
  #weighted = 0;
  #weights = 0;
  #covered = 0;
  #sum = 0;
  #count = 0;
  add(value: number, covered: number, lines: number): void {
    this.#weighted += (value * covered) / lines;
    this.#weights += covered / lines;
    this.#covered += covered;
    this.#sum += value;
    this.#count += 1;
  }
  get covered(): number {
    return this.#covered;
  }
  get value(): number {
    return this.#covered > 0 ? this.#weighted / this.#weights : this.#sum / this.#count;
  }
}

/**
 * The step of the curve that contains an instant; `begins`: whether the instant is the first of that step.
 */
const stretchAt = (at: number, step: CurveStep, zone: string, begins: boolean): Span => {
  if (step === 'quarter') return { from: at, to: at + quarterS * 1000 };
  const given = DateTime.fromMillis(at, { zone });
  const start = begins ? given : firstOf(step, given);
  const end = step === 'hour' ? start.plus({ hours: 1 }) : firstAfter('day', start);
  return { from: start.toMillis(), to: end.toMillis() };
};
const steps = 100;
/** Values at each hundredth of them, from the highest, as `percentile_disc` returns them. */
const hundredths = (values: Float64Array): number[] => {
  if (values.length === 0) return [];
  values.sort();
  return Array.from({ length: steps + 1 }, (_, index) => {
    const place = Math.max(1, Math.ceil((index / steps) * values.length));
    return values[values.length - place]!;
  });
};

/** `packed`: quarters of an hour in order, in network byte order; an unknown power is NaN. */
export const loadFigures = (packed: Buffer, range: Range): LoadFigures => {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const step = curveStep(range);
  const powers = new Float64Array(packed.length / width);
  const mean = new Mean();
  const curve: (CurvePoint & { mean: Mean; to: number })[] = [];
  let [known, covered_s, max_at, min_at] = [0, 0, 0, 0];
  let [max, min] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let offset = 0; offset < packed.length; offset += width) {
    const at = view.getInt32(offset) * quarterS * 1000;
    const power = view.getFloat64(offset + 4);
    const covered = view.getFloat64(offset + 12);
    const lines = view.getInt32(offset + 20);
    covered_s += covered;
    if (Number.isNaN(power)) continue;
    powers[known++] = power;
    mean.add(power, covered, lines);
    if (power > max) [max, max_at] = [power, at];
    if (power < min) [min, min_at] = [power, at];
    let point = curve.at(-1);
    if (!point || at >= point.to) {
      const { from, to } = stretchAt(at, step, range.zone, at === point?.to);
      point = { at: from, to, avg: 0, max: power, min: power, covered: 0, mean: new Mean() };
      curve.push(point);
    }
    point.mean.add(power, covered, lines);
    point.max = Math.max(point.max, power);
    point.min = Math.min(point.min, power);
  }
  const none = known === 0;
  return {
    max_w: none ? null : max,
    max_at: none ? null : max_at,
    min_w: none ? null : min,
    min_at: none ? null : min_at,
    avg_w: none ? null : mean.value,
    covered_s,
    duration: hundredths(powers.subarray(0, known)),
    curve: curve.map((point) => ({
      at: point.at,
      avg: point.mean.value,
      max: point.max,
      min: point.min,
      covered: point.mean.covered,
    })),
  };
};
