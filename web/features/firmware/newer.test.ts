import { expect, test } from 'vitest';
import { isNewer } from './newer.ts';

test.each([
  ['1.10.0', '1.9.9', true],
  ['1.9.9', '1.10.0', false],
  ['2', '1.99', true],
  ['1.4', '1.4.0', false],
  ['1.4.1', '1.4', true],
  ['v2.0', '1.9', true],
  ['2.0', '2.0-rc1', true],
  ['2.0-rc1', '2.0', false],
  ['1.4.2+a', '1.4.2+b', false],
  ['', '1.0', false],
  ['beta', '1.0', false],
] as const)('whether %s is newer than %s: %s', (version, than, expected) => {
  expect(isNewer(version, than)).toBe(expected);
});
