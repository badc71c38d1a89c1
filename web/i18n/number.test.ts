import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { languages } from '#contract/languages.ts';
import { readNumber, writeNumber } from './number.ts';

test.each(languages)('in %s both comma and point mark the decimals', (language) => {
  for (const [text, value] of [
    ['0,3', 0.3],
    ['0.3', 0.3],
    [',5', 0.5],
    ['.5', 0.5],
    ['30,5', 30.5],
    ['-30.52', -30.52],
    ['−30,52', -30.52],
    ['０．３', 0.3],
    ['0。3', 0.3],
    ['12', 12],
    ['+12', 12],
    ['007', 7],
  ] as const)
    expect({ text, value: readNumber(text, language) }).toEqual({ text, value });
});

test.each(languages)(
  'in %s an empty text is no number and not zero; other text is not a number',
  (language) => {
    for (const text of ['', ' ', '\u00a0']) expect(readNumber(text, language)).toBe(null);
    for (const text of [
      '-',
      '.',
      ',',
      'a',
      '1a',
      '1e3',
      '1..2',
      '1,2,3',
      '1.2,3.4',
      '12,34.5',
      '--1',
      '1-',
      '0x10',
    ])
      expect({ text, value: readNumber(text, language) }).toEqual({ text, value: Number.NaN });
  },
);

test.each(languages)('in %s groups of thousands are read if they are unambiguous', (language) => {
  for (const [text, value] of [
    ['1 234,5', 1234.5],
    ['1\u00a0234', 1234],
    ['1\u202f234,5', 1234.5],
    ['1,234.5', 1234.5],
    ['1.234,5', 1234.5],
    ['1,234,567', 1_234_567],
    ['1.234.567,8', 1_234_567.8],
    ['12,34', 12.34],
    ['0,300', 0.3],
  ] as const)
    expect({ text, value: readNumber(text, language) }).toEqual({ text, value });
});

test('one comma before three digits separates thousands if the language writes them so, and marks decimals otherwise', () => {
  expect([readNumber('1,234', 'en-US'), readNumber('1,234', 'zh-CN'), readNumber('1,234', 'ru-RU')]).toEqual([
    1234, 1234, 1.234,
  ]);
  for (const language of languages) expect(readNumber('1.234', language)).toBe(1.234);
});

test.each(languages)('in %s the console can parse the numbers that it writes', (language) => {
  fc.assert(
    fc.property(
      fc.integer({ min: -10_000_000, max: 10_000_000 }),
      fc.constantFrom(0, 1, 2, 5),
      (whole, digits) => {
        const value = whole / 10 ** digits;
        return readNumber(writeNumber(value, language), language) === value + 0;
      },
    ),
  );
  const grouped = new Intl.NumberFormat(language, { minimumFractionDigits: 1 });
  for (const value of [1234.5, 1_234_567.5, 12_000.5])
    expect(readNumber(grouped.format(value), language)).toBe(value);
});
