/** A point of a drawing; null breaks the line. */
export type Point = [at: number, value: number | null];
export interface Measured {
  /** Milliseconds, ascending. */
  at: readonly number[];
  values: readonly (number | null)[];
  /** Usual distance between two points; more than 2.5 times as much is a gap. Absent: only nulls are gaps. */
  stepMs?: number | undefined;
}
export interface Range {
  from: number;
  to: number;
}
const gapSteps = 2.5;
const gapMsOf = ({ stepMs }: Measured) =>
  stepMs === undefined ? Number.POSITIVE_INFINITY : stepMs * gapSteps;

/** The median distance between neighbours: how far apart the points of a series usually are. */
export const usualStep = (times: readonly number[]): number | undefined => {
  const steps = times.slice(1).map((time, index) => time - times[index]!);
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)];
};

/** Index of the first time at or after `at`. */
const firstFrom = (times: readonly number[], at: number): number => {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
};
/** Start and end index of a range, with one point on either side so that lines reach the edge. */
export const indexesOf = (times: readonly number[], { from, to }: Range): [start: number, end: number] => [
  Math.max(0, firstFrom(times, from) - 1),
  Math.min(times.length, firstFrom(times, to) + 1),
];
/** Index of the point nearest to a time, at most `reach` away; null: none. */
export const nearestIndex = (times: readonly number[], at: number, reach: number): number | null => {
  const after = firstFrom(times, at);
  const before = after - 1;
  const [far, near] = [after, before].map((index) => Math.abs((times[index] ?? Number.NaN) - at));
  const [best, distance] =
    Number.isNaN(near) || (far !== undefined && far <= near!) ? [after, far] : [before, near];
  return distance === undefined || Number.isNaN(distance) || distance > reach ? null : best;
};

/** All points of a range, with a break wherever readings are missing. */
export const withGaps = (given: Measured, range?: Range): Point[] => {
  const { at, values } = given;
  const longest = gapMsOf(given);
  const [start, end] = range ? indexesOf(at, range) : [0, at.length];
  const points: Point[] = [];
  for (let index = start; index < end; index += 1) {
    const time = at[index]!;
    const before = at[index - 1];
    if (index > start && before !== undefined && time - before > longest) points.push([before + 1, null]);
    points.push([time, values[index] ?? null]);
  }
  return points;
};

/** First, lowest, highest and last value of the points that fall on one pixel, in their order. */
interface Column {
  place: number;
  indexes: [first: number, low: number, high: number, last: number];
}

/**
 * The points that a drawing of `columns` pixels needs: for each pixel the first, lowest, highest and last
 * (M4), which draws the same picture as all of them. A peak of one reading always stays visible, and so do
 * gaps of at least a pixel.
 */
export const sampled = (given: Measured, range: Range, columns: number): Point[] => {
  const { at, values } = given;
  const [start, end] = indexesOf(at, range);
  if (end - start <= columns * 4) return withGaps(given, range);
  const width = (range.to - range.from) / columns;
  const longest = gapMsOf(given);
  const points: Point[] = [];
  let column: Column | null = null;
  const flush = () => {
    for (const index of new Set(column?.indexes.toSorted((a, b) => a - b)))
      points.push([at[index]!, values[index]!]);
  };
  let last: number | null = null;
  let missing = false;
  for (let index = start; index < end; index += 1) {
    const value = values[index];
    if (value === null || value === undefined) {
      missing = true;
      continue;
    }
    const time = at[index]!;
    const distance = last === null ? 0 : time - last;
    const place = Math.floor((time - range.from) / width);
    const broken = distance > width && (missing || distance > longest);
    if (column === null || place !== column.place || broken) {
      flush();
      if (broken) points.push([last! + 1, null]);
      column = { place, indexes: [index, index, index, index] };
    } else {
      const { indexes } = column;
      if (value < values[indexes[1]]!) indexes[1] = index;
      if (value > values[indexes[2]]!) indexes[2] = index;
      indexes[3] = index;
    }
    last = time;
    missing = false;
  }
  flush();
  return points;
};

/** The envelope of a band on `columns` pixels: lowest low and highest high of each. */
export const sampledBand = (
  given: Omit<Measured, 'values'> & {
    low: readonly (number | null)[];
    high: readonly (number | null)[];
  },
  range: Range,
  columns: number,
): { low: Point[]; height: Point[] } => {
  const { at, low, high } = given;
  const [start, end] = indexesOf(at, range);
  const width = (range.to - range.from) / columns;
  const each = end - start <= columns * 2;
  const longest = Math.max(gapMsOf({ ...given, values: [] }), each ? 0 : width);
  const merged: [at: number, low: number | null, high: number | null][] = [];
  let before: { time: number; place: number } | null = null;
  for (let index = start; index < end; index += 1) {
    const time = at[index]!;
    const [least, most] = [low[index] ?? null, high[index] ?? null];
    const place = each ? index : Math.floor((time - range.from) / width);
    const current = merged.at(-1);
    if (before && time - before.time > longest) merged.push([before.time + 1, null, null]);
    if (before && current && place === before.place && least !== null && most !== null) {
      current[1] = Math.min(current[1] ?? least, least);
      current[2] = Math.max(current[2] ?? most, most);
    } else if (!before || place !== before.place) merged.push([time, least, most]);
    before = { time, place };
  }
  return {
    low: merged.map(([time, least]) => [time, least]),
    height: merged.map(([time, least, most]) => [
      time,
      least === null || most === null ? null : most - least,
    ]),
  };
};
