import { describe, expect, it } from 'vitest';
import { alarmCatalogue, alarmTypeOf, ratingsOf, valueTypes } from './alarm-catalogue.ts';
import { alarmUnit, unitFactor } from './alarm-units.ts';
import { languages } from './languages.ts';
import { unitIn } from './unit-words.ts';

const ratings = ratingsOf({
  type: 4,
  nominalVoltage: 230,
  ratedCurrent: 63,
  thresholds: { quota_kwh: 200, il_a: 300 },
});
/** A value in another unit that a device may report, and the same value in the type's own unit. */
const other: Readonly<Record<string, readonly [unit: string, value: number, own: number]>> = {
  V: ['%', 55, 126.5],
  A: ['%', 110, 69.3],
  W: ['kW', 9.5, 9500],
  mA: ['A', 0.3, 300],
  '°C': ['C', 71, 71],
  '1/s': ['', 14, 14],
  '1/0.5 s': ['', 8, 8],
  '1/d': ['1/h', 0.5, 12],
  '%': ['', 0.5, 50],
  kWh: ['%', 90, 180],
  Hz: ['mHz', 49_600, 49.6],
  dBm: ['dBm', -111, -111],
  s: ['min', 2, 120],
  d: ['h', 48, 2],
  'K/min': ['°C/min', 6, 6],
};

describe('alarm units', () => {
  for (const type of alarmCatalogue) {
    const { code, valueType } = type;
    it(`${code} has one unit, and converts a value that is given in another`, () => {
      const { unit, decimals } = alarmUnit({ typeNumber: code, value_type: valueType });
      expect(unit).toBe(type.unit);
      expect(decimals).toBeLessThanOrEqual(2);
      // A reader sees what is counted: '16 arcs/s', not '16 1/s'.
      for (const language of languages) expect(unitIn(unit, language)).not.toMatch(/^1?\//);
      if (valueType === valueTypes.state) return expect(unit).toBe('');
      expect(unitFactor(type, unit, ratings)).toBe(1);
      expect(unitFactor(type, 'furlong', ratings)).toBeNull();
      const [given, value, own] = valueType === valueTypes.ratio ? ['%', 87, 0.87] : (other[unit] ?? []);
      expect((value ?? Number.NaN) * (unitFactor(type, given ?? '?', ratings) ?? Number.NaN)).toBeCloseTo(
        own ?? Number.NaN,
        6,
      );
    });
  }
});

it('gives an outage of a project in per cent of its devices, and power factor as a ratio', () => {
  expect(alarmUnit({ typeNumber: 109, value_type: valueTypes.percent }).unit).toBe('%');
  expect(alarmUnit({ typeNumber: 206, value_type: valueTypes.ratio })).toEqual({ unit: '', decimals: 2 });
  expect(alarmUnit({ typeNumber: 201, value_type: valueTypes.ampere, unit: 'furlong' }).unit).toBe('furlong');
});

it('an alarm has no unit and no threshold for a quota that is not set', () => {
  const type = alarmTypeOf(208);
  expect(type && unitFactor(type, '%', { ...ratings, thresholds: {} })).toBeNull();
});
