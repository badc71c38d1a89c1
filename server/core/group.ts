import type { CfgSetMessage, CmdMessage, DeviceType, EventMessage } from '#contract/telemetry.ts';
import type { Batch } from './batch.ts';
import type { AlarmChange, StoredReading } from './bus.ts';
import type { Lane } from './lane.ts';

/** A line in the memory of the link and the alarm rules, renewed on `device.changed` and `line.changed`. */
export interface LineRef {
  lineId: number;
  deviceId: number;
  /** Line 0 of the same device, which has its device-level alarms. */
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
  /** The device's reporting interval: configured or learned, whichever is longer. */
  uploadSeconds: number;
  /** For a line that switches; absent: it only measures. */
  contacts?: { readonly poles: number };
}
const oldestBacklogMs = 21 * 86_400_000;
/** Older at its receipt than any device's buffer can be: the time is implausible. */
export const isOlderThanAnyBacklog = ({
  at,
  receivedAt,
}: Pick<StoredReading, 'at' | 'receivedAt'>): boolean => receivedAt - at > oldestBacklogMs;

export interface GroupReading extends StoredReading {
  line: LineRef;
  late: boolean;
  /**
   * For a late reading that was sent after the newest live one of its line: the time of receipt of that live
   * reading. The late one was measured no earlier, whatever its clock says.
   */
  notBefore?: number;
  /** Indexes of the channels with a sensor fault in this reading, ascending; their values are null. */
  faults: readonly number[];
  /** The message's bytes, parsed only when an alarm needs them. */
  original: Buffer;
}
export interface GroupEvent {
  line: LineRef;
  message: EventMessage;
  at: number;
  receivedAt: number;
  /** Backfilled: recorded with its own time, without a pop-up. */
  late: boolean;
  /** The same as for a reading. */
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
 * The effect of a group of messages on alarms. `judge` runs in memory without the database; `write` runs in
 * the group's transaction (rows locked in order of line_id) and may leave statements whose answers it does
 * not need in the batch, for the caller to send; after commit `settle` makes the in-memory state final and
 * returns the changes; after a rollback `undo` discards it, and the group may be judged again.
 */
export interface Judge {
  /**
   * Judgements run one after the other, each until it is settled or undone. Otherwise the next one would see
   * changes in memory that are not in the database yet.
   */
  readonly inTurn: Lane;
  judge(
    readings: readonly GroupReading[],
    events: readonly GroupEvent[],
    findings: readonly GroupFinding[],
  ): Judgement;
}
export interface Judgement {
  /** True if there is nothing to write: the hot path skips `write`. */
  empty: boolean;
  write(batch: Batch): Promise<void>;
  /** Devices with trips that `write` stores. */
  tripped(): readonly number[];
  settle(): AlarmChange[];
  undo(): void;
}

/** The link gave up on a message that the device may still have received. */
export class DeliveryUncertain extends Error {}

/** The only way to a device's topics; only the guard of `server/control` publishes commands. */
export interface DeviceLink {
  /**
   * Resolves when the broker accepted the message; rejects if the device has no connection, or after 2 s
   * (DeliveryUncertain).
   */
  publishCommand(deviceNumber: string, command: CmdMessage): Promise<void>;
  publishConfig(deviceNumber: string, config: CfgSetMessage): Promise<void>;
  /** Ends the device's connection, because its secret changed or it was deleted. */
  disconnect(deviceNumber: string): Promise<void>;
}
