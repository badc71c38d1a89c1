import { expect, test } from 'vitest';
import { dark, light } from '#web/theme/tokens.ts';
import { dashOf, phaseColours, seriesColours } from './look.ts';

type Triple = [number, number, number];
const linear = (colour: string): Triple =>
  [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Triple;
/** Source: Machado, Oliveira and Fernandes 2009, severity 1. */
const sights: Record<string, readonly Triple[]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const through = (matrix: readonly Triple[], colour: Triple): Triple =>
  matrix.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, factor, index) => sum + factor * colour[index]!, 0),
      ),
    ),
  ) as Triple;
const lab = ([r, g, b]: Triple): Triple => {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
};
const distance = (a: Triple, b: Triple) => Math.hypot(...a.map((part, index) => part - b[index]!));
const luminance = ([r, g, b]: Triple) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a: string, b: string) => {
  const [low, high] = [luminance(linear(a)), luminance(linear(b))].toSorted((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
};
const schemes = ['light', 'dark'] as const;

test.each(schemes)('no two of the first six colours look alike for any colour vision: %s', (scheme) => {
  for (const [sight, matrix] of Object.entries(sights)) {
    const seen = seriesColours[scheme].slice(0, 6).map((colour) => lab(through(matrix, linear(colour))));
    for (const [index, one] of seen.entries())
      for (const [other, two] of seen.entries())
        if (other > index) expect(distance(one, two), `${sight} ${index} ${other}`).toBeGreaterThan(10);
  }
});

test.each(schemes)('every colour of a series has a contrast of 3:1 with the page: %s', (scheme) => {
  const { surface } = scheme === 'dark' ? dark : light;
  for (const colour of [...seriesColours[scheme], ...Object.values(phaseColours[scheme])])
    expect(contrast(colour, surface), colour).toBeGreaterThan(3);
});

test('every phase has its own dash pattern', () => {
  const dashes = (['a', 'b', 'c', 'n'] as const).map((phase) => JSON.stringify(dashOf(phase)));
  expect(new Set(dashes).size).toBe(4);
});
