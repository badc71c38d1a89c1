import { sampled, sampledBand } from '../web/parts/chart/sample.ts';
import type { Figure } from './figure.ts';

const points = 100_000;
const frames = 300;
const columns = 1400;
const goalMs = 8;

/**
 * Calculation time per frame when a chart of 100,000 points is moved and zoomed: selecting the points to
 * draw, for a line and a band. The browser's drawing (at most four points per pixel) is not included.
 */
export const run = async (): Promise<Figure[]> => {
  const at = Array.from({ length: points }, (_, index) => index * 1000);
  const values = at.map((_, index) => 230 + 10 * Math.sin(index / 500) + ((index * 7919) % 101) / 25);
  const series = { at, values, stepMs: 1000, low: values, high: values.map((value) => value + 2) };
  /** Processor time, so that other work on the machine does not count. */
  const times: number[] = [];
  for (let frame = 0; frame < frames; frame += 1) {
    const width = points * 1000 * (1 - frame / (2 * frames));
    const from = (frame / frames) * (points * 1000 - width);
    const range = { from, to: from + width };
    const begun = process.cpuUsage();
    sampled(series, range, columns);
    sampledBand(series, range, columns);
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / 1000);
  }
  times.sort((a, b) => a - b);
  return [
    {
      name: 'chart of 100,000 points, moved and zoomed: reduced for a frame, p95',
      figure: times[Math.ceil(0.95 * frames) - 1]!,
      unit: 'ms',
      goal: `≤ ${goalMs} ms of a frame's 16.7`,
      anchor: '',
    },
  ];
};
