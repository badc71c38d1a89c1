import type { Formats } from '#web/i18n/format.ts';
import type { Dash, Tone } from './look.ts';
import type { Range } from './sample.ts';

interface Drawn {
  /** Identifies the series while its numbers change. */
  key: string;
  name: string;
  tone?: Tone | undefined;
  dash?: Dash | undefined;
  /** Digits after the decimal sign; absent: by the size of the number. */
  digits?: number | undefined;
}
/** One quantity over time. `at` and `values` have the same length. */
export interface TimeSeries extends Drawn {
  at: readonly number[];
  values: readonly (number | null)[];
  /** Usual distance between two points: more than 2.5 times as much is a gap. */
  stepMs?: number | undefined;
  shape?: 'line' | 'step' | 'bar' | 'point' | undefined;
  /** Lowest and highest value of each point, drawn as a band around the line. */
  band?: { low: readonly (number | null)[]; high: readonly (number | null)[] } | undefined;
  /** Estimated instead of measured points: hatched. */
  estimated?: readonly boolean[] | undefined;
}
export interface Limit {
  name: string;
  value: number;
  tone: 'alarm' | 'early' | 'faint';
}
/** One vertical axis with the quantities of its unit. */
export interface TimePanel {
  unit: string;
  /** Name of the panel, if there are several. */
  title?: string | undefined;
  series: readonly TimeSeries[];
  limits?: readonly Limit[] | undefined;
  /** The axis includes all limits, even those that no value is near. */
  reachesLimits?: boolean | undefined;
  /** The axis begins at zero; else it fits the values. */
  fromZero?: boolean | undefined;
}
/** An event at one moment: a command, a trip, an alarm. */
export interface Mark {
  at: number;
  name: string;
  tone?: Tone | undefined;
}
/** Panels below each other with a common time axis and crosshair. */
export interface TimeModel {
  panels: readonly TimePanel[];
  marks?: readonly Mark[] | undefined;
  /** Named periods, shaded over all panels. */
  spans?: readonly (Range & { name: string })[] | undefined;
}

/** One quantity per category: days, types, projects. */
export interface CategorySeries extends Drawn {
  values: readonly (number | null)[];
  shape?: 'bar' | 'line' | 'step' | undefined;
  /** Bars with the same word are stacked. */
  stack?: string | undefined;
  estimated?: readonly boolean[] | undefined;
  /** Uses the second axis. */
  second?: boolean | undefined;
}
export interface CategoryModel {
  labels: readonly string[];
  /** The categories whose labels may stand below the plot, at equal distances; absent: all. */
  labelled?: readonly number[] | undefined;
  /** Full names of the categories for tooltip and table, if the axis labels are shorter. */
  fullLabels?: readonly string[] | undefined;
  /** Heading of the column of categories in the table. */
  heading: string;
  unit: string;
  second?: { unit: string; max?: number } | undefined;
  series: readonly CategorySeries[];
  limits?: readonly Limit[] | undefined;
  /** Horizontal bars, the first category on top. */
  horizontal?: boolean | undefined;
  /** Whole numbers: no axis label between them. */
  counts?: boolean | undefined;
}

/** Digits that make a number readable: 1234, 123.4, 12.34, 0.123. */
const digitsOf = (value: number): number => {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1000) return 0;
  return size >= 100 ? 1 : size >= 1 ? 2 : 3;
};
export const textOf = (formats: Formats, value: number | null, unit: string, digits?: number): string => {
  if (value === null) return '—';
  const text = formats.number(value, digits ?? digitsOf(value));
  return unit === '' ? text : `${text}\u00a0${unit}`;
};
export const nameWithUnit = (name: string, unit: string): string => (unit === '' ? name : `${name}, ${unit}`);
