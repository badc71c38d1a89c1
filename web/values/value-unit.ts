import { type ValueType, valueUnits } from '#contract/alarm-catalogue.ts';

/** Unit of an alarm's value by its wire number; '' for states and counts. */
export const unitOf = (valueType: number): string => valueUnits[valueType as ValueType] ?? '';
