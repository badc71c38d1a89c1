import type { Period } from './evidence-pack.store.ts';
import { html, type Markup } from './markup.ts';

const [width, height] = [860, 180];
const [left, right, top, bottom] = [64, 8, 10, 22];
const buckets = 400;

/**
 * Minimum and maximum of each of a fixed number of intervals, from which a chart of any number of readings is
 * drawn.
 */
export interface Sampled {
  readonly line: number;
  readonly channel: string;
  readonly least: (number | undefined)[];
  readonly most: (number | undefined)[];
}
export const sampler = (line: number, channel: string, { from, to }: Period) => {
  const sampled: Sampled = { line, channel, least: [], most: [] };
  const span = Math.max(1, to.getTime() - from.getTime());
  const add = (at: number, value: number | null | undefined) => {
    if (value === null || value === undefined) return;
    const index = Math.min(buckets - 1, Math.floor(((at - from.getTime()) / span) * buckets));
    sampled.least[index] = Math.min(sampled.least[index] ?? value, value);
    sampled.most[index] = Math.max(sampled.most[index] ?? value, value);
  };
  return { sampled, add };
};

const steps = (low: number, high: number): number[] => {
  const size = 10 ** Math.floor(Math.log10((high - low) / 3));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((each) => (high - low) / each <= 4) ?? size;
  const marks: number[] = [];
  // Adding 0 turns -0 into 0.
  for (let mark = Math.ceil(low / step) * step + 0; mark <= high + step / 1e6; mark += step) marks.push(mark);
  return marks;
};

/** Intervals with values, divided where values are missing for more than three times their usual distance. */
const stretches = ({ least }: Sampled): number[][] => {
  const filled = [...least.keys()].filter((index) => least[index] !== undefined);
  const distances = filled.slice(1).map((index, place) => index - filled[place]!);
  const usual = distances.toSorted((one, other) => one - other)[distances.length >> 1] ?? 1;
  const found: number[][] = [];
  for (const [place, index] of filled.entries())
    if (place > 0 && distances[place - 1]! <= usual * 3) found.at(-1)!.push(index);
    else found.push([index]);
  return found;
};

interface ChartMarks {
  /** Thresholds, in the channel's unit. */
  readonly thresholds: readonly number[];
  /** Times at which alarms were raised. */
  readonly raised: readonly number[];
  readonly clock: (at: number) => string;
  readonly number: (value: number) => string;
}

/** A line chart without scripts; null if nothing was measured. */
export const chartOf = (
  sampled: Sampled,
  { from, to }: Period,
  { thresholds, raised, clock, number }: ChartMarks,
): Markup | null => {
  const { least, most } = sampled;
  const values = [...least, ...most, ...thresholds].filter((value) => value !== undefined);
  if (least.every((value) => value === undefined)) return null;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const room = (highest - lowest || Math.abs(highest) || 1) * 0.08;
  const [low, high] = [lowest - room, highest + room];
  const x = (share: number) => left + share * (width - left - right);
  const y = (value: number) => top + ((high - value) / (high - low)) * (height - top - bottom);
  const timeX = (at: number) => x((at - from.getTime()) / Math.max(1, to.getTime() - from.getTime()));
  const pointsAt = (index: number): string[] => {
    const at = x((index + 0.5) / buckets).toFixed(1);
    return [most[index]!, least[index]!].map((value) => `${at},${y(value).toFixed(1)}`);
  };
  const times = [0, 0.25, 0.5, 0.75, 1].map((share) => ({
    at: x(share),
    text: clock(from.getTime() + share * (to.getTime() - from.getTime())),
    anchor: share === 0 ? 'start' : share === 1 ? 'end' : 'middle',
  }));
  return html`<svg viewBox="0 0 ${width} ${height}" role="img">
    ${steps(low, high).map(
      (mark) => html`<line x1="${left}" x2="${width - right}" y1="${y(mark)}" y2="${y(mark)}" class="grid"/>
      <text x="${left - 6}" y="${y(mark) + 4}" text-anchor="end">${number(mark)}</text>`,
    )}
    ${times.map((time) => html`<text x="${time.at}" y="${height - 5}" text-anchor="${time.anchor}">${time.text}</text>`)}
    ${thresholds.map((value) => html`<line x1="${left}" x2="${width - right}" y1="${y(value)}" y2="${y(value)}" class="threshold"/>`)}
    ${raised
      .filter((at) => at >= from.getTime() && at <= to.getTime())
      .map(
        (at) =>
          html`<line x1="${timeX(at)}" x2="${timeX(at)}" y1="${top}" y2="${height - bottom}" class="raised"/>`,
      )}
    ${stretches(sampled).map(
      (stretch) => html`<polyline points="${stretch.flatMap(pointsAt).join(' ')}" class="values"/>`,
    )}
  </svg>`;
};
