import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closenessOf, limitsAt } from './limit-closeness.ts';
import type { LineLimits } from './lines.ts';

const none: LineLimits = { early: null, alarm: null, low_early: null, low_alarm: null };
const current = { ...none, early: 36, alarm: 44 };
const voltage = { early: 235.4, alarm: 264, low_early: 198, low_alarm: 176 };

describe('how near a value is to its limit', () => {
  it.each([
    [22, current, 'closed', { percent: 50, limit: 44, low: false }],
    [44, current, 'closed', { percent: 100, limit: 44, low: false }],
    [220, voltage, 'closed', { percent: 0, limit: 264, low: false }],
    [242, voltage, 'closed', { percent: 50, limit: 264, low: false }],
    [198, voltage, 'closed', { percent: 50, limit: 176, low: true }],
    [9, { ...none, early: 18 }, 'closed', { percent: 50, limit: 18, low: false }],
    [242, voltage, 'open', { percent: 50, limit: 264, low: false }],
    [0, voltage, 'open', null],
    [0, voltage, 'unknown', null],
    [7, none, 'closed', null],
    [-10, current, 'closed', null],
  ] as const)('a value of %d has the expected closeness to its limit', (value, limits, state, found) => {
    expect(closenessOf(value, limits, state)).toEqual(found);
  });

  const limits = fc
    .tuple(fc.double({ min: 1, max: 300, noNaN: true }), fc.double({ min: 1, max: 300, noNaN: true }))
    .map(([rest, width]) => ({
      early: rest + width / 2,
      alarm: rest + width,
      low_early: rest - width / 2,
      low_alarm: rest - width,
    }));
  it('closeness is 100 % exactly at the limit and grows with the distance from the normal value', () => {
    fc.assert(
      fc.property(limits, fc.double({ min: 0, max: 3, noNaN: true }), fc.boolean(), (each, share, low) => {
        const rest = (each.alarm + each.low_alarm) / 2;
        const way = low ? each.low_alarm - rest : each.alarm - rest;
        const at = (of: number) => closenessOf(rest + of * way, each, 'closed')!;
        expect(at(share).percent).toBeCloseTo(100 * share, 6);
        expect(at(share + 0.5).percent).toBeGreaterThan(at(share).percent);
        if (share > 0.01) expect(at(share).low).toBe(low);
      }),
    );
  });

  it('checks the undervoltage limit on closed lines only', () => {
    expect(limitsAt(voltage, 'closed')).toEqual(voltage);
    for (const state of ['open', 'unknown'] as const)
      expect(limitsAt(voltage, state)).toEqual({ ...voltage, low_early: null, low_alarm: null });
  });
});
