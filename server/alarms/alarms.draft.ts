/** What a group of messages does to alarms, collected in memory before anything is written. */
import { type AlarmType, alarmTypeOf, severityOf } from '#contract/alarm-catalogue.ts';
import type { AlarmChange } from '#server/core/bus.ts';
import type { LineRef } from '#server/core/group.ts';
import { causeOf, consequencesOf, heldBackBy } from './alarms.causes.ts';
import { chatteringHoldMs, isChattering, recentRaises } from './alarms.rules.ts';
import { type ActiveAlarm, type Condition, Journal, keyOf, type LineState } from './alarms.state.ts';

export type StepKind =
  | 'fleeting'
  | 'raised'
  | 'escalated'
  | 'normal'
  | 'cleared'
  | 'reset'
  | 'suppressed'
  | 'released'
  | 'tripped';
export interface HistoryStep {
  readonly alarm: ActiveAlarm;
  readonly kind: StepKind;
  readonly at: number;
  readonly data: Record<string, unknown>;
}
export interface Raise {
  readonly alarm: ActiveAlarm;
  /** Null for an episode that was over before it arrived. */
  readonly condition: Condition | null;
  readonly receivedAt: number;
  readonly snapshot: () => Record<string, unknown> | null;
  readonly original: Buffer | null;
}
export interface Change {
  readonly alarm: ActiveAlarm;
  readonly kind: AlarmChange['kind'];
  readonly quiet: boolean;
}
export interface EventLine {
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
  readonly eventId: string;
  readonly at: number;
}

/** Everything an alarm is made of when it is raised. */
export interface Finding {
  readonly line: LineRef;
  readonly type: AlarmType;
  readonly phase: number;
  readonly level: 1 | 2;
  readonly source: 'device' | 'server';
  readonly at: number;
  readonly receivedAt: number;
  readonly value: number | null;
  readonly threshold: number | null;
  readonly latched: boolean;
  readonly eventId?: string;
  readonly late?: boolean;
  /** Where it is not the type's own. */
  readonly severity?: number;
  readonly snapshot: () => Record<string, unknown> | null;
  readonly original: Buffer | null;
}

const writeEveryMs = 10_000;
/** Types whose occurrences stay in the log even when the type is switched off (domain reference §3.2 rule 11). */
export const loggedWhenOff = (code: number): boolean => code === 301 || code === 402 || isShort(code);
/** Faults that are over in a moment and serious all the same. */
const isShort = (code: number) => code === 205 || (code >= 500 && code < 600) || code === 701;

/** Found by the server once: no reading tells again that it still stands. */
const isFound = (code: number) => code === 703 || code === 704;

const fleetingMs = 2000;
/** By its nature, whatever the device says of this one. */
const needsReset = ({ code, level }: ActiveAlarm): boolean =>
  level === 2 && alarmTypeOf(code)?.latched === 'alarm';
/**
 * Over before anybody could look (§3.2 rule 3): a line in the log, no alarm. Not so what is short by nature or has
 * opened a line, nor what the server found after a delay of its own. An end before the beginning tells no duration.
 */
const isFleeting = (alarm: ActiveAlarm, at: number): boolean =>
  alarm.eventId !== null &&
  !alarm.latched &&
  !needsReset(alarm) &&
  !alarm.tags.includes('trip') &&
  at >= alarm.raisedAt &&
  at - alarm.raisedAt < fleetingMs &&
  alarm.code !== 107 &&
  alarm.code !== 108 &&
  !isShort(alarm.code);

export class Draft {
  readonly journal = new Journal();
  readonly raises: Raise[] = [];
  readonly touched = new Set<ActiveAlarm>();
  readonly steps: HistoryStep[] = [];
  readonly changes: Change[] = [];
  readonly eventLines: EventLine[] = [];
  readonly endings: Ending[] = [];
  /** Alarms that were over in a moment. */
  readonly fleeting = new Set<ActiveAlarm>();
  /** Projects with an outage of which a device came back, and when. */
  readonly returned = new Map<number, number>();
  get isEmpty(): boolean {
    return (
      this.raises.length === 0 &&
      this.touched.size === 0 &&
      this.eventLines.length === 0 &&
      this.endings.length === 0 &&
      this.returned.size === 0
    );
  }

  /** Raises an alarm; with `clearedAt` one that is already over and stands on its own. */
  raise(state: LineState, finding: Finding, clearedAt: number | null = null): ActiveAlarm {
    const { line, type, phase, level, at } = finding;
    const late = finding.late === true;
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
      lastAt: at,
      normalAt: null,
      clearedAt,
      latched: finding.latched,
      parent: late ? null : causeOf(state, type.code),
      value: finding.value,
      peak: finding.value,
      threshold: finding.threshold,
      tags: [],
      late,
      unwritten: 0,
      writtenAt: finding.receivedAt,
    };
    let condition: Condition | null = null;
    if (clearedAt === null) {
      condition = this.journal.condition(state, type.code, phase);
      condition.active = alarm;
      if (!late) this.#countActivation(condition, alarm);
    }
    const { receivedAt, snapshot, original } = finding;
    this.raises.push({ alarm, condition, receivedAt, snapshot, original });
    this.note(alarm, 'raised', at, { level, value: finding.value, threshold: finding.threshold });
    this.changes.push({ alarm, kind: 'raised', quiet: late || alarm.parent !== null });
    if (!late && alarm.parent === null)
      for (const effect of consequencesOf(state, alarm)) this.suppress(effect, alarm, at);
    return alarm;
  }

  /** Holds an alarm back as a consequence of another one; what this draft had to tell of it becomes quiet. */
  suppress(effect: ActiveAlarm, cause: ActiveAlarm, at: number): void {
    this.write(effect).parent = cause;
    this.note(effect, 'suppressed', at, { code: cause.code });
    this.changes.forEach((change, index) => {
      if (change.alarm === effect) this.changes[index] = { ...change, quiet: true };
    });
    this.changes.push({ alarm: effect, kind: 'suppressed', quiet: true });
  }

  #countActivation(condition: Condition, alarm: ActiveAlarm): void {
    condition.raisedAt = recentRaises([...condition.raisedAt, alarm.raisedAt], alarm.raisedAt);
    if (isChattering(condition.raisedAt, alarm.raisedAt))
      condition.chatteringUntil = alarm.raisedAt + chatteringHoldMs;
    if (alarm.raisedAt < condition.chatteringUntil) alarm.tags = ['chattering'];
  }

  /** Level 1 becomes 2 in the same work order; it never goes back. */
  escalate(alarm: ActiveAlarm, at: number, value: number | null, threshold: number | null, latched: boolean) {
    this.write(alarm).level = 2;
    alarm.severity = Math.min(alarm.severity, severityOf(alarm.code, 2));
    alarm.threshold = threshold ?? alarm.threshold;
    alarm.latched ||= latched;
    this.note(alarm, 'escalated', at, { value, threshold });
    this.changes.push({ alarm, kind: 'escalated', quiet: alarm.late || alarm.parent !== null });
  }

  /** Seen again: counted in memory, written at most once in 10 s unless `force`. */
  repeat(alarm: ActiveAlarm, at: number, receivedAt: number, value: number | null, force = false): void {
    this.journal.touch(alarm);
    alarm.unwritten += 1;
    alarm.lastAt = Math.max(alarm.lastAt, at);
    if (value !== null) {
      alarm.value = value;
      const below = alarmTypeOf(alarm.code)?.side === 'below';
      if (alarm.peak === null || (below ? value < alarm.peak : value > alarm.peak)) alarm.peak = value;
    }
    if (!force && receivedAt - alarm.writtenAt < writeEveryMs) return;
    alarm.writtenAt = receivedAt;
    this.write(alarm);
    this.changes.push({ alarm, kind: 'repeated', quiet: true });
  }

  /** The value is back to normal but the alarm waits for a reset. */
  needReset(alarm: ActiveAlarm, at: number): void {
    this.write(alarm).normalAt = at;
    this.note(alarm, 'normal', at, {});
    this.changes.push({ alarm, kind: 'repeated', quiet: true });
  }

  /** Ends an alarm; what it held back and what the device itself still claims comes to light. */
  clear(state: LineState, alarm: ActiveAlarm, at: number, kind: 'cleared' | 'reset'): void {
    const condition = state.conditions.get(keyOf(alarm.code, alarm.phase));
    if (condition?.active === alarm) this.journal.touch(condition).active = null;
    this.write(alarm).clearedAt = at;
    alarm.lastAt = Math.max(alarm.lastAt, at);
    this.note(alarm, kind, at, { value: alarm.value, peak: alarm.peak });
    const fleeting = kind === 'cleared' && isFleeting(alarm, at);
    if (fleeting) this.#keepInLog(alarm, at);
    this.changes.push({
      alarm,
      kind: fleeting ? 'deleted' : 'cleared',
      quiet: fleeting || alarm.late || alarm.parent !== null,
    });
    for (const held of heldBackBy(state, alarm))
      if (held.source === 'device' || isFound(held.code)) this.release(held, at);
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

  /** Its cause has ended and it still stands: from now on it is an alarm of its own. */
  release(alarm: ActiveAlarm, at: number): void {
    this.write(alarm).parent = null;
    this.note(alarm, 'released', at, {});
    this.changes.push({ alarm, kind: 'raised', quiet: false });
  }

  /** A backlog's alarm is confirmed by live data: from now on it counts as fresh. */
  wake(alarm: ActiveAlarm, at: number): void {
    if (!alarm.late) return;
    this.write(alarm).late = false;
    this.note(alarm, 'released', at, {});
    this.changes.push({ alarm, kind: 'raised', quiet: alarm.parent !== null });
  }

  /** The line's protection opened it because of this alarm: one work order. */
  trip(alarm: ActiveAlarm, at: number, code: number): void {
    this.write(alarm).tags = [...alarm.tags, 'trip'];
    this.note(alarm, 'tripped', at, { code });
    this.changes.push({ alarm, kind: 'repeated', quiet: true });
  }

  write(alarm: ActiveAlarm): ActiveAlarm {
    this.touched.add(alarm);
    return this.journal.touch(alarm);
  }

  note(alarm: ActiveAlarm, kind: StepKind, at: number, data: Record<string, unknown>): void {
    this.steps.push({ alarm, kind, at, data });
  }
}
