import { alarmTypeOf, type ValueType, valueUnits } from '#contract/alarm-catalogue.ts';

/** Unit of an alarm's value; '' for states and counts. A time is in seconds or, of some types, in days. */
export const unitOf = ({ typeNumber, value_type }: { typeNumber: number; value_type: number }): string =>
  alarmTypeOf(typeNumber)?.unit ?? valueUnits[value_type as ValueType] ?? '';
