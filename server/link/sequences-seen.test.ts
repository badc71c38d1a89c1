import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Seen } from './sequences-seen.ts';

const copyOf = (seen: Seen) => new Seen(JSON.parse(JSON.stringify(seen)));

describe('the record of received messages', () => {
  it('accepts each message once, in any order, also across a restart', () => {
    const messages = fc.array(fc.tuple(fc.integer({ min: 3, max: 5 }), fc.integer({ min: 0, max: 60 })), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(messages, fc.nat(300), (order, restart) => {
        let seen = new Seen();
        const taken = new Set<string>();
        order.forEach(([boot, seq], index) => {
          if (index === restart) seen = copyOf(seen);
          const key = `${boot}-${seq}`;
          const novelty = seen.add(boot, seq);
          expect(novelty === 'duplicate').toBe(taken.has(key));
          expect(novelty).not.toBe('old');
          taken.add(key);
        });
      }),
    );
  });

  it('the record of received messages never claims that a missing message is stored', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 120 }), (order) => {
        const seen = new Seen();
        for (const seq of order) seen.add(1, seq);
        const mark = seen.contiguous(1);
        const stored = new Set(order);
        if (mark === null) expect(stored.has(0) || stored.has(1)).toBe(false);
        else {
          for (let seq = 1; seq <= mark; seq += 1) expect(stored.has(seq)).toBe(true);
          expect(stored.has(mark + 1)).toBe(false);
        }
      }),
    );
  });

  it('the record of received messages remembers a bounded number of gaps, and reports older ones as unknown', () => {
    const seen = new Seen();
    for (let seq = 0; seq < 1000; seq += 2) seen.add(1, seq);
    expect(seen.add(1, 3)).toBe('old');
    expect(seen.isForgotten(1, 3)).toBe(true);
    expect(seen.add(1, 997)).toBe('gap');
    expect(JSON.stringify(seen).length).toBeLessThan(2000);
  });

  it('the record of received messages learns the newest number from the row of a line', () => {
    const seen = new Seen([{ boot: 2, floor: 0, ranges: [0, 4] }]);
    seen.extend(2, 9);
    expect(seen.add(2, 9)).toBe('duplicate');
    expect(seen.add(2, 7)).toBe('duplicate');
    expect(seen.add(2, 10)).toBe('next');
    seen.extend(3, 6);
    expect(seen.add(3, 6)).toBe('duplicate');
    expect(seen.add(3, 5)).toBe('gap');
  });

  it('gives up a gap when the device can no longer hold its messages', () => {
    const seen = new Seen([{ boot: 1, floor: 0, ranges: [0, 10, 20, 30] }]);
    expect(seen.contiguous(1)).toBe(10);
    seen.add(1, 31);
    expect(seen.contiguous(1)).toBe(10);
    const later = new Seen([{ boot: 1, floor: 0, ranges: [0, 10, 20, 5030] }]);
    expect(later.contiguous(1)).toBe(5030);
  });
});
