import { lineChannels, lockBits, registerLimits } from '#contract/telemetry.ts';
import type { GroupReading } from '#server/core/group.ts';
import { flag } from '#server/core/reading-flags.ts';
import type { Device, LineState } from './device.ts';
import type { RawMessage } from './ingress.ts';
import type { Instant } from './instant.ts';
import { type Layout, type LayoutNode, layouts } from './layout.ts';
import { isObject } from './messages.ts';
import type { RefusalCode } from './refusal.ts';

/**
 * Facts of a line besides its channels; a report contains any of them, as a value or as null (its sensor is
 * faulty).
 */
export const fact = { position: 1, trip: 2, lock: 4 } as const;
export type FactName = keyof typeof fact;
export const factNames: readonly FactName[] = ['position', 'trip', 'lock'];

/** A reading to be stored: the fields for the rules, and fields that only the table needs. */
export interface Row extends GroupReading {
  sentAt: number | null;
  flags: number;
  /** Bits of `fact`. */
  carries: number;
}

/** The lock bits, each of which refuses a close. */
const everyLock = lockBits.local | lockBits.maintenance | lockBits.netControlOff;

/**
 * The facts of a reading that forbid closing however late it arrives: a trip, a lock, a lost sensor. Bits of
 * `fact`.
 */
export const forbidding = ({ carries, position, trip, lock }: Row): number =>
  carries &
  ((position === null ? fact.position : 0) |
    (trip === 0 ? 0 : fact.trip) |
    (lock !== null && (lock & everyLock) === 0 ? 0 : fact.lock));

type Fields = Record<string, unknown>;

const mostLines = 64;

/**
 * The readings of the lines in a message. An impossible value is a sensor fault: null, and flagged;
 * everything else in the message counts. `noted` gives the reason why a line was left out.
 */
export const readLines = (
  device: Device,
  message: Fields & { boot: number; seq: number },
  raw: RawMessage,
  instant: Instant,
): { rows: Row[]; noted: RefusalCode | null } => {
  const lines = message['ln'] as readonly unknown[];
  const shared = isObject(message['dev']) ? message['dev'] : null;
  const rows: Row[] = [];
  let noted: RefusalCode | null = lines.length > mostLines ? 'unknown_line' : null;
  for (const line of lines.slice(0, mostLines)) {
    const state = isObject(line) ? lineOf(device, line['n'], rows) : 'wrong_type';
    if (typeof state === 'string') noted = state;
    else rows.push(readLine(state, line as Fields, shared, { device, message, raw, instant }));
  }
  return { rows, noted };
};

const lineOf = (device: Device, n: unknown, rows: readonly Row[]): LineState | RefusalCode => {
  if (typeof n !== 'number') return 'wrong_type';
  for (const row of rows) if (row.n === n) return 'duplicate_line';
  return (n >= 1 ? device.lines[n] : undefined) ?? 'unknown_line';
};

interface Source {
  device: Device;
  message: { boot: number; seq: number };
  raw: RawMessage;
  instant: Instant;
}

const readLine = (
  { ref }: LineState,
  line: Fields,
  shared: Fields | null,
  { device, message, raw, instant }: Source,
): Row => {
  const channels: (number | null)[] = new Array(lineChannels[device.type].length).fill(null);
  faulty = [];
  flags = instant.flags;
  if (shared) fill(layouts[device.type], shared, channels);
  fill(layouts[device.type], line, channels);
  const { sw, trip, lock, E } = line;
  const row: Row = {
    lineId: ref.lineId,
    deviceId: device.id,
    n: ref.n,
    at: instant.at,
    receivedAt: raw.receivedAt,
    boot: message.boot,
    seq: message.seq,
    position: isPosition(sw) ? sw : null,
    trip: isSmall(trip) ? trip : null,
    lock: isSmall(lock) ? lock : null,
    energy: isRegister(E) ? E : null,
    channels,
    latest: false,
    late: (instant.flags & flag.backfilled) !== 0,
    line: ref,
    faults: faulty.length > 1 ? faulty.sort((a, b) => a - b) : faulty,
    original: raw.payload,
    sentAt: instant.sentAt,
    flags,
    carries:
      (sw === undefined ? 0 : fact.position) |
      (trip === undefined ? 0 : fact.trip) |
      (lock === undefined ? 0 : fact.lock),
  };
  if (
    faulty.length > 0 ||
    isLost(sw, row.position) ||
    isLost(trip, row.trip) ||
    isLost(lock, row.lock) ||
    isLost(E, row.energy)
  )
    row.flags |= flag.sensorFault;
  return row;
};

const isLost = (sent: unknown, taken: number | null): boolean => sent !== undefined && taken === null;
const isPosition = (value: unknown): value is 0 | 1 => value === 0 || value === 1;
const isSmall = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 32_767;
const isRegister = (value: unknown): value is number =>
  typeof value === 'number' && value >= registerLimits[0] && value <= registerLimits[1];

/** State of the line that is being read: channels with a faulty sensor, and its flags. */
let faulty: number[] = [];
let flags = 0;

const fill = (layout: Layout, values: Fields, channels: (number | null)[]): void => {
  for (const key in values) {
    const node = layout[key];
    if (node === undefined) continue;
    const value = values[key];
    if (node.children === null) fillOne(node, value, channels);
    else if (isObject(value)) fill(node.children, value, channels);
    else markFaulty(node, channels);
  }
};

const fillOne = (node: LayoutNode, value: unknown, channels: (number | null)[]): void => {
  const { index, limits } = node;
  if (
    typeof value !== 'number' ||
    !(value >= limits.lowest && value <= limits.highest) ||
    limits.markers.includes(value)
  ) {
    markFaulty(node, channels);
    return;
  }
  channels[index] = value;
  if (faulty.length > 0) faulty = faulty.filter((other) => other !== index);
  if (value > limits.max || value < limits.min) flags |= flag.saturated;
};

const markFaulty = ({ index, children }: LayoutNode, channels: (number | null)[]): void => {
  if (children === null) {
    channels[index] = null;
    if (!faulty.includes(index)) faulty.push(index);
  } else for (const key in children) markFaulty(children[key]!, channels);
};
