import { alarmCodes } from '#contract/alarm-codes.ts';
import type { AlarmEventMessage } from '#contract/telemetry.ts';
import type { GroupEvent, GroupReading } from '#server/core/group.ts';
import { type Chatter, chatteringHoldMs, freshChatter, freshWatch, type Watch } from './delays.ts';

/** An active alarm in memory. */
export interface ActiveAlarm {
  /** 0 until it is written. */
  id: number;
  lineId: number;
  deviceId: number;
  projectId: number | null;
  partId: number | null;
  code: number;
  phase: number;
  severity: number;
  level: 1 | 2;
  source: 'device' | 'server';
  eventId: string | null;
  raisedAt: number;
  /** When its first message was received. */
  receivedAt: number;
  lastAt: number;
  normalAt: number | null;
  /** A late reading of this time showed that its condition had ended; null: none did. */
  goneAt: number | null;
  clearedAt: number | null;
  latched: boolean;
  /** The alarm that this one is a consequence of. */
  parent: ActiveAlarm | null;
  value: number | null;
  peak: number | null;
  threshold: number | null;
  /** Unit of value, peak and threshold, if it is not the type's own; and the last unit of the device. */
  unit: string | null;
  reportedUnit: string | null;
  tags: readonly string[];
  late: boolean;
  /** Boot of the device that last reported it; null if no message did. */
  boot: number | null;
  /** The processed alarm that this one follows; both are the same condition, in two work orders. */
  previousId: number | null;
  /** The new work order that follows this one, with the same event if both have one. */
  followedBy: ActiveAlarm | null;
  /** Other events of the device that it includes and whose end the device has not reported yet. */
  others: readonly OpenEvent[];
  /** The device has ended the event that it is named after. */
  ownEnded: boolean;
  /** Its type is switched off: it behaves like any other alarm, but has no row and no user sees it. */
  unrecorded: boolean;
  /** Occurrences that the row does not count yet, and the time of the last write (receive time). */
  unwritten: number;
  writtenAt: number;
}

/** An event of a device without its end. */
export interface OpenEvent {
  readonly eid: string;
  readonly at: number;
  /** Null if an earlier work order was named after it. */
  readonly event: EventFacts | null;
}
export interface EventFacts extends Pick<GroupEvent, 'receivedAt' | 'original' | 'late'> {
  readonly message: AlarmEventMessage;
}

/** One condition on one phase of a line, with its pending and active state. */
export interface Condition extends Watch, Chatter {
  key: number;
  code: number;
  phase: number;
  active: ActiveAlarm | null;
  /** Since when all readings contradict the alarm of the device; NaN if they do not. */
  quietSince: number;
  /** When the device first proved to have restarted without repeating its alarm; NaN if it has not. */
  restartedAt: number;
  /** The value exceeds the limit that forbids closing, although its alarm level is switched off. */
  beyond: boolean;
  /** Its state in `line_conditions`. */
  interlock: 'none' | 'held' | 'latched';
}

/** Earlier samples for derived quantities; NaN for 'none yet'. Times are device time in ms. */
export interface LineMemory {
  at: number;
  temperatureAt: readonly [older: number, newer: number];
  temperatures: readonly [older: readonly (number | null)[], newer: readonly (number | null)[]];
  leakageAt: number;
  leakageLeast: readonly [older: number, newer: number];
  leakageFrozen: number;
  leakageFrozenAt: number;
  arcAt: number;
  arcs: readonly [older: number, newer: number];
  shortCircuits: number;
  shortCircuited: boolean;
  energy: number;
  energyUsed: number;
  energyUntil: number;
}

export interface LineState {
  readonly lineId: number;
  readonly device: DeviceState;
  readonly conditions: Map<number, Condition>;
  readonly memory: LineMemory;
  /** Last reported trip code; null when unknown. */
  trip: number | null;
  /** A late reading, sent after the newest live one, showed that this trip had gone. */
  tripGone: boolean;
  /** The last trip of readings that are older than any backlog, and its time of receipt. */
  tripOfOld: { readonly code: number; readonly at: number } | null;
  /** Whether the newest reading shows voltage or current, and the time of that reading; null before the first. */
  supply: Supply | null;
  /** Ids of the commands under way that move its contacts. */
  readonly commands: Set<string>;
}
export interface Supply {
  readonly at: number;
  readonly carries: boolean;
}
/** A command that opens or closes a line. */
export interface Commanded {
  readonly lineId: number;
  readonly deviceId: number;
  readonly commandId: string;
}
interface DeviceState {
  readonly deviceId: number;
  readonly lines: Map<number, LineState>;
  /** When the last message of its backlog was received; NaN: not known since the start. */
  backlogAt: number;
  /** The live event with the highest boot and sequence number since the start. */
  readonly newestEvent: { boot: number; seq: number };
  readonly busbars: Busbars;
}

type Place = Pick<ActiveAlarm, 'projectId' | 'partId'>;
/**
 * Active supply alarms by location, oldest first. A part of a project counts as one busbar, and so does the
 * rest of a project outside all parts. Decision 0082.
 */
class Busbars {
  readonly #alarms = new Map<string, Map<ActiveAlarm, LineState>>();

  add(line: LineState, alarm: ActiveAlarm): void {
    if (alarm.projectId === null || alarm.unrecorded || !busbarCodes.has(alarm.code)) return;
    const key = keyOfPlace(alarm);
    const known = this.#alarms.get(key);
    if (known) known.set(alarm, line);
    else this.#alarms.set(key, new Map([[alarm, line]]));
  }

  delete(alarm: ActiveAlarm): void {
    this.#alarms.get(keyOfPlace(alarm))?.delete(alarm);
  }

  of(place: Place): Iterable<readonly [ActiveAlarm, LineState]> {
    return (place.projectId !== null && this.#alarms.get(keyOfPlace(place))) || [];
  }
}
const keyOfPlace = ({ projectId, partId }: Place) => `${projectId}/${partId}`;
/** Conditions that the devices of a busbar share. */
export const busbarCodes: ReadonlySet<number> = new Set([
  alarmCodes.overvoltage,
  alarmCodes.undervoltage,
  alarmCodes.phaseLoss,
  alarmCodes.frequency,
]);

/** For sensor alarms, phases from here on are channels of the line, in the order of its type. */
export const firstChannelPhase = 16;
/** `phase` is below 128: a phase, or the channel of a sensor alarm. */
export const keyOf = (code: number, phase: number) => code * 128 + phase;

export const chatteringTag = 'chattering';

/** Of an alarm of which only its own event is open. */
export const noEvents = { others: [] as readonly OpenEvent[], ownEnded: false };

export const freshCondition = (code: number, phase: number): Condition => ({
  ...freshWatch(),
  key: keyOf(code, phase),
  code,
  phase,
  active: null,
  ...freshChatter(),
  quietSince: Number.NaN,
  restartedAt: Number.NaN,
  beyond: false,
  interlock: 'none',
});

const freshMemory = (): LineMemory => ({
  at: Number.NaN,
  temperatureAt: [Number.NaN, Number.NaN],
  temperatures: [[], []],
  leakageAt: Number.NaN,
  leakageLeast: [Number.NaN, Number.NaN],
  leakageFrozen: Number.NaN,
  leakageFrozenAt: Number.NaN,
  arcAt: Number.NaN,
  arcs: [Number.NaN, Number.NaN],
  shortCircuits: Number.NaN,
  shortCircuited: false,
  energy: Number.NaN,
  energyUsed: 0,
  energyUntil: Number.NaN,
});

/** All known state in memory, by device and line. */
export class AlarmMemory {
  readonly #devices = new Map<number, DeviceState>();
  readonly #lines = new Map<number, LineState>();
  /** Ids of active alarms that an operator has handled. */
  readonly #processed = new Set<number>();
  readonly #busbars = new Busbars();

  line(lineId: number, deviceId: number): LineState {
    const known = this.#lines.get(lineId);
    if (known && known.device.deviceId === deviceId) return known;
    let device = this.#devices.get(deviceId);
    if (!device) {
      device = {
        deviceId,
        lines: new Map(),
        backlogAt: Number.NaN,
        newestEvent: { boot: -1, seq: -1 },
        busbars: this.#busbars,
      };
      this.#devices.set(deviceId, device);
    }
    const line: LineState = {
      lineId,
      device,
      conditions: new Map(),
      memory: freshMemory(),
      trip: null,
      tripGone: false,
      tripOfOld: null,
      supply: null,
      commands: new Set(),
    };
    device.lines.set(lineId, line);
    this.#lines.set(lineId, line);
    return line;
  }

  /** Another node may have received the messages that ended these delays. */
  forgetDelays(): void {
    for (const { conditions } of this.#lines.values())
      for (const condition of conditions.values()) Object.assign(condition, freshWatch());
  }

  /** Takes the list of all commands under way. */
  takeCommands(commands: readonly Commanded[]): void {
    for (const line of this.#lines.values()) line.commands.clear();
    for (const { lineId, deviceId, commandId } of commands)
      this.line(lineId, deviceId).commands.add(commandId);
  }

  known(lineId: number): LineState | undefined {
    return this.#lines.get(lineId);
  }

  /** Recorded alarms that are active. */
  *activeOfDevice(deviceId: number): Generator<ActiveAlarm> {
    for (const alarm of this.everyOfDevice(deviceId)) if (!alarm.unrecorded) yield alarm;
  }

  /** Active alarms, including those of switched-off types. */
  *everyOfDevice(deviceId: number): Generator<ActiveAlarm> {
    for (const line of this.#devices.get(deviceId)?.lines.values() ?? [])
      for (const condition of line.conditions.values()) if (condition.active) yield condition.active;
  }

  *active(): Generator<ActiveAlarm> {
    for (const alarm of this.#every()) if (!alarm.unrecorded) yield alarm;
  }

  /** Conditions with an active alarm. */
  *activeConditions(): Generator<readonly [LineState, Condition & { active: ActiveAlarm }]> {
    for (const line of this.#lines.values())
      for (const condition of line.conditions.values())
        if (condition.active !== null) yield [line, condition as Condition & { active: ActiveAlarm }];
  }

  /** Active alarms without a row, because their types are or were switched off. */
  *unrecorded(): Generator<ActiveAlarm> {
    for (const alarm of this.#every()) if (alarm.unrecorded) yield alarm;
  }

  *#every(): Generator<ActiveAlarm> {
    for (const line of this.#lines.values())
      for (const condition of line.conditions.values()) if (condition.active) yield condition.active;
  }

  isProcessed(alarm: ActiveAlarm): boolean {
    return this.#processed.has(alarm.id);
  }

  /** An operator handled this alarm; ignored if it is not active on this node. */
  handled(lineId: number, alarmId: number): void {
    if (this.byId(lineId, alarmId)) this.#processed.add(alarmId);
  }

  /** The active alarm of a line with this id. */
  byId(lineId: number, alarmId: number): ActiveAlarm | undefined {
    for (const { active } of this.#lines.get(lineId)?.conditions.values() ?? [])
      if (active?.id === alarmId) return active;
    return undefined;
  }

  /** The database says that an active alarm is processed. */
  learnProcessed(alarm: ActiveAlarm): void {
    this.#processed.add(alarm.id);
  }

  /** Restores an active alarm from its row. */
  take(alarm: ActiveAlarm, processed: boolean): void {
    const line = this.line(alarm.lineId, alarm.lineId < 0 ? alarm.lineId : alarm.deviceId);
    const key = keyOf(alarm.code, alarm.phase);
    const known = line.conditions.get(key) ?? freshCondition(alarm.code, alarm.phase);
    if (known.active) this.#busbars.delete(known.active);
    line.conditions.set(key, Object.assign(known, { active: alarm }));
    this.#busbars.add(line, alarm);
    if (alarm.tags.includes(chatteringTag)) known.chatteringUntil = alarm.lastAt + chatteringHoldMs;
    if (processed) this.#processed.add(alarm.id);
  }

  /** Forgets alarms that have ended. */
  ended(alarms: Iterable<ActiveAlarm>): void {
    for (const alarm of alarms)
      if (alarm.clearedAt !== null) {
        this.#processed.delete(alarm.id);
        this.#busbars.delete(alarm);
      }
  }
}

/** Records the changes of a judgement, so that they can be undone. Objects are flat; arrays are replaced. */
export class Journal {
  readonly #before = new Map<object, object>();
  readonly #undo: (() => void)[] = [];

  touch<T extends object>(target: T): T {
    if (!this.#before.has(target)) this.#before.set(target, { ...target });
    return target;
  }

  /** The condition of a code and phase, created if new, ready to be changed. */
  condition(line: LineState, code: number, phase: number): Condition {
    const key = keyOf(code, phase);
    const known = line.conditions.get(key);
    if (known) return this.touch(known);
    const made = freshCondition(code, phase);
    line.conditions.set(key, made);
    this.#undo.push(() => line.conditions.delete(key));
    return made;
  }

  /** Drops a condition without a pending or active alarm. */
  forget(line: LineState, condition: Condition): void {
    line.conditions.delete(condition.key);
    this.#undo.push(() => line.conditions.set(condition.key, condition));
  }

  /** Adds an active alarm to its busbar, for comparison with others. */
  addToBusbar(line: LineState, alarm: ActiveAlarm): void {
    const { busbars } = line.device;
    busbars.add(line, alarm);
    this.#undo.push(() => busbars.delete(alarm));
  }

  onUndo(run: () => void): void {
    this.#undo.push(run);
  }

  /** Undoes all changes, newest first. */
  undo(): void {
    for (const [target, before] of this.#before) Object.assign(target, before);
    for (const run of this.#undo.reverse()) run();
  }
}

export const phaseOf: Record<string, number> = { a: 1, b: 2, c: 3, n: 4 };
export type Measure = (reading: GroupReading, memory: LineMemory) => number;
