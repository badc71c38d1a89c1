import type { DeviceType } from '#contract/telemetry.ts';
import type { LineRef } from '#server/core/group.ts';
import { AnswersSeen } from './answers-seen.ts';
import { BootCounter } from './boot-counter.ts';
import type { RawMessage } from './ingress.ts';
import { Gaps, Interval } from './interval.ts';
import { Seen } from './sequences-seen.ts';
import { Skew } from './skew.ts';

/** A line and its newest stored report. */
export interface LineState {
  ref: LineRef;
  at: number;
  receivedAt: number;
  boot: number;
  seq: number;
  gaps: Gaps;
  /**
   * The value of `Device.missing` when the report was stored. If it is still equal, no message has been
   * missed since.
   */
  missing: number;
}

/**
 * A device in the memory of the link; the directory renews it, and keeps it as long as this node needs it.
 */
export interface Device {
  id: number;
  number: string;
  type: DeviceType;
  secretHash: Buffer;
  /** Reporting interval: configured or learned, whichever is longer. */
  uploadSeconds: number;
  interval: Interval;
  /** Counts the messages that did not directly follow the previous one. */
  missing: number;
  /** By line number; 0 is the device itself. */
  lines: (LineState | undefined)[];
  /** Counts the equipment behind the number since it is in memory: with a new secret another one may come. */
  equipment: number;
  seen: Seen;
  readonly answers: AnswersSeen;
  bootCounter: BootCounter;
  skew: Skew;
  /** The estimate of its clock in the database, ms. */
  clockMs: number;
  /** The most by which its clock may be behind, in the database, ms. */
  behindMs: number;
  /** Whether the database calls this estimate unknown. */
  clockUnknown: boolean;
  /** Whether the database says that its present connection, or boot, has not shown its clock. */
  clockAwaited: boolean;
  online: boolean;
  /** The boot with which the device last announced itself; null if it did not. */
  announcedBoot: number | null;
  lastSeen: number;
  rssi: number | null;
  /** The device's remote address, if this node knows it. */
  address: string | null;
  /** Number of unfinished messages; a device with some is neither renewed nor forgotten. */
  pending: number;
  /** While an `info` that may add lines is being stored, later messages wait here. */
  held: RawMessage[] | null;
}

type Stored = Pick<Device, 'id' | 'number' | 'type' | 'secretHash' | 'uploadSeconds' | 'lines'>;

/** A device before its first message. */
export const newDevice = (stored: Stored, skew = new Skew(0, Number.NEGATIVE_INFINITY)): Device => ({
  ...stored,
  equipment: 0,
  seen: new Seen(),
  answers: new AnswersSeen(),
  bootCounter: new BootCounter(),
  interval: new Interval(null),
  missing: 0,
  skew,
  clockMs: 0,
  behindMs: 0,
  clockUnknown: false,
  clockAwaited: false,
  online: false,
  announcedBoot: null,
  lastSeen: 0,
  rssi: null,
  address: null,
  pending: 0,
  held: null,
});

/** A line before its first report. */
export const newLine = (ref: LineRef): LineState => ({
  ref,
  at: Number.NEGATIVE_INFINITY,
  receivedAt: Number.NEGATIVE_INFINITY,
  boot: -1,
  seq: -1,
  gaps: new Gaps(),
  missing: 0,
});
