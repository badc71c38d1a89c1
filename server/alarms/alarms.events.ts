/** What devices tell about alarms themselves, and what the server finds out about a device as a whole. */
import { alarmTypeOf, valueTypes } from '#contract/alarm-catalogue.ts';
import type { AlarmEventMessage } from '#contract/telemetry.ts';
import type { GroupEvent, GroupFinding } from '#server/core/group.ts';
import { type Draft, loggedWhenOff } from './alarms.draft.ts';
import { type IsEnabled, judgeTrip, type LineWatch } from './alarms.judge.ts';
import { snapshotOf } from './alarms.snapshot.ts';
import { type ActiveAlarm, type Condition, keyOf, phaseOf } from './alarms.state.ts';

/** Clears by event: a raise that comes after its clear, or once more, arrives already over. */
export interface EndedEvents {
  get(lineId: number, eventId: string): number | undefined;
  add(lineId: number, eventId: string, at: number): void;
}
const rememberedEndings = 10_000;
export const createEndedEvents = (): EndedEvents => {
  const ended = new Map<string, number>();
  return {
    get: (lineId, eventId) => ended.get(`${lineId} ${eventId}`),
    add: (lineId, eventId, at) => {
      ended.set(`${lineId} ${eventId}`, at);
      if (ended.size > rememberedEndings) for (const oldest of ended.keys()) return void ended.delete(oldest);
    },
  };
};

export const judgeEvent = (
  draft: Draft,
  watch: LineWatch,
  event: GroupEvent,
  isEnabled: IsEnabled,
  ended: EndedEvents,
): void => {
  const { message } = event;
  if (message.kind === 'pos') {
    if (message.by === 'trip' && !event.late) judgeTrip(draft, watch, event, message.code ?? 1, isEnabled);
    return;
  }
  const type = alarmTypeOf(message.code);
  if (!type) return;
  const single = event.line.type % 2 === 1 && event.line.type !== 7;
  const phase = single && message.ph !== 'n' ? 0 : (phaseOf[message.ph ?? ''] ?? 0);
  if (!isEnabled(message.code)) {
    if (loggedWhenOff(message.code))
      draft.eventLines.push({
        lineId: event.line.lineId,
        at: event.at,
        code: message.code,
        phase,
        level: message.lvl,
        kind: message.st === 'raise' ? 'raised' : 'cleared',
        value: message.val ?? null,
        threshold: message.thr ?? null,
        eventId: message.eid,
      });
    if (message.st === 'raise') return;
  }
  if (message.st === 'raise') raised(draft, watch, event, message, phase, ended);
  else cleared(draft, watch, event, message, phase, ended);
};

const conditionsOf = (watch: LineWatch, code: number): (Condition & { active: ActiveAlarm })[] =>
  [...watch.state.conditions.values()].filter(
    (condition): condition is Condition & { active: ActiveAlarm } =>
      condition.code === code && condition.active !== null,
  );
/** The standing alarm that an event means: its own event, its phase, or the only one where a phase is not told. */
const standing = (watch: LineWatch, message: AlarmEventMessage, phase: number): ActiveAlarm | null => {
  const all = conditionsOf(watch, message.code);
  const found =
    all.find(({ active }) => active.eventId === message.eid) ??
    all.find((condition) => condition.phase === phase) ??
    (all.length === 1 && (phase === 0 || all[0]?.phase === 0) ? all[0] : undefined);
  return found?.active ?? null;
};

const raised = (
  draft: Draft,
  watch: LineWatch,
  event: GroupEvent,
  message: AlarmEventMessage,
  phase: number,
  ended: EndedEvents,
): void => {
  const { at, receivedAt, late } = event;
  const type = alarmTypeOf(message.code);
  if (!type) return;
  const alarm = standing(watch, message, phase);
  const latched = message.latched ?? (type.latched === 'alarm' && message.lvl === 2);
  const end = ended.get(watch.state.lineId, message.eid);
  // A device may use an event's number again.
  const endedAt = end !== undefined && end >= at ? end : undefined;
  const own = alarm?.eventId === message.eid;
  // What a device began before the alarm that stands is another episode of its, in whatever order they came.
  const before = alarm !== null && alarm.source === 'device' && alarm.eventId !== null && at < alarm.raisedAt;
  const same = own || (alarm !== null && !late && !before);
  if (alarm && same && endedAt === undefined) {
    if (!late) draft.wake(alarm, at);
    const condition = watch.state.conditions.get(keyOf(alarm.code, alarm.phase));
    if (!own && !late && condition && at > (condition.again?.at ?? alarm.raisedAt))
      draft.journal.touch(condition).again = event;
    const escalates = message.lvl > alarm.level;
    const taken = alarm.source !== 'device';
    draft.repeat(alarm, at, receivedAt, message.val ?? null, escalates || taken);
    if (taken) {
      alarm.source = 'device';
      alarm.eventId ??= message.eid;
      alarm.threshold = message.thr ?? alarm.threshold;
      alarm.latched ||= latched;
    }
    if (escalates) draft.escalate(alarm, at, message.val ?? null, message.thr ?? null, latched);
    return;
  }
  // Over already, or of a time before the alarm that stands: an episode of its own.
  const over = endedAt ?? (alarm ? at : null);
  draft.raise(
    watch.state,
    {
      line: event.line,
      type,
      phase,
      level: message.lvl,
      source: 'device',
      at,
      receivedAt,
      value: message.val ?? null,
      threshold: message.thr ?? null,
      latched,
      eventId: message.eid,
      late,
      snapshot: () => snapshotOf(event),
      original: event.original,
    },
    over,
  );
};

const cleared = (
  draft: Draft,
  watch: LineWatch,
  event: GroupEvent,
  message: AlarmEventMessage,
  phase: number,
  ended: EndedEvents,
): void => {
  const { at, late } = event;
  const alarm = standing(watch, message, phase);
  const own = alarm?.eventId === message.eid;
  if (alarm && (own || (!late && alarm.raisedAt <= at))) {
    if (message.peak !== undefined) draft.write(alarm).peak = message.peak;
    const key = keyOf(alarm.code, alarm.phase);
    const condition = draft.journal.condition(watch.state, alarm.code, alarm.phase);
    const measured = watch.checks.checks.some((check) => check.key === key);
    if (!late && measured && !alarm.latched && at < condition.chatteringUntil) {
      // Held as one: the server ends it when its own readings have been normal for four times as long.
      draft.write(alarm).source = 'server';
      draft.repeat(alarm, at, event.receivedAt, message.val ?? null, true);
      return;
    }
    condition.blocked = measured;
    const { again } = condition;
    condition.again = null;
    draft.clear(watch.state, alarm, at, alarm.latched ? 'reset' : 'cleared');
    if (again && again.at > at && again.message.kind === 'alarm' && again.message.eid !== message.eid)
      raised(draft, watch, again, again.message, phase, ended);
    if (own || alarm.source === 'server') {
      ended.add(watch.state.lineId, message.eid, at);
      return;
    }
  }
  if (own) return;
  ended.add(watch.state.lineId, message.eid, at);
  draft.endings.push({ lineId: watch.state.lineId, eventId: message.eid, at });
};

const unitless = valueTypes.state;
/** A finding of the server: it comes after its own delay, so it raises and ends at once. */
export const judgeFinding = (
  draft: Draft,
  watch: LineWatch,
  finding: GroupFinding,
  isEnabled: IsEnabled,
): void => {
  const type = alarmTypeOf(finding.code);
  if (!type) return;
  const alarm = watch.state.conditions.get(keyOf(finding.code, 0))?.active ?? null;
  if (!finding.active) {
    if (alarm) draft.clear(watch.state, alarm, finding.at, 'cleared');
    return;
  }
  if (alarm) {
    const escalates = finding.level > alarm.level;
    draft.repeat(alarm, finding.at, finding.at, finding.value, escalates);
    if (escalates) draft.escalate(alarm, finding.at, finding.value, null, false);
    return;
  }
  if (!isEnabled(finding.code)) return;
  draft.raise(watch.state, {
    line: finding.line,
    type,
    phase: 0,
    level: finding.level,
    source: 'server',
    at: finding.at,
    receivedAt: finding.at,
    value: type.valueType === unitless ? null : finding.value,
    threshold: null,
    latched: false,
    snapshot: () => null,
    original: null,
  });
};
