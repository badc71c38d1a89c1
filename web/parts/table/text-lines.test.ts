import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textLines } from './text-lines.ts';

it('counts the lines of Han characters, of words and of one long word', () => {
  expect(textLines('配电室', 10)).toBe(1);
  expect(textLines('配'.repeat(60), 10)).toBe(6);
  expect(textLines('配'.repeat(60), 10, 2)).toBe(7);
  expect(textLines('spare feeder', 5)).toBe(2);
  expect(textLines('_'.repeat(50), 10)).toBe(4);
  expect(textLines('', 10)).toBe(1);
});

it('counts no fewer lines for a longer text or a narrower column', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'W', 'ж', 'щ', '配', ' ', '-', '_'), maxLength: 80 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 2, max: 40 }), (first, more, room) => {
      const lines = textLines(first, room);
      expect(textLines(`${first} ${more}`, room)).toBeGreaterThanOrEqual(lines);
      expect(textLines(first, room - 1)).toBeGreaterThanOrEqual(lines);
    }),
  );
});
