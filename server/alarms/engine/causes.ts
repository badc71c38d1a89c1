/** Which alarm is a consequence of which other (domain reference §3.2 rule 5). */

import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { isOfOutage, isOfSwitching } from '#contract/alarm-traits.ts';
import { type ActiveAlarm, busbarCodes, type LineState } from './memory.ts';

const ofPhaseLoss: ReadonlySet<number> = new Set([
  alarmCodes.undervoltage,
  alarmCodes.neutralLoss,
  alarmCodes.voltageUnbalance,
  alarmCodes.currentUnbalance,
]);
const ofNeutralLoss: ReadonlySet<number> = new Set([
  alarmCodes.overvoltage,
  alarmCodes.undervoltage,
  alarmCodes.voltageUnbalance,
]);
/** Protections that trip the line: the trip joins their work order. */
const tripping: ReadonlySet<number> = new Set([
  alarmCodes.overvoltage,
  alarmCodes.undervoltage,
  alarmCodes.phaseLoss,
  alarmCodes.neutralLoss,
  alarmCodes.overcurrent,
  alarmCodes.shortCircuit,
  alarmCodes.leakage,
  alarmCodes.cableTemperature,
  alarmCodes.coreTemperature,
  alarmCodes.seriesArc,
  alarmCodes.parallelArc,
]);
/** An effect that began this long before its supposed cause was not caused by it. */
const causeWindowMs = 10_000;

/** A line with voltage or current since the cause began disproves that it lacks supply or link. */
const disproves = ({ supply }: LineState, cause: ActiveAlarm) =>
  supply?.carries === true && supply.at >= cause.raisedAt;
/** The newest reading of the line shows neither voltage nor current. */
const isDead = ({ supply }: LineState) => supply?.carries === false;
/** No reading shows voltage or current; line 0 of a device never has any. */
const isWithoutSupply = ({ supply }: LineState) => supply?.carries !== true;
const isCritical = (code: number) => alarmTypeOf(code)?.severity === 1;

/** Whether an outage of a line (109) or the offline alarm of its device (801) explains a code on a line. */
const outageExplains = (cause: ActiveAlarm, code: number, line: LineState): boolean => {
  const same = cause.lineId === line.lineId;
  if (code === alarmCodes.outage) return !same && cause.code === alarmCodes.outage;
  if (!isOfOutage(code)) return false;
  if (same || (cause.code === alarmCodes.offline && isOfSwitching(code))) return !disproves(line, cause);
  return isDead(line) && !isCritical(code);
};

export type Effect = Pick<
  ActiveAlarm,
  'code' | 'phase' | 'level' | 'raisedAt' | 'deviceId' | 'projectId' | 'partId'
>;

/** Supply conditions that the lines of a device share; each line reports them in messages a moment apart. */
const ofSupply: ReadonlySet<number> = new Set([
  alarmCodes.overvoltage,
  alarmCodes.undervoltage,
  alarmCodes.phaseLoss,
  alarmCodes.frequency,
  alarmCodes.phaseSequence,
]);
const sharedMs = 60_000;
/** The devices of a busbar report further apart, because each has its own interval and delay. */
const ofBusbarMs = 120_000;
const sensorCode = alarmCodes.sensorFault;
const isTogether = (cause: ActiveAlarm, effect: Effect, withinMs: number) =>
  Math.abs(effect.raisedAt - cause.raisedAt) <= withinMs;

/** Whether another line, of the device or of its busbar, has the same problem with the shared supply. */
const supplyExplains = (cause: ActiveAlarm, effect: Effect): boolean => {
  const ownDevice = cause.deviceId === effect.deviceId;
  return (
    cause.code === effect.code &&
    (ownDevice ? ofSupply : busbarCodes).has(effect.code) &&
    !isCritical(effect.code) &&
    isTogether(cause, effect, ownDevice ? sharedMs : ofBusbarMs)
  );
};

/** Its source reported the end; it is still active because it chatters. */
const isHeld = ({ normalAt, latched }: ActiveAlarm): boolean => normalAt !== null && !latched;

const explains = (cause: ActiveAlarm, effect: Effect, line: LineState): boolean => {
  const { code, level } = effect;
  if (isHeld(cause)) return false;
  if (cause.level < level) return false;
  if (code === alarmCodes.offline)
    return cause.code === alarmCodes.outage && [...line.device.lines.values()].every(isWithoutSupply);
  if (cause.code === alarmCodes.outage || cause.code === alarmCodes.offline)
    return outageExplains(cause, code, line);
  if (cause.lineId !== line.lineId) return supplyExplains(cause, effect);
  if (code === alarmCodes.protectiveTrip) return owns(cause, line.trip);
  if (code === sensorCode)
    return cause.code === code && cause.phase !== effect.phase && isTogether(cause, effect, causeWindowMs);
  // One step of leakage current may exceed both limits.
  if (code === alarmCodes.leakageStep)
    return cause.code === alarmCodes.leakage && isTogether(cause, effect, sharedMs);
  if (code === alarmCodes.leakage)
    return cause.code === alarmCodes.leakageStep && level === 1 && isTogether(cause, effect, sharedMs);
  if (cause.code === alarmCodes.phaseLoss) return ofPhaseLoss.has(code);
  if (cause.code === alarmCodes.neutralLoss) return ofNeutralLoss.has(code);
  return false;
};

/** Whether a protection opened its line: the trip code names it, or no protection at all. */
const owns = (cause: ActiveAlarm, trip: number | null): boolean =>
  tripping.has(cause.code) && cause.level === 2 && (trip === cause.code || !tripping.has(trip ?? 0));

type OnLine = readonly [ActiveAlarm, LineState];
function* activeOfDevice(line: LineState): Generator<OnLine> {
  for (const other of line.device.lines.values())
    for (const { active } of other.conditions.values())
      if (active && !active.unrecorded) yield [active, other];
}

/** Whether no alarm suppresses it, or only an outage of the whole project (`lineId` below 0). */
const stands = (alarm: ActiveAlarm) => alarm.parent === null || alarm.parent.lineId < 0;

/** Recorded alarms of the line's device, and supply alarms of its busbar, oldest first. */
function* activeNearby(
  line: LineState,
  about: Pick<ActiveAlarm, 'code' | 'projectId' | 'partId'>,
): Generator<OnLine> {
  yield* activeOfDevice(line);
  if (!busbarCodes.has(about.code)) return;
  for (const found of line.device.busbars.of(about))
    if (found[1].device !== line.device && found[0].clearedAt === null) yield found;
}

/** The active alarm that explains a code on this line, or null. `counts`: which alarms may be causes. */
export const causeOf = (
  line: LineState,
  effect: Effect,
  counts: (cause: ActiveAlarm) => boolean = () => true,
): ActiveAlarm | null => {
  for (const [alarm] of activeNearby(line, effect))
    if (alarm !== effect && !alarm.late && stands(alarm) && explains(alarm, effect, line) && counts(alarm))
      return alarm;
  return null;
};

/** Whether the alarm that suppresses this one still explains it. */
export const isHeldBack = (line: LineState, alarm: ActiveAlarm): boolean => {
  const { parent } = alarm;
  if (parent === null || parent.clearedAt !== null) return false;
  if (parent.lineId < 0 || alarm.code === alarmCodes.protectiveTrip) return true;
  return explains(parent, alarm, line);
};

/** The protection that caused a trip of this line, or null. */
export const ownerOfTrip = (line: LineState): ActiveAlarm | null => {
  for (const { active } of line.conditions.values())
    if (active && !active.unrecorded && !active.late && owns(active, line.trip)) return active;
  return null;
};

/**
 * Active alarms of its device that are consequences of a cause found shortly afterwards. Those of other
 * devices stay: users have already been notified of the first alarm of a busbar.
 */
export const consequencesOf = (line: LineState, cause: ActiveAlarm): ActiveAlarm[] =>
  [...line.device.lines.values()].flatMap((other) =>
    [...other.conditions.values()].flatMap(({ active }) =>
      active &&
      !active.unrecorded &&
      active !== cause &&
      active.parent === null &&
      !active.late &&
      cause.raisedAt - active.raisedAt <= causeWindowMs &&
      explains(cause, active, other)
        ? [active]
        : [],
    ),
  );

/** Alarms suppressed by one that has just ended, with their lines: the first of them takes over. */
export const heldBackBy = (line: LineState, cause: ActiveAlarm): OnLine[] =>
  [...activeNearby(line, cause)]
    .filter(([alarm]) => alarm.parent === cause)
    .sort(([a], [b]) => a.raisedAt - b.raisedAt);
