import { alarmCodes } from './alarm-codes.ts';

/** Traits of alarm types besides their limits. Sources: domain reference §2.2, §3.2. */

/** Short but serious: short circuit, arcs, a protective trip. */
export const isShort = (code: number): boolean =>
  code === alarmCodes.shortCircuit ||
  (code >= 500 && code < 600 && code !== alarmCodes.arcTrend) ||
  code === alarmCodes.protectiveTrip;

/** Occurrences are logged even if the type is switched off (§3.2 rule 11). */
export const isLoggedWhenOff = (code: number): boolean =>
  code === alarmCodes.leakage || code === alarmCodes.coreTemperature || isShort(code);

/** Found by the server as an event: no reading shows whether it persists, and each finding is a new alarm. */
export const isFound = (code: number): boolean =>
  code === alarmCodes.switchingFailed || code === alarmCodes.uncommandedMove;

export const isOfSwitching = (code: number): boolean => code >= 700 && code < 800;

/** Found by scheduled work in the values of days and weeks; only early warnings. Decision 0135. */
export const trendCodes: readonly number[] = [
  alarmCodes.leakageTrend,
  alarmCodes.jointTrend,
  alarmCodes.arcTrend,
];

/** Switching and link alarms: no reading can raise such an alarm again after it was suppressed. */
export const isUnmeasured = (code: number): boolean => code >= 700;

/**
 * Voltage, load and switching alarms that a lost supply or link explains. A short circuit or a trip is itself
 * a cause.
 */
export const isOfOutage = (code: number): boolean =>
  (code >= alarmCodes.overvoltage && code <= alarmCodes.voltageSwell) ||
  (code >= 200 && code < 300 && code !== alarmCodes.shortCircuit) ||
  (isOfSwitching(code) && code !== alarmCodes.protectiveTrip);

/**
 * After a trip by one of these types no device may close by itself. Source: domain reference §1.4,
 * `auto_reclose`.
 */
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
/**
 * Trips that require an inspection before the line is closed; a trip without a known cause is one of them.
 */
export const isGraveTrip = (code: number): boolean =>
  neverReclosed.has(code) || code === alarmCodes.protectiveTrip || !knownCodes.has(code);

/** Alarms up to this severity are announced whatever happens: no flood, group or backlog withholds them. */
const graveSeverity = 2;
export const isGrave = ({ severity }: { readonly severity: number }): boolean => severity <= graveSeverity;
