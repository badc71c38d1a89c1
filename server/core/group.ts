import type { CfgSetMessage, CmdMessage, DeviceType, EventMessage } from '#contract/telemetry.ts';
import type { Batch } from './batch.ts';
import type { AlarmChange, StoredReading } from './bus.ts';

/** A line as the link and the alarm rules know it, kept in memory and renewed on `device.changed` and `line.changed`. */
export interface LineRef {
  lineId: number;
  deviceId: number;
  /** Line 0 of the same device, which carries its device-level alarms. */
  deviceLineId: number;
  deviceNumber: string;
  n: number;
  type: DeviceType;
  projectId: number | null;
  partId: number | null;
  ratedCurrent: number | null;
  /** Line to neutral, V. */
  nominalVoltage: number;
  /** Overrides of the catalogue's numbers, by parameter key. */
  thresholds: Readonly<Record<string, number>>;
  /** How often its device reports: as configured or as learnt, whichever is longer. */
  uploadSeconds: number;
  /** Of a line that switches; absent: it only measures. */
  contacts?: { readonly poles: number };
}
const oldestBacklogMs = 21 * 86_400_000;
/** Older at its receipt than what any device's buffer keeps: such a time is not believed. */
export const isOlderThanAnyBacklog = ({
  at,
  receivedAt,
}: Pick<StoredReading, 'at' | 'receivedAt'>): boolean => receivedAt - at > oldestBacklogMs;

export interface GroupReading extends StoredReading {
  line: LineRef;
  late: boolean;
  /** Of a late one that was sent after the line's newest live one: when that one was received, whatever clocks say. */
  notBefore?: number;
  /** Indexes of the channels whose sensor reported a fault in this reading, ascending; their values are null. */
  faults: readonly number[];
  /** The message's bytes, parsed only when an alarm needs them. */
  original: Buffer;
}
export interface GroupEvent {
  line: LineRef;
  message: EventMessage;
  at: number;
  receivedAt: number;
  /** Backfilled: recorded with its own time, never popped up. */
  late: boolean;
  /** As of a reading. */
  notBefore?: number;
  original: Buffer;
}
/** A finding of the server itself about a device: offline (801), clock skew (803) … */
export interface GroupFinding {
  line: LineRef;
  code: number;
  level: 1 | 2;
  active: boolean;
  value: number | null;
  at: number;
}

/**
 * What a group of messages means for alarms. `judge` runs in memory and touches no database; `write` runs in the
 * group's transaction (rows locked in order of line_id) and may leave statements in the batch, whose answers it does not
 * need, for the caller to send; after commit `settle` makes the in-memory state final and returns what changed; after a
 * rollback `undo` forgets it, and the group may be judged again.
 */
export interface Judge {
  judge(
    readings: readonly GroupReading[],
    events: readonly GroupEvent[],
    findings: readonly GroupFinding[],
  ): Judgement;
}
export interface Judgement {
  /** True when there is nothing to write: the hot path skips `write`. */
  empty: boolean;
  write(batch: Batch): Promise<void>;
  settle(): AlarmChange[];
  undo(): void;
}

/** The link gave up on a message that may still have reached the device. */
export class DeliveryUncertain extends Error {}

/** The only way to a device's topics; the guard of `server/control` is the only one who publishes commands. */
export interface DeviceLink {
  /** Resolves when the broker took the message; rejects when the device has no session, or after 2 s (DeliveryUncertain). */
  publishCommand(deviceNumber: string, command: CmdMessage): Promise<void>;
  publishConfig(deviceNumber: string, config: CfgSetMessage): Promise<void>;
  /** Ends the device's connection: its secret changed or it was deleted. */
  disconnect(deviceNumber: string): Promise<void>;
}
