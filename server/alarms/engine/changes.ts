/** Changes of alarms by a group of messages, collected in memory before anything is written. */

import { type AlarmType, alarmTypeOf, interlockCodes, severityOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { AlarmEnd } from '#contract/alarm-ends.ts';
import { isFound, isGraveTrip, isShort, isUnmeasured } from '#contract/alarm-traits.ts';
import type { AlarmChange } from '#server/core/bus.ts';
import {
  type GroupEvent,
  type GroupReading,
  isOlderThanAnyBacklog,
  type LineRef,
} from '#server/core/group.ts';
import { isRecent } from '#server/core/recent.ts';
import { causeOf, consequencesOf, type Effect, heldBackBy, isHeldBack } from './causes.ts';
import { chatteringHoldMs, countActivation } from './delays.ts';
import { nominalHertz } from './measures.ts';
import {
  type ActiveAlarm,
  type Condition,
  chatteringTag,
  Journal,
  keyOf,
  type LineState,
  noEvents,
} from './memory.ts';

type StepKind =
  | 'fleeting'
  | 'raised'
  | 'escalated'
  | 'normal'
  | 'cleared'
  | 'reset'
  | 'suppressed'
  | 'released'
  | 'tripped'
  | 'followed'
  | 'moved';
export interface HistoryStep {
  readonly alarm: ActiveAlarm;
  readonly kind: StepKind;
  readonly at: number;
  readonly data: Record<string, unknown>;
}
export interface Raise {
  readonly alarm: ActiveAlarm;
  /** Null for an episode that had ended before it arrived. */
  readonly condition: Condition | null;
  readonly receivedAt: number;
  readonly snapshot: () => Record<string, unknown> | null;
  readonly original: Buffer | null;
}
interface LineTrip {
  readonly lineId: number;
  readonly deviceId: number;
  readonly code: number;
  readonly at: number;
  readonly receivedAt: number;
  /** Reported late: it counts from its own time. */
  readonly isLate: boolean;
}
export interface Change {
  readonly alarm: ActiveAlarm;
  readonly kind: AlarmChange['kind'];
  readonly quiet: boolean;
  /** For a 'raised' that is not new: the code of the alarm that suppressed it. */
  readonly heldBackBy?: number;
}
export interface ConditionKey {
  readonly lineId: number;
  readonly deviceId: number;
  readonly code: number;
  readonly phase: number;
}
interface EventLine {
  readonly lineId: number;
  readonly at: number;
  readonly code: number;
  readonly phase: number;
  readonly level: 1 | 2;
  readonly kind: 'raised' | 'cleared';
  readonly value: number | null;
  readonly threshold: number | null;
  readonly eventId: string | null;
}
export interface Ending {
  readonly lineId: number;
  readonly code: number;
  readonly eventId: string;
  readonly at: number;
}

interface LateStretch {
  since: number;
  until: number;
  receivedAt: number;
}

/** All fields of an alarm when it is raised. */
export interface Finding {
  readonly line: Pick<LineRef, 'lineId' | 'deviceId' | 'projectId' | 'partId'>;
  readonly type: AlarmType;
  readonly phase: number;
  readonly level: 1 | 2;
  readonly source: 'device' | 'server';
  readonly at: number;
  readonly receivedAt: number;
  readonly value: number | null;
  readonly threshold: number | null;
  /** Unit of value and threshold, if it is not the type's own. */
  readonly unit: string | null;
  /** The unit that the device gave. */
  readonly reportedUnit?: string | null;
  readonly latched: boolean;
  readonly eventId?: string | null;
  /** Boot of the device that reported it; null if the server found it without a message. */
  readonly boot: number | null;
  /** The alarm's type is switched off. */
  readonly unrecorded?: boolean;
  readonly late?: boolean;
  /** Severity, if it is not the type's own. */
  readonly severity?: number;
  readonly snapshot: () => Record<string, unknown> | null;
  readonly original: Buffer | null;
}

const writeEveryMs = 10_000;
/**
 * Whether a value exceeds its limit by more than another value; a frequency may deviate in either direction.
 */
export const isWorse = (code: number, value: number, than: number): boolean => {
  if (code === alarmCodes.frequency)
    return Math.abs(value - nominalHertz(value)) > Math.abs(than - nominalHertz(than));
  return alarmTypeOf(code)?.side === 'below' ? value < than : value > than;
};

const recentMs = 15 * 60_000;
/** An alarm from a backlog that is not older than this pops up when it arrives (§3.2 rule 10). */
const isFresh = ({ raisedAt, receivedAt }: ActiveAlarm): boolean => receivedAt - raisedAt <= recentMs;

const fleetingMs = 2000;
/** The alarm ends only by a reset. */
const needsReset = ({ code, level }: ActiveAlarm): boolean =>
  level === 2 && alarmTypeOf(code)?.latched === 'alarm';
/**
 * A device alarm shorter than 2 s is only logged (§3.2 rule 3). Exceptions: types that are always short,
 * trips, and alarms that the server found after its own delay. If the end is before the beginning, the
 * duration is unknown.
 */
const isFleeting = (alarm: ActiveAlarm, at: number): boolean =>
  (alarm.eventId !== null || alarm.source === 'device') &&
  !alarm.latched &&
  !needsReset(alarm) &&
  !alarm.tags.includes('trip') &&
  at >= alarm.raisedAt &&
  at - alarm.raisedAt < fleetingMs &&
  alarm.code !== alarmCodes.voltageDip &&
  alarm.code !== alarmCodes.voltageSwell &&
  !isShort(alarm.code);

/** What an alarm tells of itself when another one continues it without a message. */
export const aboutOf = ({
  phase,
  level,
  source,
  value,
  threshold,
  unit,
  latched,
  eventId,
  boot,
}: ActiveAlarm) => ({
  ...{ phase, level, source, value, threshold, unit, latched, eventId, boot },
  snapshot: () => null,
  original: null,
});

export class Draft {
  readonly journal = new Journal();
  readonly raises: Raise[] = [];
  readonly touched = new Set<ActiveAlarm>();
  readonly steps: HistoryStep[] = [];
  readonly changes: Change[] = [];
  readonly eventLines: EventLine[] = [];
  readonly endings: Ending[] = [];
  /** Lines with late readings, and the times of these. */
  readonly late = new Map<number, LateStretch>();
  /** Alarms shorter than two seconds. */
  readonly fleeting = new Set<ActiveAlarm>();
  /** Projects with an outage to which a device returned, and when. */
  readonly returned = new Map<number, number>();
  /** Alarms that include other events than before. */
  readonly opened = new Set<ActiveAlarm>();
  /** Alarms with changes that need a new work order if an operator has handled the alarm meanwhile. */
  readonly renewed = new Set<ActiveAlarm>();
  /** Ids of alarms whose return, seen in late readings, is taken into account. */
  readonly returns = new Set<number>();
  /** Changed conditions that may forbid closing. */
  readonly interlocks = new Map<string, ConditionKey & { readonly at: number }>();
  /** The newest trips: serious ones by line id, others by the negative line id. */
  readonly trips = new Map<number, LineTrip>();
  /** Late and overtaken readings with a trip state. */
  readonly lateTrips: GroupReading[] = [];
  readonly #isProcessed: (alarm: ActiveAlarm) => boolean;

  constructor(isProcessed: (alarm: ActiveAlarm) => boolean) {
    this.#isProcessed = isProcessed;
  }

  get isEmpty(): boolean {
    return (
      this.raises.length === 0 &&
      this.touched.size === 0 &&
      this.eventLines.length === 0 &&
      this.endings.length === 0 &&
      this.late.size === 0 &&
      this.interlocks.size === 0 &&
      this.trips.size === 0 &&
      this.lateTrips.length === 0 &&
      this.returns.size === 0 &&
      this.returned.size === 0
    );
  }

  /** Raises an alarm; with `clearedAt` a separate one that has already ended. */
  raise(state: LineState, finding: Finding, clearedAt: number | null = null): ActiveAlarm {
    const { line, type, phase, level, at } = finding;
    const late = finding.late === true;
    const unrecorded = finding.unrecorded === true;
    const alarm: ActiveAlarm = {
      id: 0,
      lineId: line.lineId,
      deviceId: line.deviceId,
      projectId: line.projectId,
      partId: line.partId,
      code: type.code,
      phase,
      severity: finding.severity ?? severityOf(type.code, level),
      level,
      source: finding.source,
      eventId: finding.eventId ?? null,
      raisedAt: at,
      receivedAt: finding.receivedAt,
      lastAt: at,
      normalAt: null,
      goneAt: null,
      clearedAt,
      latched: finding.latched,
      parent:
        late || unrecorded
          ? null
          : this.#causeOf(state, { ...line, code: type.code, phase, level, raisedAt: at }),
      value: finding.value,
      peak: finding.value,
      threshold: finding.threshold,
      unit: finding.unit,
      reportedUnit: finding.reportedUnit ?? null,
      tags: [],
      late,
      boot: finding.boot,
      previousId: null,
      followedBy: null,
      ...noEvents,
      unrecorded,
      unwritten: 0,
      writtenAt: finding.receivedAt,
    };
    let condition: Condition | null = null;
    if (clearedAt === null) {
      condition = this.journal.condition(state, type.code, phase);
      condition.active = alarm;
      this.journal.addToBusbar(state, alarm);
      if (!late) this.#countActivation(condition, alarm);
      this.forbid(alarm, alarm.raisedAt);
    }
    if (unrecorded) return alarm;
    const { receivedAt, snapshot, original } = finding;
    this.raises.push({ alarm, condition, receivedAt, snapshot, original });
    this.note(alarm, 'raised', at, { level, value: finding.value, threshold: finding.threshold });
    this.#change(alarm, 'raised', (late && (clearedAt !== null || !isFresh(alarm))) || alarm.parent !== null);
    if (!late && alarm.parent === null)
      for (const effect of consequencesOf(state, alarm)) this.suppress(effect, alarm, at);
    return alarm;
  }

  /** A handled alarm is not the cause of later ones: the user who handled it has not seen them. */
  #causeOf(state: LineState, effect: Effect): ActiveAlarm | null {
    const cause = causeOf(state, effect, (found) => !this.#isProcessed(found));
    if (cause !== null && effect.code === alarmCodes.protectiveTrip) this.renewed.add(cause);
    return cause;
  }

  /** Suppresses an alarm as a consequence of another one; its changes in this draft become silent. */
  suppress(effect: ActiveAlarm, cause: ActiveAlarm, at: number): void {
    this.write(effect).parent = cause;
    this.note(effect, 'suppressed', at, { code: cause.code });
    this.changes.forEach((change, index) => {
      if (change.alarm === effect) this.changes[index] = { ...change, quiet: true };
    });
    this.#change(effect, 'suppressed', true);
  }

  #countActivation(condition: Condition, alarm: ActiveAlarm): void {
    countActivation(condition, alarm.raisedAt);
    if (alarm.raisedAt < condition.chatteringUntil) alarm.tags = [chatteringTag];
  }

  /**
   * The source of a chattering alarm reports its end. The alarm stays active until no activation has come for
   * `holdMs`, so that the next one becomes part of it. Returns whether it stays active.
   */
  hold(state: LineState, condition: Condition, alarm: ActiveAlarm, at: number): boolean {
    if (alarm.latched || isFound(alarm.code) || at >= condition.chatteringUntil) return false;
    this.write(alarm).normalAt ??= at;
    this.#freeConsequences(state, alarm, at);
    return true;
  }

  /** The source reports the alarm again during this time. */
  unhold(condition: Condition, alarm: ActiveAlarm, at: number): void {
    if (alarm.latched || at >= condition.chatteringUntil) return;
    if (alarm.normalAt !== null) this.write(alarm).normalAt = null;
    this.journal.touch(condition).chatteringUntil = at + chatteringHoldMs;
  }

  /**
   * For a change of an active alarm that its handling did not cover: a rise of level, a return from normal,
   * another episode. A processed alarm ends and a new work order follows it, which is returned; null if the
   * alarm is unprocessed and its own work order continues (domain reference §3.1).
   */
  renew(state: LineState, alarm: ActiveAlarm, finding: Finding): ActiveAlarm | null {
    if (alarm.unrecorded) return null;
    if (!this.#isProcessed(alarm)) {
      this.renewed.add(alarm);
      return null;
    }
    const { at } = finding;
    const held = heldBackBy(state, alarm);
    this.write(alarm).clearedAt = Math.max(at, alarm.raisedAt);
    const next = this.raise(state, {
      ...finding,
      level: alarm.level === 2 ? 2 : finding.level,
      latched: finding.latched || alarm.latched,
      eventId: finding.eventId ?? alarm.eventId,
    });
    const { others, ownEnded } = alarm;
    Object.assign(next, { previousId: alarm.id, others, ownEnded });
    alarm.followedBy = next;
    this.note(alarm, 'followed', at, {});
    this.#change(alarm, 'followed', true);
    for (const [effect] of held) this.write(effect).parent = next;
    return next;
  }

  /** The same if no message describes the change: the new work order tells what the alarm tells of itself. */
  renewAsIs(state: LineState, alarm: ActiveAlarm, at: number, receivedAt: number): ActiveAlarm | null {
    const type = alarmTypeOf(alarm.code);
    return type ? this.renew(state, alarm, { ...aboutOf(alarm), line: alarm, type, at, receivedAt }) : null;
  }

  /** Live data shows the condition of an alarm again that had ended by late readings. */
  cameBack(alarm: ActiveAlarm): void {
    this.journal.touch(alarm).goneAt = null;
    this.returns.add(alarm.id);
  }

  /** Keeps the newest serious trip of a line in the group, and the newest other one. */
  tripped(
    { lineId, deviceId }: Pick<LineRef, 'lineId' | 'deviceId'>,
    trip: Pick<LineTrip, 'code' | 'at' | 'receivedAt' | 'isLate'>,
  ): void {
    const key = isGraveTrip(trip.code) ? lineId : -lineId;
    const known = this.trips.get(key);
    if (known && known.receivedAt > trip.receivedAt) return;
    this.trips.set(key, { lineId, deviceId, ...trip });
  }

  /** A late report counts from its own time, because the line may have been inspected since. */
  trippedBefore(
    { line, at, receivedAt, notBefore }: Pick<GroupEvent, 'line' | 'at' | 'receivedAt' | 'notBefore'>,
    code: number,
  ): void {
    const then = isOlderThanAnyBacklog({ at, receivedAt })
      ? receivedAt
      : Math.min(Math.max(at, notBefore ?? at), receivedAt);
    this.tripped(line, { code, at: then, receivedAt: then, isLate: then < receivedAt });
  }

  cameLate({ lineId, at, receivedAt }: Pick<GroupReading, 'lineId' | 'at' | 'receivedAt'>): void {
    const known = this.late.get(lineId);
    if (known) {
      known.since = Math.min(known.since, at);
      known.until = Math.max(known.until, at);
      known.receivedAt = Math.max(known.receivedAt, receivedAt);
    } else this.late.set(lineId, { since: at, until: at, receivedAt });
  }

  isProcessed(alarm: ActiveAlarm): boolean {
    return this.#isProcessed(alarm);
  }

  /**
   * Level 1 becomes 2 in the same work order; it never goes back. An alarm more severe than its cause is
   * shown.
   */
  escalate(
    state: LineState,
    alarm: ActiveAlarm,
    at: number,
    value: number | null,
    threshold: number | null,
    latched: boolean,
  ) {
    this.write(alarm).level = 2;
    alarm.severity = Math.min(alarm.severity, severityOf(alarm.code, 2));
    alarm.threshold = threshold ?? alarm.threshold;
    alarm.latched ||= latched;
    if (alarm.parent && !isHeldBack(state, alarm)) alarm.parent = this.#causeOf(state, alarm);
    this.note(alarm, 'escalated', at, { value, threshold });
    this.#change(alarm, 'escalated', alarm.late || alarm.parent !== null);
  }

  /** Counts another report of an active alarm in memory, and writes it at most once in 10 s unless `force`. */
  repeat(
    alarm: ActiveAlarm,
    seen: Pick<Finding, 'at' | 'receivedAt' | 'value' | 'threshold' | 'unit'>,
    force = false,
  ): void {
    const { at, receivedAt, value, unit } = seen;
    this.journal.touch(alarm);
    alarm.unwritten += 1;
    alarm.lastAt = Math.max(alarm.lastAt, at);
    if (value !== null && unit !== alarm.unit)
      Object.assign(alarm, { unit, value, peak: value, threshold: seen.threshold });
    else if (value !== null) {
      alarm.value = value;
      if (alarm.peak === null || isWorse(alarm.code, value, alarm.peak)) alarm.peak = value;
    }
    if (force || !isRecent(alarm.writtenAt, receivedAt, writeEveryMs)) this.#writeRepeats(alarm, receivedAt);
  }

  /** Writes what `repeat` counted in memory if no other report did. */
  catchUp(alarm: ActiveAlarm, at: number): void {
    if (alarm.unwritten > 0 && !isRecent(alarm.writtenAt, at, writeEveryMs))
      this.#writeRepeats(this.journal.touch(alarm), at);
  }

  #writeRepeats(alarm: ActiveAlarm, at: number): void {
    alarm.writtenAt = at;
    this.write(alarm);
    this.#change(alarm, 'repeated', true);
  }

  /** No reading measures its value any more. */
  unknown(alarm: ActiveAlarm): void {
    this.write(alarm).value = null;
    this.#change(alarm, 'repeated', true);
  }

  /** The value is normal again but the alarm waits for a reset. */
  needReset(alarm: ActiveAlarm, at: number): void {
    this.write(alarm).normalAt = at;
    this.note(alarm, 'normal', at, {});
    this.#change(alarm, 'repeated', true);
  }

  /**
   * Ends an alarm, and releases those consequences that no reading would release. `by`: what ended it if
   * it was not a normal value.
   */
  clear(state: LineState, alarm: ActiveAlarm, at: number, kind: 'cleared' | 'reset', by?: AlarmEnd): void {
    const condition = state.conditions.get(keyOf(alarm.code, alarm.phase));
    if (condition?.active === alarm) {
      Object.assign(this.journal.touch(condition), {
        active: null,
        endedAt: at,
        quietSince: Number.NaN,
        restartedAt: Number.NaN,
      });
    }
    // The end of an earlier event may be the last to come.
    this.write(alarm).clearedAt = Math.max(at, alarm.raisedAt);
    alarm.lastAt = Math.max(alarm.lastAt, at);
    this.note(alarm, kind, at, { value: alarm.value, peak: alarm.peak, ...(by && { by }) });
    const fleeting = kind === 'cleared' && !alarm.unrecorded && isFleeting(alarm, at);
    // An alarm shorter than two seconds is not an activation.
    if (fleeting && condition) Object.assign(condition, { activations: 0, endedAt: Number.NaN });
    if (fleeting) this.#keepInLog(alarm, at);
    this.#change(alarm, fleeting ? 'deleted' : 'cleared', fleeting || alarm.late || alarm.parent !== null);
    this.#freeConsequences(state, alarm, at);
  }

  /** Reconsiders those consequences of an alarm that no reading would release. */
  #freeConsequences(state: LineState, alarm: ActiveAlarm, at: number): void {
    for (const [held, line] of heldBackBy(state, alarm))
      if (held.source === 'device' || held.latched || isUnmeasured(held.code))
        this.reconsider(line, held, at);
  }

  #keepInLog(alarm: ActiveAlarm, at: number): void {
    this.fleeting.add(alarm);
    this.note(alarm, 'fleeting', at, {});
    const { lineId, code, phase, level, eventId } = alarm;
    const line = { lineId, code, phase, level, value: alarm.peak, threshold: alarm.threshold, eventId };
    this.eventLines.push({ ...line, at: alarm.raisedAt, kind: 'raised' }, { ...line, at, kind: 'cleared' });
    this.changes.forEach((change, index) => {
      if (change.alarm === alarm) this.changes[index] = { ...change, quiet: true };
    });
  }

  /**
   * Its device has another owner: the alarm ends in the work order of the former owner and begins in one of
   * the new owner, and neither sees the other's. No all-clear is sent, because the condition persists.
   */
  move(
    state: LineState,
    alarm: ActiveAlarm,
    to: Pick<ActiveAlarm, 'projectId' | 'partId'>,
    at: number,
  ): void {
    const type = alarmTypeOf(alarm.code);
    if (alarm.unrecorded || !type) {
      Object.assign(this.journal.touch(alarm), to);
      return;
    }
    const begins = Math.max(at, alarm.raisedAt);
    this.write(alarm).clearedAt = begins;
    const { phase, level, source, value, threshold, unit, reportedUnit, latched, eventId, boot, late } =
      alarm;
    const next = this.raise(state, {
      ...{ phase, level, source, value, threshold, unit, reportedUnit, latched, eventId, boot, late },
      line: { lineId: alarm.lineId, deviceId: alarm.deviceId, ...to },
      type,
      at: begins,
      receivedAt: at,
      severity: alarm.severity,
      snapshot: () => null,
      original: null,
    });
    const { peak, normalAt, others, ownEnded } = alarm;
    Object.assign(next, { peak, normalAt, others, ownEnded });
    alarm.followedBy = next;
    this.note(alarm, 'moved', begins, {});
    this.#change(alarm, 'followed', true);
    // Its own device takes its consequences along; those of other devices stay, and nothing explains them here.
    for (const [held, line] of heldBackBy(state, alarm))
      if (held.deviceId !== alarm.deviceId) this.reconsider(line, held, at);
  }

  /** The cause no longer explains the alarm: the alarm gets another cause, or becomes a separate alarm. */
  reconsider(state: LineState, alarm: ActiveAlarm, at: number): void {
    const other = this.#causeOf(state, alarm);
    if (other) this.suppress(alarm, other, at);
    else this.release(alarm, at);
  }

  /** The cause has ended and the alarm is still active: from now on it is a separate alarm. */
  release(alarm: ActiveAlarm, at: number): void {
    const cause = alarm.parent;
    this.write(alarm).parent = null;
    this.note(alarm, 'released', at, {});
    this.#change(alarm, 'raised', false, cause?.code);
  }

  /**
   * Live data confirms an alarm from a backlog, or it is still active after the backlog: from now on it counts as
   * live.
   */
  wake(alarm: ActiveAlarm, at: number): void {
    if (!alarm.late) return;
    this.write(alarm).late = false;
    // A recent one popped up when it arrived, and does not do so again.
    this.note(alarm, 'released', at, isFresh(alarm) ? { shown: true } : {});
    this.#change(alarm, 'raised', isFresh(alarm) || alarm.parent !== null);
  }

  /** The protection opened the line because of this alarm: trip and alarm have one work order. */
  trip(alarm: ActiveAlarm, at: number, code: number): void {
    this.renewed.add(alarm);
    this.write(alarm).tags = [...alarm.tags, 'trip'];
    this.note(alarm, 'tripped', at, { code });
    this.#change(alarm, 'repeated', true);
  }

  /** The events of the device that the alarm includes now. */
  open(alarm: ActiveAlarm, events: Pick<ActiveAlarm, 'others' | 'ownEnded'>): void {
    Object.assign(this.write(alarm), events);
    this.opened.add(alarm);
  }

  write(alarm: ActiveAlarm): ActiveAlarm {
    if (!alarm.unrecorded) this.touched.add(alarm);
    this.forbid(alarm, alarm.raisedAt);
    return this.journal.touch(alarm);
  }

  /** Whether a condition forbids closing is decided when the group is written. */
  forbid({ lineId, deviceId, code, phase }: ConditionKey, at: number): void {
    if (interlockCodes.has(code))
      this.interlocks.set(`${lineId}/${code}/${phase}`, { lineId, deviceId, code, phase, at });
  }

  note(alarm: ActiveAlarm, kind: StepKind, at: number, data: Record<string, unknown>): void {
    if (!alarm.unrecorded) this.steps.push({ alarm, kind, at, data });
  }

  #change(alarm: ActiveAlarm, kind: Change['kind'], quiet: boolean, heldBackBy?: number): void {
    if (!alarm.unrecorded)
      this.changes.push({ alarm, kind, quiet, ...(heldBackBy !== undefined && { heldBackBy }) });
  }
}
