import { expect, test } from 'vitest';
import { numbersIn, scannedNumber } from './device-numbers.ts';

test('a list of numbers may be separated by lines, commas or spaces and names each once', () => {
  expect(numbersIn(' SW4A0001\nSW4A0002, SW4A0001；SW4A0003 \t')).toEqual([
    'SW4A0001',
    'SW4A0002',
    'SW4A0003',
  ]);
  expect(numbersIn(' \n')).toEqual([]);
});

test.each([
  [' SW4A0001 ', 'SW4A0001'],
  ['https://example.org/d/SW4A0001', 'SW4A0001'],
  ['https://example.org/device?sn=SW4A0001', 'SW4A0001'],
  ['https://example.org/', null],
  ['javascript:alert(1)', null],
  ['short', null],
])('the code %s contains the device number %s', (code, number) => {
  expect(scannedNumber(code)).toBe(number);
});
