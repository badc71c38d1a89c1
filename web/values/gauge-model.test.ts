import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineLimits } from '#contract/lines.ts';
import { gaugeOf } from './gauge-model.ts';

const none: LineLimits = { early: null, alarm: null, low_early: null, low_alarm: null };
const leakage = { ...none, early: 15, alarm: 30 };
const voltage = { early: 235.4, alarm: 242, low_early: 204.6, low_alarm: 187 };

describe('a value against its limits', () => {
  it.each([
    [3, leakage, 'normal', 30],
    [15, leakage, 'normal', 30],
    [16, leakage, 'early', 15],
    [31, leakage, 'alarm', 30],
    [220, voltage, 'normal', 242],
    [240, voltage, 'early', 235.4],
    [250, voltage, 'alarm', 242],
    [200, voltage, 'early', 204.6],
    [100, voltage, 'alarm', 187],
    [7, none, 'normal', null],
  ] as const)('%d is drawn with the right state and limit', (value, limits, standing, limit) => {
    expect(gaugeOf(value, limits, null)).toMatchObject({ standing, limit });
  });

  it('a value without another limit is filled up to its share of the rating', () => {
    expect(gaugeOf(20, none, 40)).toMatchObject({ from: 0, to: 20 / 48, marks: [] });
  });

  it('a value that is limited on both sides is drawn from the middle', () => {
    const { from, to } = gaugeOf(214.5, voltage, null);
    expect(from).toBeCloseTo(0.5);
    expect(to).toBeCloseTo(0.5);
    expect(gaugeOf(200, voltage, null).to).toBeCloseTo(0.5);
    expect(gaugeOf(230, voltage, null).from).toBeCloseTo(0.5);
  });

  it('a value is never drawn beyond the bar', () => {
    const limit = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null });
    const share = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(share, limit, limit, limit, limit, limit, (value, early, alarm, low, lower, rating) => {
        const limits = { early, alarm, low_early: low, low_alarm: lower };
        const { from, to, marks } = gaugeOf(value, limits, rating);
        for (const at of [from, to, ...marks.map((mark) => mark.at)]) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(1);
        }
        expect(to).toBeGreaterThanOrEqual(from);
      }),
    );
  });
});
