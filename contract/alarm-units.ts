/** Units of alarm values: one unit and precision per alarm type, and how values in other units are converted. */
import {
  type AlarmType,
  alarmTypeOf,
  type Base,
  baseOf,
  type Ratings,
  type ValueType,
  valueTypes,
  valueUnits,
} from './alarm-catalogue.ts';

interface AlarmUnit {
  /** '' for states and ratios. */
  readonly unit: string;
  /** Digits after the decimal point. */
  readonly decimals: number;
}

const decimalsOf: Record<ValueType, number> = {
  1: 1,
  2: 2,
  3: 0,
  4: 0,
  5: 1,
  6: 0,
  7: 1,
  8: 2,
  9: 2,
  10: 0,
  11: 0,
  12: 0,
  13: 1,
  14: 2,
};

/**
 * Unit and precision of an alarm's value, peak and threshold. `unit`: the unit of this alarm if it differs
 * from its type's. For an outage of a whole project `value_type` differs from the type's (per cent of
 * devices).
 */
export const alarmUnit = (alarm: {
  typeNumber: number;
  value_type: number;
  unit?: string | null;
}): AlarmUnit => {
  const valueType = (Object.hasOwn(decimalsOf, alarm.value_type) ? alarm.value_type : 10) as ValueType;
  const type = alarmTypeOf(alarm.typeNumber);
  const own = type?.valueType === valueType ? type.unit : valueUnits[valueType];
  const unit = alarm.unit ?? own;
  return { unit, decimals: unit === own ? decimalsOf[valueType] : 2 };
};

/** Multiples of the type's own unit. */
const factors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  V: { V: 1, kV: 1000, mV: 0.001 },
  A: { A: 1, mA: 0.001, kA: 1000 },
  W: { W: 1, kW: 1000, MW: 1_000_000, mW: 0.001 },
  mA: { mA: 1, A: 1000, µA: 0.001, uA: 0.001 },
  '°C': { '°C': 1, C: 1, degC: 1 },
  '1/s': { '1/s': 1, 'hc/s': 1, '': 1 },
  '1/0.5 s': { '1/0.5 s': 1, '': 1 },
  '1/d': { '1/d': 1, '': 1, '1/h': 24 },
  '%': { '%': 1, '‰': 0.1, '': 100 },
  kWh: { kWh: 1, Wh: 0.001, MWh: 1000 },
  Hz: { Hz: 1, mHz: 0.001, kHz: 1000 },
  dBm: { dBm: 1 },
  s: { s: 1, ms: 0.001, min: 60, h: 3600, d: 86_400 },
  d: { d: 1, h: 1 / 24 },
  'K/min': { 'K/min': 1, '°C/min': 1, 'K/s': 60 },
};
const ratio: Readonly<Record<string, number>> = { '': 1, '1': 1, '%': 0.01 };

/** What 100 % means for a value of this type, when a device reports it in per cent. */
const wholes: Partial<Record<ValueType, Base>> = {
  [valueTypes.volt]: 'un',
  [valueTypes.ampere]: 'in',
  [valueTypes.watt]: 'pn',
  [valueTypes.milliampere]: 'set',
  [valueTypes.kilowattHour]: 'quota',
};

/**
 * Factor from the device's `unit` to the type's own unit. Null if the unit is unknown or its reference value
 * is not known; then the value keeps its unit.
 */
export const unitFactor = (type: AlarmType, unit: string, ratings: Ratings): number | null => {
  if (type.valueType === valueTypes.state || unit === type.unit) return 1;
  const known = type.valueType === valueTypes.ratio ? ratio[unit] : factors[type.unit]?.[unit];
  if (known !== undefined) return known;
  const whole = wholes[type.valueType];
  if (unit !== '%' || whole === undefined) return null;
  const base = baseOf(whole, ratings);
  return Number.isFinite(base) ? base / 100 : null;
};
