import type { Limit, TimePanel, TimeSeries } from './model.ts';
import { indexesOf, type Range } from './sample.ts';
import { widthOf } from './text-width.ts';

const places = [
  ...(['insideEndTop', 'insideEndBottom', 'insideStartTop', 'insideStartBottom'] as const),
  ...(['insideMiddleTop', 'insideMiddleBottom'] as const),
] as const;
type LimitPlace = (typeof places)[number];
/** Part of the height of a panel that a name takes, with its distance to the line: generous, for low panels, too. */
const heightOfName = 0.14;

interface Extent {
  low: number;
  high: number;
}
const extentOf = (values: readonly (number | null | undefined)[]): Extent => {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
};
/** What a series draws within a range, from its lowest to its highest value. */
const drawnIn = ({ at, values, band, shape }: TimeSeries, range: Range): Extent => {
  const [start, end] = indexesOf(at, range);
  return extentOf([
    ...values.slice(start, end),
    ...(band ? [...band.low.slice(start, end), ...band.high.slice(start, end)] : []),
    ...(shape === 'bar' ? [0] : []),
  ]);
};

const rangeOf = (place: LimitPlace, { from, to }: Range, share: number): Range => {
  const width = (to - from) * share;
  if (place.startsWith('insideEnd')) return { from: to - width, to };
  if (place.startsWith('insideStart')) return { from, to: from + width };
  const middle = (from + to) / 2;
  return { from: middle - width / 2, to: middle + width / 2 };
};

interface Name extends Range, Extent {}
const nameAt = (value: number, place: LimitPlace, range: Range, share: number, height: number): Name => {
  const [low, high] = place.endsWith('Top') ? [value, value + height] : [value - height, value];
  return { ...rangeOf(place, range, share), low, high };
};
const overlap = (one: Name, other: Name): boolean =>
  one.from < other.to && other.from < one.to && one.low < other.high && other.low < one.high;

/**
 * Where the names of the limits stand at their lines: where neither a curve nor another limit is drawn, nor
 * another name; null if a limit has no such place.
 */
export const limitPlaces = (
  { series, limits = [], fromZero, reachesLimits }: TimePanel,
  textOf: (limit: Limit) => string,
  { range, columns, fontSize }: { range: Range; columns: number; fontSize: number },
): readonly (LimitPlace | null)[] => {
  const drawn = series.map((each) => drawnIn(each, range));
  const axis = extentOf([
    ...drawn.flatMap(({ low, high }) => (low <= high ? [low, high] : [])),
    ...(reachesLimits || drawn.length === 0 ? limits.map(({ value }) => value) : []),
    ...(fromZero ? [0] : []),
  ]);
  const height = Math.max(0, axis.high - axis.low) * heightOfName;
  const taken: Name[] = [];
  return limits.map((limit) => {
    const share = Math.min(1, (widthOf(textOf(limit), fontSize) + fontSize) / Math.max(1, columns));
    const at = (place: LimitPlace) => nameAt(limit.value, place, range, share, height);
    const isFree = (place: LimitPlace): boolean => {
      const name = at(place);
      if (limits.some(({ value }) => value !== limit.value && value >= name.low && value <= name.high))
        return false;
      if (taken.some((other) => overlap(name, other))) return false;
      return series.every((each) => {
        const of = drawnIn(each, name);
        return of.low > name.high || of.high < name.low || of.low > of.high;
      });
    };
    const place = places.find(isFree) ?? null;
    if (place) taken.push(at(place));
    return place;
  });
};
