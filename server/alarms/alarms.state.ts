import type { GroupEvent, GroupReading } from '#server/core/group.ts';
import { freshWatch, type Watch } from './alarms.rules.ts';

/** An alarm that stands, as known in memory. */
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
  lastAt: number;
  normalAt: number | null;
  clearedAt: number | null;
  latched: boolean;
  /** The alarm whose consequence this one is. */
  parent: ActiveAlarm | null;
  value: number | null;
  peak: number | null;
  threshold: number | null;
  tags: readonly string[];
  late: boolean;
  /** Occurrences that the row does not count yet, and when it was last written (receive time). */
  unwritten: number;
  writtenAt: number;
}

/** One phenomenon on one phase of a line: what is pending and what stands. */
export interface Condition extends Watch {
  key: number;
  code: number;
  phase: number;
  active: ActiveAlarm | null;
  raisedAt: readonly number[];
  chatteringUntil: number;
  /** The newest event of a device that began anew while this one stood: it may have ended in between. */
  again: GroupEvent | null;
}

/** What derived quantities remember of earlier samples; NaN for 'nothing yet'. Times are device time in ms. */
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
}
export interface DeviceState {
  readonly deviceId: number;
  readonly lines: Map<number, LineState>;
}

export const keyOf = (code: number, phase: number) => code * 8 + phase;

export const freshMemory = (): LineMemory => ({
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

/**
 * A whole project has a line of its own as well, that of minus its id, which carries its outage.
 */
export const projectLine = (projectId: number) => -projectId;

/** Everything known in memory, by device and line. */
export class AlarmMemory {
  readonly #devices = new Map<number, DeviceState>();
  readonly #lines = new Map<number, LineState>();

  line(lineId: number, deviceId: number): LineState {
    const known = this.#lines.get(lineId);
    if (known && known.device.deviceId === deviceId) return known;
    let device = this.#devices.get(deviceId);
    if (!device) {
      device = { deviceId, lines: new Map() };
      this.#devices.set(deviceId, device);
    }
    const line: LineState = {
      lineId,
      device,
      conditions: new Map(),
      memory: freshMemory(),
      trip: null,
    };
    device.lines.set(lineId, line);
    this.#lines.set(lineId, line);
    return line;
  }

  known(lineId: number): LineState | undefined {
    return this.#lines.get(lineId);
  }

  *activeOfDevice(deviceId: number): Generator<ActiveAlarm> {
    for (const line of this.#devices.get(deviceId)?.lines.values() ?? [])
      for (const condition of line.conditions.values()) if (condition.active) yield condition.active;
  }

  *active(): Generator<ActiveAlarm> {
    for (const line of this.#lines.values())
      for (const condition of line.conditions.values()) if (condition.active) yield condition.active;
  }
}

/** Remembers what a judgement changed, so that it can be taken back. Objects are flat; arrays are replaced. */
export class Journal {
  readonly #before = new Map<object, object>();
  readonly #undo: (() => void)[] = [];

  touch<T extends object>(target: T): T {
    if (!this.#before.has(target)) this.#before.set(target, { ...target });
    return target;
  }

  /** The condition of a code and phase, made when it is new, ready to be changed. */
  condition(line: LineState, code: number, phase: number): Condition {
    const key = keyOf(code, phase);
    const known = line.conditions.get(key);
    if (known) return this.touch(known);
    const made: Condition = {
      ...freshWatch(),
      key,
      code,
      phase,
      active: null,
      raisedAt: [],
      chatteringUntil: 0,
      again: null,
    };
    line.conditions.set(key, made);
    this.#undo.push(() => line.conditions.delete(key));
    return made;
  }

  /** Drops a condition in which nothing stands or pends. */
  forget(line: LineState, condition: Condition): void {
    line.conditions.delete(condition.key);
    this.#undo.push(() => line.conditions.set(condition.key, condition));
  }

  /** Takes everything back, newest first. */
  undo(): void {
    for (const [target, before] of this.#before) Object.assign(target, before);
    for (const run of this.#undo.reverse()) run();
  }
}

export const phaseOf: Record<string, number> = { a: 1, b: 2, c: 3, n: 4 };
export type Measure = (reading: GroupReading, memory: LineMemory) => number;
