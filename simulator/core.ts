import {
  type AckMessage,
  type DeviceTimer,
  type EventMessage,
  lockBits,
  type OtaMessage,
  type PositionEventMessage,
  type RefusalReason,
} from '#contract/telemetry.ts';
import type { Alarms } from './alarms.ts';
import type { Clock } from './clock.ts';
import type { DeviceConfig, Faults, LineConfig } from './model.ts';
import type { ParameterSet } from './parameters.ts';
import type { LineModel } from './physics/line.ts';
import type { Random } from './random.ts';
import type { Trips } from './trips.ts';

type Unnumbered<Message> = Message extends unknown
  ? Omit<Message, 'v' | 'boot' | 'seq' | 't' | 'tq' | 'bf'>
  : never;
type EventFields = Unnumbered<EventMessage>;
export type AckFields = Unnumbered<AckMessage>;
export type PositionCause = PositionEventMessage['by'];

/** A switching operation under way. */
interface Operation {
  id: string | null;
  target: 0 | 1;
  cancel(): void;
}
export interface Line {
  config: LineConfig;
  model: LineModel;
  alarms: Alarms;
  trips: Trips;
  parameters: ParameterSet;
  /** The position that the sensor shows; a welded pole may still conduct. */
  position: 0 | 1;
  conducting: boolean;
  trip: number;
  energy: number;
  arcTotal: number;
  arcMax: number;
  /** Seconds with an arc in the last hour, by device time. */
  arcTimes: number[];
  shortCircuits: number;
  /** Device times of the switching operations in the last hour. */
  operations: number[];
  operation: Operation | null;
  reclose: { attempts: number; goodFor: number; calmFor: number; locked: boolean };
  quota: { day: string; start: number; reached: boolean };
  leakages: number[];
  temperatures: number[];
  wattsBefore: number;
  heaterWatts: number;
  selftestFailed: number;
}

/** State that the parts of one device share. */
export interface Core {
  config: DeviceConfig;
  clock: Clock;
  random: Random;
  /** The device's own time, epoch ms. */
  now(): number;
  lines: Line[];
  /** Device-level alarms. */
  alarms: Alarms;
  faults: Faults;
  parameters: ParameterSet;
  enables: Record<string, boolean>;
  timers: DeviceTimer[];
  zone: string | number;
  rev: number;
  firmware: string;
  ota: boolean;
  lastNumber: number;
  custom: unknown;
  nextEventId(): string;
  sendEvent(event: EventFields): void;
  sendAck(ack: AckFields): void;
  sendOta(progress: Omit<OtaMessage, 'v' | 't'>): void;
  sendInfo(): void;
  sendConfig(answer?: { id: string; st: 'applied' | 'conflict' | 'rejected'; why?: string }): void;
  sendTelemetry(): void;
  /** Recalculates what changes at once when contacts move. */
  settle(): void;
  /** Uploads more often for a while. */
  hurry(): void;
  setClock(time: number): void;
  restart(why: string): void;
  touch(): void;
}

export const lockOf = (core: Core): number =>
  (isLocked(core) ? lockBits.local : 0) | (core.enables['net_ctrl'] ? 0 : lockBits.netControlOff);
export const isLocked = (core: Core): boolean =>
  core.faults.localLock === true || core.enables['local_lock'] === true;
export const numeric = (parameters: ParameterSet, key: string): number => {
  const value = parameters[key];
  return typeof value === 'number' ? value : 0;
};
export const lineNumbered = (core: Core, n: unknown): Line | undefined =>
  core.lines.find((line) => line.config.n === n);

/** Codes of level 2 that forbid closing their line. Source: domain reference §4.2. */
export const closeBlockingCodes: readonly number[] = [205, 301, 401, 402, 501, 502];
export type Refusal = RefusalReason | null;
