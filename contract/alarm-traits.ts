import { alarmCodes } from './alarm-codes.ts';

/** What alarm types have in common besides their limits. Sources: domain reference §2.2, §3.2. */

/** Short but serious: short circuit, arcs, a protective trip. */
export const isShort = (code: number): boolean =>
  code === alarmCodes.shortCircuit ||
  (code >= 500 && code < 600 && code !== alarmCodes.arcTrend) ||
  code === alarmCodes.protectiveTrip;

/** Occurrences stay in the log even when the type is switched off (§3.2 rule 11). */
export const isLoggedWhenOff = (code: number): boolean =>
  code === alarmCodes.leakage || code === alarmCodes.coreTemperature || isShort(code);

/** Found by the server as an event: no reading shows that it goes on, and each finding is another one. */
export const isFound = (code: number): boolean =>
  code === alarmCodes.switchingFailed || code === alarmCodes.uncommandedMove;

export const isOfSwitching = (code: number): boolean => code >= 700 && code < 800;

/** Found in the values of days and weeks, by scheduled work; an early warning only. Decision 0135. */
export const trendCodes: readonly number[] = [
  alarmCodes.leakageTrend,
  alarmCodes.jointTrend,
  alarmCodes.arcTrend,
];

/** Switching and link: no reading brings such an alarm to light again. */
export const isUnmeasured = (code: number): boolean => code >= 700;

/** Voltage, load and switching troubles of a line without supply or link; a short circuit or a trip is a cause itself. */
export const isOfOutage = (code: number): boolean =>
  (code >= alarmCodes.overvoltage && code <= alarmCodes.voltageSwell) ||
  (code >= 200 && code < 300 && code !== alarmCodes.shortCircuit) ||
  (isOfSwitching(code) && code !== alarmCodes.protectiveTrip);

/** After a trip by one of these no device may close by itself. Source: domain reference §1.4, `auto_reclose`. */
export const neverReclosed: ReadonlySet<number> = new Set([
  alarmCodes.shortCircuit,
  alarmCodes.leakage,
  alarmCodes.leakageStep,
  alarmCodes.cableTemperature,
  alarmCodes.coreTemperature,
  alarmCodes.temperatureRise,
  alarmCodes.seriesArc,
  alarmCodes.parallelArc,
]);
const knownCodes: ReadonlySet<number> = new Set(Object.values(alarmCodes));
/** A trip after which somebody has to look before the line is closed; so is one whose cause nobody named. */
export const isGraveTrip = (code: number): boolean =>
  neverReclosed.has(code) || code === alarmCodes.protectiveTrip || !knownCodes.has(code);
