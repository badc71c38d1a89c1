/** Alarms that devices report themselves, and those that the server finds about a whole device. */

import { type AlarmType, alarmTypeOf, limitOf, type Ratings, valueTypes } from '#contract/alarm-catalogue.ts';
import { isFound, isLoggedWhenOff } from '#contract/alarm-traits.ts';
import { unitFactor } from '#contract/alarm-units.ts';
import type { AlarmEventMessage } from '#contract/telemetry.ts';
import type { GroupEvent, GroupFinding } from '#server/core/group.ts';
import { isHeldBack } from './causes.ts';
import type { Draft, Finding } from './changes.ts';
import { freshWatch } from './delays.ts';
import { judgeTrip } from './evaluate-reading.ts';
import type { EventOrder } from './event-order.ts';
import type { IsEnabled } from './found.ts';
import type { LineWatch } from './limits.ts';
import {
  type ActiveAlarm,
  type Condition,
  type EventFacts,
  keyOf,
  type OpenEvent,
  phaseOf,
} from './memory.ts';
import { snapshotOf } from './snapshot.ts';

export const judgeEvent = (
  draft: Draft,
  watch: LineWatch,
  given: GroupEvent,
  isEnabled: IsEnabled,
  order: EventOrder,
): void => {
  const event = inOrder(draft, watch, given);
  const { message } = event;
  if (message.kind === 'pos') {
    if (message.by !== 'trip') return;
    const code = message.code ?? 1;
    if (event.late) draft.trippedBefore(event, code);
    else judgeTrip(draft, watch, event, code, isEnabled);
    return;
  }
  const type = alarmTypeOf(message.code);
  if (!type) return;
  const phase = phaseIn(event, message);
  if (!isEnabled(message.code)) {
    if (isLoggedWhenOff(message.code))
      draft.eventLines.push({
        lineId: event.line.lineId,
        at: event.at,
        code: message.code,
        phase,
        level: message.lvl,
        kind: message.st === 'raise' ? 'raised' : 'cleared',
        value: message.val ?? null,
        threshold: message.thr ?? null,
        eventId: message.eid || null,
      });
  }
  const from: Raised = { event, message, phase, unrecorded: !isEnabled(message.code) };
  if (message.st === 'raise') raised(draft, watch, from, order);
  else cleared(draft, watch, from, order);
};

/**
 * Within a boot the sequence decides, not the clock: a live event with a higher number is not earlier than the alarm
 * that it concerns, even if the clock was set back in between. Without such an alarm its time stays as it is, because a
 * device may report when a condition began.
 */
const inOrder = (draft: Draft, watch: LineWatch, event: GroupEvent): GroupEvent => {
  const { newestEvent } = watch.state.device;
  const { message } = event;
  const { boot, seq } = message;
  const isSame = boot === newestEvent.boot;
  if (event.late || boot < newestEvent.boot || (isSame && seq <= newestEvent.seq)) return event;
  Object.assign(draft.journal.touch(newestEvent), { boot, seq });
  if (!isSame || message.kind === 'pos') return event;
  const began = standing(watch, message, phaseIn(event, message))?.raisedAt;
  if (began === undefined || event.at >= began) return event;
  // When it ended is not known: not within the two seconds in which an alarm would be deleted.
  return { ...event, at: message.st === 'clear' ? event.receivedAt : Math.min(began + 1, event.receivedAt) };
};

const phaseIn = ({ line }: GroupEvent, { ph }: AlarmEventMessage): number => {
  const single = line.type % 2 === 1 && line.type !== 7;
  return single && ph !== 'n' ? 0 : (phaseOf[ph ?? ''] ?? 0);
};

interface Raised {
  readonly event: GroupEvent;
  readonly message: AlarmEventMessage;
  readonly phase: number;
  /** Its type is switched off. */
  readonly unrecorded: boolean;
}

const conditionsOf = (watch: LineWatch, code: number): (Condition & { active: ActiveAlarm })[] =>
  [...watch.state.conditions.values()].filter(
    (condition): condition is Condition & { active: ActiveAlarm } =>
      condition.code === code && condition.active !== null,
  );
/** The active alarm that an event refers to: by event id, by phase, or the only one if no phase is given. */
const standing = (watch: LineWatch, message: AlarmEventMessage, phase: number): ActiveAlarm | null => {
  const all = conditionsOf(watch, message.code);
  const found =
    all.find(({ active }) => active.eventId === message.eid) ??
    all.find(({ active }) => active.others.some(({ eid }) => eid === message.eid)) ??
    all.find((condition) => condition.phase === phase) ??
    (all.length === 1 && (phase === 0 || all[0]?.phase === 0) ? all[0] : undefined);
  return found?.active ?? null;
};

const raised = (draft: Draft, watch: LineWatch, from: Raised, order: EventOrder): void => {
  const { event, message, phase, unrecorded } = from;
  const { at, late } = event;
  const type = alarmTypeOf(message.code);
  if (!type) return;
  const { state } = watch;
  const alarm = standing(watch, message, phase);
  // A device may use an event's number again.
  const { endedAt, isKnown } = order.began(draft.journal, state.lineId, message, at);
  // Its alarm was raised, and has ended.
  if (isKnown) return;
  const own = alarm?.eventId === message.eid;
  // An event that started before the active alarm belongs to an earlier episode, even if it arrives later.
  const before =
    alarm !== null &&
    alarm.source === 'device' &&
    alarm.eventId !== null &&
    at < alarm.raisedAt &&
    !isOfLaterBoot(alarm, message);
  const same = own || (alarm !== null && !before && (!late || isLaterThan(alarm, event, message)));
  const finding = findingOf(from, type, watch.checks.ratings);
  if (alarm && same && endedAt === undefined) {
    goOn(draft, watch, alarm, from, finding);
    return;
  }
  // An event that has already ended, or is older than the active alarm, is a separate episode.
  const over = endedAt ?? (alarm ? at : null);
  if (unrecorded && (late || over !== null)) return;
  draft.raise(state, finding, over);
};

/**
 * A late event that began after the device's active alarm, whose own end did not come yet or was lost. Without a number
 * it may be the same event at a higher level.
 */
const isLaterThan = (alarm: ActiveAlarm, { at }: GroupEvent, { eid, boot }: AlarmEventMessage): boolean =>
  alarm.source === 'device' &&
  (alarm.eventId === null) === (eid === '') &&
  at > alarm.raisedAt &&
  boot >= (alarm.boot ?? 0);

/** A later boot is newer whatever the times are: the device's clock may have been lost. */
const isOfLaterBoot = ({ source, boot }: ActiveAlarm, message: AlarmEventMessage): boolean =>
  source === 'device' && boot !== null && message.boot > boot;

/** A message value in the alarm's unit; unchanged if its own unit is unknown. */
const scaled = (value: number | null | undefined, factor: number | null): number | null =>
  value === undefined || value === null ? null : value * (factor ?? 1);

const findingOf = (
  { event, message, phase, unrecorded }: Raised,
  type: AlarmType,
  ratings: Ratings,
): Finding => {
  const factor = unitFactor(type, message.unit ?? type.unit, ratings);
  return {
    line: event.line,
    type,
    phase,
    level: message.lvl,
    source: 'device',
    at: event.at,
    receivedAt: event.receivedAt,
    value: scaled(message.val, factor),
    threshold: scaled(message.thr, factor),
    unit: factor === null ? (message.unit ?? null) : null,
    reportedUnit: message.unit ?? null,
    latched: message.latched ?? (type.latched === 'alarm' && message.lvl === 2),
    eventId: message.eid || null,
    late: event.late,
    boot: message.boot,
    unrecorded,
    snapshot: () => snapshotOf(event),
    original: event.original,
  };
};

/** The device reports an active alarm again, at a higher level, or as another episode. */
const goOn = (
  draft: Draft,
  watch: LineWatch,
  alarm: ActiveAlarm,
  { event, message }: Raised,
  finding: Finding,
): void => {
  const { at, late } = event;
  const { value, threshold, latched } = finding;
  if (!late) draft.wake(alarm, at);
  const condition = watch.state.conditions.get(keyOf(alarm.code, alarm.phase));
  const eid = message.eid || null;
  const isOther = eid !== null && alarm.eventId !== null && alarm.eventId !== eid;
  const isRestarted = isOfLaterBoot(alarm, message);
  // What is late here is another event that began later, unless it is the same one without a number.
  const isNewer = !late || isOther || isRestarted;
  const isAnother = isNewer && (isRestarted || (isOther && at > alarm.raisedAt));
  const escalates = message.lvl > alarm.level;
  // It was normal and waited for a reset, or it chatters and its end was kept.
  const back = alarm.normalAt !== null && !late && at > alarm.normalAt;
  const isNews = isAnother || escalates || back;
  const next = isNews ? draft.renew(watch.state, alarm, { ...finding, phase: alarm.phase }) : null;
  if (isNewer) {
    const named = { eid: alarm.eventId ?? '', at: alarm.raisedAt, event: null };
    const { receivedAt, original } = event;
    const added = { eid: message.eid, at, event: { message, receivedAt, original, late } };
    const open = eventsWith(alarm, isOther ? added : null, {
      isRestarted,
      earlier: next && isOther ? named : null,
    });
    if (next) Object.assign(next, open);
    else if (!sameEvents(open, alarm)) draft.open(alarm, open);
  }
  if (next) return;
  if (condition && !late) {
    draft.unhold(condition, alarm, at);
    Object.assign(draft.journal.touch(condition), { quietSince: Number.NaN, restartedAt: Number.NaN });
  }
  const taken = alarm.source !== 'device';
  draft.repeat(alarm, finding, escalates || taken || back);
  alarm.reportedUnit = finding.reportedUnit ?? alarm.reportedUnit;
  // An alarm of the device would not come back by readings after its cause has ended.
  if (!late && alarm.parent !== null && !isHeldBack(watch.state, alarm))
    draft.reconsider(watch.state, alarm, at);
  if (back) draft.write(alarm).normalAt = null;
  if (message.boot > (alarm.boot ?? 0)) draft.write(alarm).boot = message.boot;
  if (alarm.eventId === null && eid !== null) draft.write(alarm).eventId = eid;
  if (taken) {
    draft.write(alarm).source = 'device';
    alarm.threshold = threshold ?? alarm.threshold;
    alarm.latched ||= latched;
  }
  if (escalates) draft.escalate(watch.state, alarm, at, value, threshold, latched);
};

type OpenEvents = Pick<ActiveAlarm, 'others' | 'ownEnded'>;
const sameEvents = (one: OpenEvents, other: OpenEvents): boolean =>
  one.ownEnded === other.ownEnded &&
  one.others.length === other.others.length &&
  one.others.every(({ eid }, index) => eid === other.others[index]?.eid);

/** More open events than a line has sensors of one kind: a device that never ends any must not fill the memory. */
const mostOpen = 16;
/**
 * The open events of an alarm with another one, or with its own again (null). A device that restarted has
 * forgotten the earlier ones. `earlier`: the event of the work order that this one follows.
 */
const eventsWith = (
  { others, ownEnded }: OpenEvents,
  added: OpenEvent | null,
  { isRestarted, earlier }: { isRestarted: boolean; earlier: OpenEvent | null },
): OpenEvents => {
  const rest = isRestarted ? [] : others.filter(({ eid }) => eid !== added?.eid);
  // The alarm is now named after the added event.
  if (earlier) return { others: isRestarted || ownEnded ? rest : [...rest, earlier], ownEnded: false };
  if (!added) return { others: rest, ownEnded: false };
  return { others: [...rest, added].slice(-mostOpen), ownEnded: ownEnded || isRestarted };
};

const cleared = (draft: Draft, watch: LineWatch, from: Raised, order: EventOrder): void => {
  const { event, message, phase } = from;
  const { at } = event;
  const { lineId } = watch.state;
  const { news, hasBegun, begunAt } = order.ended(draft.journal, lineId, message, at);
  const alarm = standing(watch, message, phase);
  if (news === 'outdated') {
    // The end was overtaken by another beginning of the same event, which looked like a repetition.
    if (alarm && alarm.source === 'device' && (alarm.eventId ?? '') === message.eid && alarm.raisedAt <= at)
      draft.renewAsIs(watch.state, alarm, Math.max(begunAt, at), event.receivedAt);
    return;
  }
  if (alarm && isOfEarlierBoot(alarm, event, message)) return;
  const named = alarm?.eventId === message.eid;
  const condition = alarm && draft.journal.condition(watch.state, alarm.code, alarm.phase);
  const own = named || alarm?.others.some(({ eid }) => eid === message.eid) === true;
  // A repeated end, or the end of another known event, does not end an alarm that the device reported.
  const isOthers = news === 'repeated' || (hasBegun && alarm?.source === 'device' && message.eid !== '');
  if (alarm && condition && (own || (!isOthers && endsUnnamed(alarm, event, message)))) {
    const open = alarm.others.filter(({ eid }) => eid !== message.eid);
    const ended = alarm.others.find(({ eid }) => eid === message.eid);
    // Of a backlog, each event is an episode, in whatever order its messages come.
    if (!named && ended?.event?.late) {
      const one = { ...from, ...heldBefore(event, ended.event, ended.at) };
      const type = alarmTypeOf(message.code);
      if (type && !from.unrecorded)
        draft.raise(watch.state, findingOf(one, type, watch.checks.ratings), Math.max(at, ended.at));
    }
    const ownEnded = alarm.ownEnded || named || !own;
    draft.open(alarm, { others: open, ownEnded });
    // Another event of the same alarm began before this one ended: the alarm goes on.
    if (ownEnded && open.every((other) => other.at > at))
      end(draft, watch, { from, alarm, condition, later: open }, order);
    if (named || alarm.source === 'server') return;
  }
  if (message.eid !== '') draft.endings.push({ lineId, code: message.code, eventId: message.eid, at });
};

/** Its number is used again since: a message of an earlier boot that was overtaken. */
const isOfEarlierBoot = ({ boot, lastAt }: ActiveAlarm, { at }: GroupEvent, message: AlarmEventMessage) =>
  boot !== null && message.boot < boot && at < lastAt;

/**
 * Whether the end of an event that the alarm does not include ends it. An alarm with a number of its own has its own
 * end: the beginning of the other event was lost. Decision 0527.
 */
const endsUnnamed = (
  { source, eventId, level, raisedAt, lastAt }: ActiveAlarm,
  { at, late }: GroupEvent,
  { eid, lvl }: AlarmEventMessage,
): boolean => {
  if (lvl < level) return false;
  if (source === 'server') return !late && raisedAt <= at;
  return (eventId === null || eid === '') && (late ? lastAt : raisedAt) <= at;
};

/** Ends the alarm, unless it chatters. The events that began later are another episode. */
const end = (
  draft: Draft,
  watch: LineWatch,
  given: { from: Raised; alarm: ActiveAlarm; condition: Condition; later: readonly OpenEvent[] },
  order: EventOrder,
): void => {
  const { from, alarm, condition, later } = given;
  const { event, message } = from;
  const { at, late } = event;
  const type = alarmTypeOf(alarm.code);
  // The end of an alarm may omit the unit that its beginning had.
  const unit = message.unit ?? alarm.reportedUnit ?? type?.unit ?? '';
  const factor = type ? unitFactor(type, unit, watch.checks.ratings) : null;
  const seen = { at, receivedAt: event.receivedAt, threshold: null, unit: factor === null ? unit : null };
  if (typeof message.peak === 'number' && seen.unit === alarm.unit)
    draft.write(alarm).peak = scaled(message.peak, factor);
  const measured = watch.checks.checks.some((check) => check.key === condition.key);
  if (!late && later.length === 0 && draft.hold(watch.state, condition, alarm, at)) {
    // If the quantity is measured, the readings end the alarm.
    if (measured) Object.assign(draft.write(alarm), { source: 'server', normalAt: null });
    draft.repeat(alarm, { ...seen, value: scaled(message.val, factor) }, true);
    return;
  }
  if (measured) Object.assign(condition, freshWatch(), { blocked: true });
  draft.clear(watch.state, alarm, at, alarm.latched ? 'reset' : 'cleared', 'device');
  // In the order in which the device sent them, none is older than the one before, whatever its clock said.
  const facts = later.flatMap((other) => (other.event ? [{ ...other.event, begun: other.at }] : []));
  let since = at;
  for (const other of facts.sort((a, b) => bySending(a.message, b.message))) {
    since = Math.max(since, other.begun);
    raised(draft, watch, { ...from, ...heldBefore(event, other, since) }, order);
  }
};

const bySending = (a: AlarmEventMessage, b: AlarmEventMessage) => a.boot - b.boot || a.seq - b.seq;

/** An event of the same line that was received earlier. */
const heldBefore = (
  { line }: GroupEvent,
  { message, receivedAt, original, late }: EventFacts,
  at: number,
): Omit<Raised, 'unrecorded'> => {
  const event: GroupEvent = { line, message, at, receivedAt, late, original };
  return { event, message, phase: phaseIn(event, message) };
};

const thresholdOf = (type: AlarmType, level: 1 | 2, ratings: Ratings): number | null => {
  const limit = limitOf(level === 2 ? type.alarm : type.warn, ratings);
  return Number.isNaN(limit) ? null : limit;
};
const unitless = valueTypes.state;
/** A finding of the server has had its own delay, so it raises and ends at once. */
export const judgeFinding = (
  draft: Draft,
  watch: LineWatch,
  finding: GroupFinding,
  isEnabled: IsEnabled,
): void => {
  const type = alarmTypeOf(finding.code);
  if (!type) return;
  const condition = watch.state.conditions.get(keyOf(finding.code, 0));
  const alarm = condition?.active ?? null;
  if (!finding.active) {
    if (condition && alarm && !draft.hold(watch.state, condition, alarm, finding.at))
      draft.clear(watch.state, alarm, finding.at, 'cleared');
    return;
  }
  const { line, code, level, value, at } = finding;
  const raise: Finding = {
    line,
    type,
    phase: 0,
    level,
    source: 'server',
    at,
    receivedAt: at,
    value: type.valueType === unitless ? null : value,
    threshold: thresholdOf(type, level, watch.checks.ratings),
    unit: null,
    latched: false,
    boot: null,
    snapshot: () => null,
    original: null,
  };
  if (alarm) {
    draft.wake(alarm, at);
    const escalates = level > alarm.level;
    // A chattering alarm whose end was found, and which a user has handled, returns.
    const isAnother = (isFound(code) && at > alarm.lastAt) || alarm.normalAt !== null;
    if ((escalates || isAnother) && draft.renew(watch.state, alarm, raise)) return;
    if (condition) draft.unhold(condition, alarm, at);
    draft.repeat(alarm, raise, escalates || isAnother);
    if (escalates) draft.escalate(watch.state, alarm, at, value, raise.threshold, false);
    return;
  }
  draft.raise(watch.state, isEnabled(code) ? raise : { ...raise, unrecorded: true });
};
