/** Robust statistics: a few outliers do not change the result. */
export type Point = readonly [x: number, y: number];

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

interface Fit {
  slope: number;
  intercept: number;
}
/**
 * The Theil–Sen line: the median of the slopes of all pairs, through the median of the residuals. Null: no
 * two x differ.
 */
export const theilSen = (points: readonly Point[]): Fit | null => {
  const slopes: number[] = [];
  for (const [index, [x1, y1]] of points.entries())
    for (const [x2, y2] of points.slice(index + 1)) if (x1 !== x2) slopes.push((y2 - y1) / (x2 - x1));
  if (slopes.length === 0) return null;
  const slope = median(slopes);
  return { slope, intercept: median(points.map(([x, y]) => y - slope * x)) };
};

/** Mann–Kendall: standard normal value of the trend of values in the order of time, with the correction for ties. */
export const mannKendall = (values: readonly number[]): number => {
  const n = values.length;
  let score = 0;
  for (const [index, one] of values.entries())
    for (const other of values.slice(index + 1)) score += Math.sign(other - one);
  const ties = [...Map.groupBy(values, (value) => value).values()].map(({ length }) => length);
  const spread = (count: number) => count * (count - 1) * (2 * count + 5);
  const variance = (spread(n) - ties.reduce((sum, count) => sum + spread(count), 0)) / 18;
  return variance <= 0 ? 0 : (score - Math.sign(score)) / Math.sqrt(variance);
};
