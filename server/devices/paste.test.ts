import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cellsOf } from './paste.ts';

it('reads cells separated by tabs, commas or semicolons, quoted or not', () => {
  expect(cellsOf('a,b\r\nc,"d, ""e"""\n\nf', ',')).toEqual([['a', 'b'], ['c', 'd, "e"'], [''], ['f']]);
  expect(cellsOf('a\t\t c \n"two\nlines"\t', '\t')).toEqual([
    ['a', '', 'c'],
    ['two\nlines', ''],
  ]);
  expect(cellsOf('a;"b;c', ';')).toEqual([['a', '"b', 'c']]);
  expect(cellsOf('"a";b,"c"', ',')).toEqual([['"a";b', 'c']]);
  expect(cellsOf('', ',')).toEqual([]);
});

it('gives back every table that was written with quotes', () => {
  const cell = fc.string({ maxLength: 20 }).map((text) => text.trim());
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\t', ',', ';'),
      (table, parting) => {
        const text = table
          .map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(parting))
          .join('\r\n');
        expect(cellsOf(text, parting)).toEqual(table);
      },
    ),
  );
});

it('terminates for every pasted text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', 'a', '\t') }), (text) => {
      const cells = cellsOf(text, ',').flat().join('');
      expect(cells.length).toBeLessThanOrEqual(text.length);
    }),
  );
});

/** CPU milliseconds of the fastest of several runs, because other work on the machine only adds time. */
const cpuOf = (run: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );

/** Far from 16, the ratio of linear time, because the memory of long texts costs time too, and from 256. */
const mostTimes = 90;

it.each([
  ['one line of short cells', 'a,'],
  ['one line of empty cells', ','],
  ['quotes that are never closed', '"a,'],
  ['doubled quotes', '""a,'],
  ['odd runs of quotes', '"""a,'],
  ['spaces before separators', ' ,'],
  ['lines without a separator', 'a\n'],
  ['returns without newlines', 'a\r'],
])('reads %s in linear time: sixteen times as many do not take 256 times as long', (_name, unit) => {
  const textOf = (length: number) => unit.repeat(length / unit.length);
  // Longer texts would measure how memory is collected.
  const [short, long] = [textOf(12_000), textOf(192_000)];
  const least = cpuOf(() => cellsOf(short, ','));
  expect(cpuOf(() => cellsOf(long, ','))).toBeLessThan(mostTimes * Math.max(1, least));
});
