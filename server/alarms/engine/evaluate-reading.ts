/**
 * Turns readings into alarms, on the hot path. A line without a value near a limit and without an active
 * alarm costs a few comparisons.
 */

import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { isUnmeasured } from '#contract/alarm-traits.ts';
import { type GroupEvent, type GroupReading, isOlderThanAnyBacklog } from '#server/core/group.ts';
import { isHeldBack, ownerOfTrip } from './causes.ts';
import { type Draft, type Finding, isWorse } from './changes.ts';
import type { Check } from './check.ts';
import { chatteringHoldMs, freshWatch, holdMs, isIdle, isSettled, step } from './delays.ts';
import { goOn, type IsEnabled, raiseFound } from './found.ts';
import type { LineChecks, LineWatch } from './limits.ts';
import { endLost, endRestarted } from './lost-ends.ts';
import { freezeLeakage, remember } from './measures.ts';
import { type ActiveAlarm, type Condition, keyOf, type LineState } from './memory.ts';
import { judgeSensors } from './sensors.ts';
import { snapshotOf } from './snapshot.ts';

/**
 * Judges one reading. Late data and readings older than the latest never raise or end an alarm: they are
 * evaluated afterwards, when all have arrived (`backlog.ts`). A trip is remembered (`trips.ts`).
 */
export const judgeReading = (
  draft: Draft,
  watch: LineWatch,
  reading: GroupReading,
  isEnabled: IsEnabled,
): void => {
  if (reading.late || !reading.latest) {
    if (isOlderThanAnyBacklog(reading)) judgeTooOld(draft, watch, reading);
    else judgeLate(draft, watch, reading);
    return;
  }
  const { state, checks } = watch;
  state.supply = { at: reading.at, carries: checks.carries(reading) };
  remember(state.memory, checks.remembered, reading, draft.journal);
  if (watch.orphans.length > 0) endOrphans(draft, watch, reading.at);
  for (const check of checks.checks) {
    const value = check.measure(reading, state.memory) * check.sign;
    if (value > check.first) {
      if (check.waits?.(draft, state, reading.line.deviceLineId)) beginAnew(draft, state, check.key);
      else if (!(check.needsClosed && reading.position === 0))
        judge(draft, state, check, reading, value, isEnabled);
    } else if (state.conditions.size > 0 && state.conditions.has(check.key)) {
      if (!Number.isNaN(value)) judge(draft, state, check, reading, value, isEnabled);
      else if (reading.faults.length > 0) becomesUnknown(draft, state, check.key, reading.at);
    }
  }
  if (reading.faults.length > 0 || state.conditions.size > 0) judgeSensors(draft, state, reading, isEnabled);
  if (state.conditions.size > 0) {
    endLost(draft, watch, reading);
    if (state.supply.carries) showDisproved(draft, watch, reading.at);
  }
  const ofDevice = state.device.lines.get(reading.line.deviceLineId);
  if (ofDevice && ofDevice !== state && ofDevice.conditions.size > 0)
    endRestarted(draft, ofDevice, [], reading);
  if (checks.switching && reading.trip !== null && (reading.trip !== 0 || state.trip !== 0))
    judgeTrip(draft, watch, reading, reading.trip, isEnabled);
};

/**
 * Voltage or current on the line disproves an outage as the cause of alarms that no value of the line shows
 * again.
 */
const showDisproved = (draft: Draft, { state, checks }: LineWatch, at: number): void => {
  for (const { active } of [...state.conditions.values()]) {
    if (!active?.parent || isHeldBack(state, active)) continue;
    const { latched, code } = active;
    const isMeasured = !isUnmeasured(code) && checks.checks.some(({ type }) => type.code === code);
    if (latched || !isMeasured) draft.reconsider(state, active, at);
  }
};

const judgeLate = (draft: Draft, { state, checks }: LineWatch, reading: GroupReading): void => {
  if (isBacklog(reading) || hasAlarm(state)) draft.cameLate(reading);
  if (!checks.switching || reading.trip === null) return;
  draft.lateTrips.push(reading);
  // It was sent after the newest live one. Only a live one ends this: late ones come in any order.
  if (reading.trip === 0 && reading.notBefore !== undefined) draft.journal.touch(state).tripGone = true;
};

/**
 * A reading with an implausible time is not stored: its trip is remembered, and logged, with the time of
 * receipt. A trip that several consecutive readings show is logged once.
 */
const judgeTooOld = (draft: Draft, { state, checks }: LineWatch, reading: GroupReading): void => {
  const { trip, receivedAt, lineId } = reading;
  const before = state.tripOfOld;
  if (!checks.switching || trip === null || trip === (before?.code ?? 0)) return;
  // Two entries of the same moment must differ in time.
  const at = Math.max(receivedAt, (before?.at ?? 0) + 1);
  draft.journal.touch(state).tripOfOld = { code: trip, at };
  if (trip === 0) return;
  draft.trippedBefore(reading, trip);
  draft.eventLines.push({
    ...{ lineId, at, code: alarmCodes.protectiveTrip, phase: 0, level: 2, kind: 'raised' },
    ...{ value: trip, threshold: null, eventId: null },
  });
};

const mostReorderedMs = 60_000;
/** Whether a reading arrived so late that it must be from a backlog, not only overtaken by later messages. */
const isBacklog = ({ receivedAt, at, line }: GroupReading): boolean =>
  receivedAt - at > Math.min(line.uploadSeconds * 1000, mostReorderedMs);

/** It may show that the condition of an active alarm had ended. */
const hasAlarm = ({ conditions }: LineState): boolean => {
  for (const { active } of conditions.values()) if (active !== null) return true;
  return false;
};

const beginAnew = (draft: Draft, state: LineState, key: number): void => {
  const condition = state.conditions.get(key);
  if (condition) Object.assign(draft.journal.touch(condition), freshWatch());
};

/**
 * A sensor fails while an alarm depends on it: the alarm stays active, and its last value is no longer valid.
 */
const becomesUnknown = (draft: Draft, state: LineState, key: number, at: number): void => {
  const condition = state.conditions.get(key);
  if (!condition) return;
  draft.journal.touch(condition).normal = Number.NaN;
  const { active } = condition;
  if (active && active.value !== null) draft.unknown(active);
  if (active && active.parent !== null && !isHeldBack(state, active)) draft.reconsider(state, active, at);
};

const endOrphans = (draft: Draft, watch: LineWatch, at: number): void => {
  for (const key of watch.orphans) {
    const alarm = watch.state.conditions.get(key)?.active;
    if (!alarm) continue;
    if (!alarm.latched) draft.clear(watch.state, alarm, at, 'cleared', 'limits');
    else if (alarm.normalAt === null) draft.needReset(alarm, at);
  }
  draft.journal.touch(watch).orphans = [];
};

/** A device's own alarm of the same code; on any phase if one of them does not name a phase. */
const deviceAlarm = (state: LineState, check: Check): ActiveAlarm | null => {
  if (check.waits) return null;
  for (const { active } of state.conditions.values())
    if (
      active?.source === 'device' &&
      active.code === check.type.code &&
      (active.phase === check.phase || active.phase === 0 || check.phase === 0)
    )
      return active;
  return null;
};

const judge = (
  draft: Draft,
  state: LineState,
  check: Check,
  reading: GroupReading,
  value: number,
  isEnabled: IsEnabled,
): void => {
  const { at } = reading;
  const level = value > check.alarm ? 2 : value > check.early ? 1 : 0;
  const owned = state.conditions.size > 0 ? deviceAlarm(state, check) : null;
  const condition = draft.journal.condition(state, check.type.code, check.phase);
  forbidBeyond(draft, state, check, condition, value, at);
  const active = owned ?? condition.active;
  const chattering = at < condition.chatteringUntil;
  const timing = chattering ? { ...check.timing, offMs: holdMs(check.timing.offMs) } : check.timing;
  if (chattering && level > 0 && !Number.isNaN(condition.normal))
    draft.journal.touch(condition).chatteringUntil = at + chatteringHoldMs;
  const verdict = step(condition, timing, at, level, value <= check.clear, active?.level ?? 0);
  if (check.type.code === alarmCodes.leakageStep && level > 0 && active === null)
    freezeLeakage(draft.journal.touch(state.memory), at);
  if (verdict === 'nothing') {
    if (condition.active === null && level === 0) forget(draft, state, condition, at);
    return;
  }
  if (verdict === 'normal') {
    if (condition.active) endOrWait(draft, state, condition.active, check, reading, value);
    else forget(draft, state, condition, at);
    return;
  }
  const reached = verdict === 'alarm' ? 2 : verdict === 'early' ? 1 : (active?.level ?? 1);
  const finding = findingOf(state, check, reading, value, reached);
  if (active) goOn(draft, state, active, finding, verdict !== 'still');
  else raiseFound(draft, state, finding, isEnabled);
};

/** The limit that forbids closing applies although its alarm level is switched off (§3.2 rule 11). */
const forbidBeyond = (
  draft: Draft,
  state: LineState,
  check: Check,
  condition: Condition,
  value: number,
  at: number,
): void => {
  const beyond = condition.beyond ? value > check.allowed : value > check.forbidden;
  if (beyond === condition.beyond) return;
  draft.journal.touch(condition).beyond = beyond;
  const { lineId, device } = state;
  draft.forbid({ lineId, deviceId: device.deviceId, code: condition.code, phase: condition.phase }, at);
};

const findingOf = (
  state: LineState,
  check: Check,
  reading: GroupReading,
  value: number,
  level: 1 | 2,
): Finding => {
  const [shownValue, threshold, unit] = shown(check, reading, state, value, level);
  return {
    line: reading.line,
    type: check.type,
    phase: check.phase,
    level,
    source: 'server',
    at: reading.at,
    receivedAt: reading.receivedAt,
    value: shownValue,
    threshold,
    unit: unit ?? null,
    latched: level === 2 && value > check.latchAbove,
    boot: reading.boot,
    snapshot: () => snapshotOf(reading),
    original: reading.original,
  };
};

/** Value and threshold for users, in the alarm's unit. */
const shown = (
  check: Check,
  reading: GroupReading,
  state: LineState,
  value: number,
  level: 1 | 2,
): readonly [value: number | null, threshold: number, unit?: string] =>
  check.shows?.(reading, state.memory, level) ?? [
    value * check.sign,
    (level === 2 ? check.alarm : check.early) * check.sign,
  ];

const endOrWait = (
  draft: Draft,
  state: LineState,
  alarm: ActiveAlarm,
  check: Check,
  reading: GroupReading,
  value: number,
): void => {
  const { at } = reading;
  if (alarm.latched) {
    if (alarm.normalAt === null) draft.needReset(alarm, at);
  } else if (alarm.source === 'server') {
    const [now, , unit = null] = shown(check, reading, state, value, alarm.level);
    const isBeyond = now !== null && alarm.threshold !== null && isWorse(alarm.code, now, alarm.threshold);
    draft.clear(state, alarm, at, 'cleared', isBeyond && unit === alarm.unit ? 'limits' : undefined);
  }
};

const forget = (draft: Draft, state: LineState, condition: Condition, at: number): void => {
  if (!isIdle(condition) || condition.beyond) return;
  if (!isSettled(condition, at)) return;
  draft.journal.forget(state, condition);
};

/** A latched trip: part of the work order of the protection that caused it, else a separate alarm (701). */
export const judgeTrip = (
  draft: Draft,
  watch: LineWatch,
  what: GroupReading | GroupEvent,
  trip: number,
  isEnabled: IsEnabled,
): void => {
  const { state } = watch;
  const { at, receivedAt } = what;
  const condition = state.conditions.get(keyOf(alarmCodes.protectiveTrip, 0));
  if (trip === 0) {
    const ended = state.trip;
    if ((ended !== null && ended !== 0) || condition?.active)
      resetLine(draft, watch, at, (alarm) => endsWithTrip(alarm, ended));
    Object.assign(draft.journal.touch(state), { trip: 0, tripGone: false });
    return;
  }
  const other = (state.trip !== null && state.trip !== 0 && state.trip !== trip) || state.tripGone;
  const isNew = state.trip !== trip || state.tripGone;
  if (isNew || 'message' in what) draft.tripped(what.line, { code: trip, at, receivedAt, isLate: false });
  if (isNew) Object.assign(draft.journal.touch(state), { trip, tripGone: false });
  const type = alarmTypeOf(alarmCodes.protectiveTrip);
  if (!type) return;
  const finding: Finding = {
    line: what.line,
    type,
    phase: 0,
    level: 2,
    source: 'server',
    at,
    receivedAt,
    value: trip,
    threshold: null,
    unit: null,
    latched: true,
    boot: bootOf(what),
    snapshot: () => snapshotOf(what),
    original: what.original,
  };
  const active = condition?.active;
  if (active) {
    draft.wake(active, at);
    const isAnother = other || ('message' in what && at - active.lastAt > sameTripMs);
    if (isAnother && draft.renew(state, active, finding)) return;
    if (isAnother) draft.repeat(active, finding, true);
    if (active.parent !== null && !isHeldBack(state, active)) draft.reconsider(state, active, at);
    return;
  }
  const owner = ownerOfTrip(state);
  // What a user handled does not include this trip, nor does the work order that the owner is a consequence of.
  if (owner && !draft.isProcessed(owner) && !(owner.parent && draft.isProcessed(owner.parent))) {
    if (!owner.tags.includes('trip')) draft.trip(owner, at, trip);
    return;
  }
  // The same trip, which was handled with its cause.
  if (owner?.tags.includes('trip') && !isNew && !('message' in what)) return;
  raiseFound(draft, state, finding, isEnabled);
};
/** The times of a reading and an event about one trip may differ by this much. */
const sameTripMs = 10_000;
const bootOf = (what: GroupReading | GroupEvent): number =>
  'message' in what ? what.message.boot : what.boot;

/**
 * A trip that disappears was reset at the device. Other alarms of the device continue until the device ends
 * them.
 */
const endsWithTrip = ({ source, tags, code }: ActiveAlarm, trip: number | null): boolean =>
  source !== 'device' || tags.includes('trip') || code === trip;

/**
 * A reset reached the line: trips, and alarms with a normal value, end; other active alarms lose their latch
 * and end by their value alone.
 */
export const resetLine = (
  draft: Draft,
  watch: { readonly state: LineState; readonly checks: Pick<LineChecks, 'checks'> },
  at: number,
  reaches: (alarm: ActiveAlarm) => boolean = () => true,
): void => {
  for (const condition of [...watch.state.conditions.values()]) {
    const { active } = condition;
    if (!active?.latched || !reaches(active)) continue;
    const measured = watch.checks.checks.some((check) => check.key === condition.key);
    if (active.normalAt !== null || !measured) draft.clear(watch.state, active, at, 'reset');
    else {
      draft.write(active).latched = false;
      active.source = 'server';
    }
  }
};
