import type { DeviceType } from '#contract/telemetry.ts';
import type { LineRef } from '#server/core/group.ts';
import { AnswersSeen } from './answers-seen.ts';
import { BootCounter } from './boot-counter.ts';
import type { RawMessage } from './ingress.ts';
import { Gaps, Interval } from './interval.ts';
import { Seen } from './sequences-seen.ts';
import { Skew } from './skew.ts';

/** A line and the newest report of it that is stored. */
export interface LineState {
  ref: LineRef;
  at: number;
  receivedAt: number;
  boot: number;
  seq: number;
  gaps: Gaps;
  /** `Device.missing` when it was stored: while it is the same, no message is missing since. */
  missing: number;
}

/** A device as the link knows it; renewed by the directory, alive as long as the device is of interest here. */
export interface Device {
  id: number;
  number: string;
  type: DeviceType;
  secretHash: Buffer;
  /** As configured or as learnt, whichever is longer. */
  uploadSeconds: number;
  interval: Interval;
  /** Counts the messages that did not follow the one before. */
  missing: number;
  /** By line number; 0 is the device itself. */
  lines: (LineState | undefined)[];
  seen: Seen;
  readonly answers: AnswersSeen;
  bootCounter: BootCounter;
  skew: Skew;
  /** The estimate of its clock that the database has, ms. */
  clockMs: number;
  online: boolean;
  lastSeen: number;
  rssi: number | null;
  /** Where it connects from, as far as this node knows. */
  address: string | null;
  /** Messages between arrival and their end; a device with some is neither renewed nor forgotten. */
  pending: number;
  /** While an `info` that may bring new lines is being stored, what comes after it waits here. */
  held: RawMessage[] | null;
}

type Stored = Pick<Device, 'id' | 'number' | 'type' | 'secretHash' | 'uploadSeconds' | 'lines'>;

/** A device as it is before anything is heard of it. */
export const newDevice = (stored: Stored, skew = new Skew(0, Number.NEGATIVE_INFINITY)): Device => ({
  ...stored,
  seen: new Seen(),
  answers: new AnswersSeen(),
  bootCounter: new BootCounter(),
  interval: new Interval(null),
  missing: 0,
  skew,
  clockMs: 0,
  online: false,
  lastSeen: 0,
  rssi: null,
  address: null,
  pending: 0,
  held: null,
});

/** A line as it is before anything is heard of it. */
export const newLine = (ref: LineRef): LineState => ({
  ref,
  at: Number.NEGATIVE_INFINITY,
  receivedAt: Number.NEGATIVE_INFINITY,
  boot: -1,
  seq: -1,
  gaps: new Gaps(),
  missing: 0,
});
