import { alarmUnit } from '#contract/alarm-units.ts';

/** Unit of an alarm's value; '' for states and ratios. */
export const unitOf = (alarm: { typeNumber: number; value_type: number; unit?: string | null }): string =>
  alarmUnit(alarm).unit;
