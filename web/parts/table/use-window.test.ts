import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawnRows } from './use-window.ts';

it('a long table draws every visible row, and at most one screen of rows and the spare ones', () => {
  const place = fc.record({
    count: fc.integer({ min: 0, max: 10_000 }),
    rowHeight: fc.integer({ min: 20, max: 200 }),
    scrolled: fc.integer({ min: 0, max: 2_000_000 }),
    height: fc.integer({ min: 100, max: 2200 }),
  });
  fc.assert(
    fc.property(place, ({ count, rowHeight, scrolled, height }) => {
      const { from, to } = drawnRows({ count, rowHeight }, { start: -scrolled, top: 0, bottom: height });
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(count);
      expect(to - from).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 34);
      const isSeen = (row: number) => (row + 1) * rowHeight > scrolled && row * rowHeight < scrolled + height;
      const first = Math.max(0, Math.floor(scrolled / rowHeight));
      for (let row = first; row < count && isSeen(row); row += 1) {
        expect(row).toBeGreaterThanOrEqual(from);
        expect(row).toBeLessThan(to);
      }
    }),
  );
});
