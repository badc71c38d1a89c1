/** Which nominal voltage readings fit: pure decisions. */
import { nominalVoltages } from '#contract/projects.ts';

/** Values of devices that measure between phases. Source: IEC 60038, table 1. */
const betweenPhases = [380, 400, 415] as const;
const standards: readonly number[] = [...nominalVoltages, 277, ...betweenPhases];

/** The steady voltages of a device: median, V, and the number of minutes or hours. */
interface Seen {
  median: number;
  n: number;
}
export interface Voltages {
  /** The nominal voltage in effect for the device. */
  nominal: number;
  /** Minutes of the last hour. */
  recent: Seen;
  /** Hours of the last week. */
  week: Seen;
  /** Hours of the last month in which the voltage was near the nominal one. */
  fitting: number;
}

const minutesNeeded = 10;
const hoursNeeded = 24;
/** Farther from the nominal voltage than any working supply. */
const farOff = 0.15;
/** Maximum distance between a supply and its standard voltage. */
const near = 0.06;
/** A neighbouring standard voltage (220, 230, 240 V) must fit better by this much. */
const better = 0.02;

const off = (volts: number, nominal: number) => Math.abs(volts / nominal - 1);
const nearest = (volts: number): number | null => {
  const best = standards.toSorted((a, b) => off(volts, a) - off(volts, b))[0]!;
  return off(volts, best) <= near ? best : null;
};

/**
 * The nominal voltage to propose, or null. A voltage far off is proposed after minutes, unless the device has
 * ever been near its nominal voltage: then it is a fault. A neighbouring standard voltage takes a day.
 */
export const proposedVoltage = ({ nominal, recent, week, fitting }: Voltages): number | null => {
  if (recent.n >= minutesNeeded && fitting === 0 && off(recent.median, nominal) > farOff)
    return nearest(recent.median);
  if (week.n < hoursNeeded || off(week.median, nominal) > farOff) return null;
  const found = nearest(week.median);
  if (found === null || found === nominal) return null;
  return off(week.median, nominal) > off(week.median, found) + better ? found : null;
};
