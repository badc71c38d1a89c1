/** Readings into alarms: the part on the hot path. Nothing near a limit and nothing standing costs a few comparisons. */

import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import type { GroupEvent, GroupReading } from '#server/core/group.ts';
import { ownerOfTrip } from './alarms.causes.ts';
import { type Draft, loggedWhenOff } from './alarms.draft.ts';
import type { Check, LineChecks } from './alarms.limits.ts';
import { freezeLeakage, remember } from './alarms.measures.ts';
import { chatteringHoldMs, isIdle, step } from './alarms.rules.ts';
import { snapshotOf } from './alarms.snapshot.ts';
import { type ActiveAlarm, type Condition, keyOf, type LineState } from './alarms.state.ts';

/** A line with its compiled checks. */
export interface LineWatch {
  readonly state: LineState;
  readonly checks: LineChecks;
  /** Alarms of the server that no check of this line can end any more: its limits changed. */
  orphans: readonly number[];
}
export type IsEnabled = (code: number) => boolean;

/** Judges one reading. Late data and what is older than the latest never raises or ends anything. */
export const judgeReading = (
  draft: Draft,
  watch: LineWatch,
  reading: GroupReading,
  isEnabled: IsEnabled,
): void => {
  if (reading.late || !reading.latest) return;
  const { state, checks } = watch;
  remember(state.memory, checks.remembered, reading, draft.journal);
  if (watch.orphans.length > 0) endOrphans(draft, watch, reading.at);
  for (const check of checks.checks) {
    const value = check.measure(reading, state.memory) * check.sign;
    if (value > check.first) {
      if (!(check.needsClosed && reading.position === 0))
        judge(draft, state, check, reading, value, isEnabled);
    } else if (state.conditions.size > 0 && !Number.isNaN(value) && state.conditions.has(check.key))
      judge(draft, state, check, reading, value, isEnabled);
  }
  if (checks.switching && reading.trip !== null && (reading.trip !== 0 || state.trip !== 0))
    judgeTrip(draft, watch, reading, reading.trip, isEnabled);
};

const endOrphans = (draft: Draft, watch: LineWatch, at: number): void => {
  for (const key of watch.orphans) {
    const alarm = watch.state.conditions.get(key)?.active;
    if (alarm) draft.clear(watch.state, alarm, at, 'cleared');
  }
  draft.journal.touch(watch).orphans = [];
};

/** A device's own alarm of the same code, on any phase where one of both does not tell the phase. */
const deviceAlarm = (state: LineState, check: Check): ActiveAlarm | null => {
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
  const { at, receivedAt } = reading;
  const level = value > check.alarm ? 2 : value > check.early ? 1 : 0;
  const owned = state.conditions.size > 0 ? deviceAlarm(state, check) : null;
  if (owned && (owned.phase !== check.phase || level > 0)) {
    if (level === 0) return;
    draft.wake(owned, at);
    draft.repeat(owned, at, receivedAt, shown(check, reading, state, value, level)[0]);
    return;
  }
  const condition = draft.journal.condition(state, check.type.code, check.phase);
  const { active } = condition;
  const chattering = at < condition.chatteringUntil;
  const timing = chattering ? { ...check.timing, offMs: 4 * check.timing.offMs } : check.timing;
  const verdict = step(condition, timing, at, level, value <= check.clear, active?.level ?? 0);
  if (check.type.code === 302 && level > 0 && active === null)
    freezeLeakage(draft.journal.touch(state.memory), at);
  if (verdict === 'nothing') {
    if (active === null && level === 0) forget(draft, state, condition, at);
    return;
  }
  if (verdict === 'normal') {
    if (active) endOrWait(draft, state, active, at);
    return;
  }
  const reached = verdict === 'alarm' ? 2 : verdict === 'early' ? 1 : (active?.level ?? 1);
  const [told, threshold] = shown(check, reading, state, value, reached);
  const latched = reached === 2 && value > check.latchAbove;
  if (active) {
    if (active.parent !== null && active.parent.clearedAt !== null) draft.release(active, at);
    if (latched && !active.latched) draft.write(active).latched = true;
    if (verdict !== 'still') draft.escalate(active, at, told, threshold, latched);
    const back = active.normalAt !== null;
    if (back) draft.write(active).normalAt = null;
    draft.repeat(active, at, receivedAt, told, back || verdict !== 'still');
    return;
  }
  if (!isEnabled(check.type.code)) {
    if (loggedWhenOff(check.type.code))
      draft.eventLines.push({
        lineId: state.lineId,
        at,
        code: check.type.code,
        phase: check.phase,
        level: reached,
        kind: 'raised',
        value: told,
        threshold,
        eventId: null,
      });
    condition.blocked = true;
    return;
  }
  draft.raise(state, {
    line: reading.line,
    type: check.type,
    phase: check.phase,
    level: reached,
    source: 'server',
    at,
    receivedAt,
    value: told,
    threshold,
    latched,
    snapshot: () => snapshotOf(reading),
    original: reading.original,
  });
};

/** Value and threshold as they are told to people, in the alarm's unit. */
const shown = (
  check: Check,
  reading: GroupReading,
  state: LineState,
  value: number,
  level: 1 | 2,
): readonly [number, number] =>
  check.tell?.(reading, state.memory, level) ?? [
    value * check.sign,
    (level === 2 ? check.alarm : check.early) * check.sign,
  ];

const endOrWait = (draft: Draft, state: LineState, alarm: ActiveAlarm, at: number): void => {
  if (alarm.latched) {
    if (alarm.normalAt === null) draft.needReset(alarm, at);
  } else if (alarm.source === 'server') draft.clear(state, alarm, at, 'cleared');
};

const forget = (draft: Draft, state: LineState, condition: Condition, at: number): void => {
  if (!isIdle(condition)) return;
  const last = condition.raisedAt.at(-1);
  if (at < condition.chatteringUntil || (last !== undefined && at - last < chatteringHoldMs / 60)) return;
  condition.raisedAt = [];
  draft.journal.forget(state, condition);
};

/** A latched trip: part of the work order of the protection that caused it, else an alarm of its own (701). */
export const judgeTrip = (
  draft: Draft,
  watch: LineWatch,
  what: GroupReading | GroupEvent,
  trip: number,
  isEnabled: IsEnabled,
): void => {
  const { state } = watch;
  const { at, receivedAt } = what;
  const condition = state.conditions.get(keyOf(701, 0));
  if (trip === 0) {
    if ((state.trip !== null && state.trip !== 0) || condition?.active || condition?.blocked)
      resetLine(draft, watch, at);
    draft.journal.touch(state).trip = 0;
    return;
  }
  if (state.trip !== trip) draft.journal.touch(state).trip = trip;
  if (condition?.active || condition?.blocked) {
    if (condition.active?.parent && condition.active.parent.clearedAt !== null)
      draft.release(condition.active, at);
    return;
  }
  const owner = ownerOfTrip(state);
  if (owner) {
    if (!owner.tags.includes('trip')) draft.trip(owner, at, trip);
    return;
  }
  const type = alarmTypeOf(701);
  if (!type) return;
  if (!isEnabled(701)) {
    draft.journal.condition(state, 701, 0).blocked = true;
    draft.eventLines.push({
      lineId: state.lineId,
      at,
      code: 701,
      phase: 0,
      level: 2,
      kind: 'raised',
      value: trip,
      threshold: null,
      eventId: null,
    });
    return;
  }
  draft.raise(state, {
    line: what.line,
    type,
    phase: 0,
    level: 2,
    source: 'server',
    at,
    receivedAt,
    value: trip,
    threshold: null,
    latched: true,
    snapshot: () => snapshotOf(what),
    original: what.original,
  });
};

/**
 * A reset reached the line: a trip and what is back to normal ends; what still stands loses its latch and ends by
 * its value alone.
 */
export const resetLine = (draft: Draft, watch: Pick<LineWatch, 'state' | 'checks'>, at: number): void => {
  for (const condition of [...watch.state.conditions.values()]) {
    const { active } = condition;
    if (condition.code === 701 && condition.blocked) draft.journal.touch(condition).blocked = false;
    if (!active?.latched) continue;
    const measured = watch.checks.checks.some((check) => check.key === condition.key);
    if (active.normalAt !== null || !measured) draft.clear(watch.state, active, at, 'reset');
    else {
      draft.write(active).latched = false;
      active.source = 'server';
    }
  }
};
