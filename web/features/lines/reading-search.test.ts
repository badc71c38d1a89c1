import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { withGaps } from './reading-search.ts';

test('a chart is broken wherever readings are missing, and nowhere else', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(steps, (gaps) => {
      let time = 0;
      const at = gaps.map((gap) => {
        time += gap * 15_000;
        return time;
      });
      const drawn = withGaps(
        at,
        at.map(() => 1),
        15,
      );
      expect(drawn.filter(([, value]) => value !== null).map(([time]) => time)).toEqual(at);
      expect(drawn.filter(([, value]) => value === null)).toHaveLength(
        gaps.slice(1).filter((gap) => gap > 2.5).length,
      );
    }),
  );
});
