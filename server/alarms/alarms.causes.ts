/** Which alarm is a consequence of which other one (domain reference §3.2 rule 5). */
import type { ActiveAlarm, LineState } from './alarms.state.ts';

const ofPhaseLoss: ReadonlySet<number> = new Set([102, 104, 105, 203]);
const ofNeutralLoss: ReadonlySet<number> = new Set([101, 102, 105]);
/** Protections that trip the line themselves: the trip belongs into their work order. */
const tripping: ReadonlySet<number> = new Set([205, 301, 501, 502]);
/** An effect that stood this long before its supposed cause was not caused by it. */
const causeWindowMs = 10_000;

/** Voltage, load and switching troubles of a device without supply or link; a short circuit or a trip stays a cause of its own. */
const ofOutage = (code: number) =>
  (code >= 101 && code <= 108) ||
  (code >= 200 && code < 300 && code !== 205) ||
  (code >= 700 && code < 800 && code !== 701);

const explains = (cause: ActiveAlarm, code: number, lineId: number): boolean => {
  if (cause.code === 109 && code === 109) return cause.lineId !== lineId;
  if (cause.code === 109 || cause.code === 801) return ofOutage(code);
  if (cause.lineId !== lineId) return false;
  if (cause.code === 103) return ofPhaseLoss.has(code);
  if (cause.code === 104) return ofNeutralLoss.has(code);
  return tripping.has(cause.code) && cause.level === 2 && code === 701;
};

function* activeOfDevice(line: LineState): Generator<ActiveAlarm> {
  for (const other of line.device.lines.values())
    for (const condition of other.conditions.values()) if (condition.active) yield condition.active;
}

/** Held back by nothing, or only as part of an outage of the whole project (`lineId` below 0). */
const stands = (alarm: ActiveAlarm) => alarm.parent === null || alarm.parent.lineId < 0;

/** The standing alarm that explains a code on this line, or null. */
export const causeOf = (line: LineState, code: number): ActiveAlarm | null => {
  for (const alarm of activeOfDevice(line))
    if (!alarm.late && stands(alarm) && explains(alarm, code, line.lineId)) return alarm;
  return null;
};

/** The protection that owns a trip of this line, or null. */
export const ownerOfTrip = (line: LineState): ActiveAlarm | null => {
  for (const { active } of line.conditions.values())
    if (active && !active.late && tripping.has(active.code) && active.level === 2) return active;
  return null;
};

/** Standing alarms that turn out to be consequences of a cause that was noticed a moment later. */
export const consequencesOf = (line: LineState, cause: ActiveAlarm): ActiveAlarm[] =>
  [...activeOfDevice(line)].filter(
    (alarm) =>
      alarm !== cause &&
      alarm.parent === null &&
      !alarm.late &&
      cause.raisedAt - alarm.raisedAt <= causeWindowMs &&
      explains(cause, alarm.code, alarm.lineId),
  );

/** Alarms held back by one that has just ended. */
export const heldBackBy = (line: LineState, cause: ActiveAlarm): ActiveAlarm[] =>
  [...activeOfDevice(line)].filter((alarm) => alarm.parent === cause);
