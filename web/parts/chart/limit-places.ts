import type { Limit, TimePanel, TimeSeries } from './model.ts';
import { indexesOf, type Range } from './sample.ts';
import { widthOf } from './text-width.ts';

const places = [
  ...(['insideEndTop', 'insideEndBottom', 'insideStartTop', 'insideStartBottom'] as const),
  ...(['insideMiddleTop', 'insideMiddleBottom'] as const),
] as const;
export type LimitPlace = (typeof places)[number];
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

/** Where the name of a limit stands at its line: where nothing else is drawn; null if there is no such place. */
export const limitPlace = (
  limit: Limit,
  text: string,
  { series, limits = [], fromZero, reachesLimits }: TimePanel,
  { range, columns, fontSize }: { range: Range; columns: number; fontSize: number },
): LimitPlace | null => {
  const drawn = series.map((each) => drawnIn(each, range));
  const axis = extentOf([
    ...drawn.flatMap(({ low, high }) => (low <= high ? [low, high] : [])),
    ...(reachesLimits ? limits.map(({ value }) => value) : [limit.value]),
    ...(fromZero ? [0] : []),
  ]);
  const height = (axis.high - axis.low) * heightOfName;
  const share = Math.min(1, (widthOf(text, fontSize) + fontSize) / Math.max(1, columns));
  const isFree = (place: LimitPlace): boolean => {
    const [low, high] = place.endsWith('Top')
      ? [limit.value, limit.value + height]
      : [limit.value - height, limit.value];
    if (limits.some(({ value }) => value !== limit.value && value >= low && value <= high)) return false;
    const here = rangeOf(place, range, share);
    return series.every((each) => {
      const of = drawnIn(each, here);
      return of.low > high || of.high < low || of.low > of.high;
    });
  };
  return places.find(isFree) ?? null;
};
