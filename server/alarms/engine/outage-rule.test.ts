import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Away, outageLeft, outageOf, outageWindowMs } from './outage-rule.ts';

const second = 1000;
const away = fc
  .array(fc.integer({ min: 0, max: 600 }), { maxLength: 14 })
  .map((seconds) => seconds.map((at, deviceId): Away => ({ deviceId, at: at * second })));
const more = fc.integer({ min: 0, max: 10 });

it('an outage begins when more than 60 % of the devices in service leave within two minutes, and at least three do', () => {
  fc.assert(
    fc.property(away, more, (gone, others) => {
      const known = gone.length + others;
      const begins = gone.some(({ at: last }) => {
        const together = gone.filter(({ at }) => at <= last && at >= last - outageWindowMs);
        const before = gone.filter(({ at }) => at < last - outageWindowMs).length;
        return together.length >= 3 && together.length > 0.6 * (known - before);
      });
      expect(outageOf(gone, known) !== null).toBe(begins);
    }),
  );
});

it('the order of the devices does not change an outage', () => {
  fc.assert(
    fc.property(
      away.chain((gone) =>
        fc.tuple(fc.constant(gone), fc.shuffledSubarray(gone, { minLength: gone.length }), more),
      ),
      ([gone, shuffled, others]) => {
        const known = gone.length + others;
        expect(outageOf(shuffled, known)).toEqual(outageOf(gone, known));
      },
    ),
  );
});

it('an outage lasts while one of its devices is away, and ends gradually below 30 %', () => {
  const gone = Array.from({ length: 10 }, (_, deviceId) => ({ deviceId, at: deviceId * second }));
  expect(outageOf(gone, 10)).toMatchObject({ share: 100, since: 0, inService: 10 });
  expect(outageLeft(gone.slice(0, 3), 10, 0)).toMatchObject({ share: 30, fading: false });
  expect(outageLeft(gone.slice(0, 2), 10, 0)).toMatchObject({ share: 20, fading: true });
  expect(outageLeft([], 10, 0)).toBeNull();
});

it('an outage does not count devices that were away long before', () => {
  const dead = [0, 1, 2, 3].map((deviceId) => ({ deviceId, at: 0 }));
  const gone = [4, 5, 6, 7].map((deviceId) => ({ deviceId, at: 3_600_000 }));
  expect(outageOf(dead, 10)).toBeNull();
  expect(outageOf([...dead, ...gone], 10)?.devices).toEqual(new Set([4, 5, 6, 7]));
});
