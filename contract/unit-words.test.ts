import { expect, it } from 'vitest';
import { alarmCatalogue } from './alarm-catalogue.ts';
import { channelUnits } from './parameter-names.ts';
import { parameters, serverParameters } from './parameters.ts';
import { unitIn, unitWords } from './unit-words.ts';

const named = [
  ...alarmCatalogue.map(({ unit }) => unit),
  ...[...parameters, ...serverParameters].map(({ unit }) => unit),
  ...Object.values(channelUnits),
].filter((unit) => /[a-z]/i.test(unit.replace('°C', '')));

it.each([...new Set(named), ...Object.keys(unitWords)])(
  '%s has a Russian form without Latin letters',
  (unit) => {
    expect(unitIn(unit, 'ru-RU')).not.toMatch(/[a-z]/i);
  },
);

it('an unknown unit is not translated', () => {
  expect(unitIn('furlong', 'ru-RU')).toBe('furlong');
  expect(unitIn('constructor', 'zh-CN')).toBe('constructor');
});
