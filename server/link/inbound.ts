import {
  type AckMessage,
  type CfgMessage,
  channelRange,
  type EventMessage,
  type InfoMessage,
  lineChannels,
  maxDeviceMessageBytes,
  type OtaMessage,
  type PresenceMessage,
} from '#contract/telemetry.ts';
import type { GroupEvent, GroupReading } from '#server/core/group.ts';
import type { Device } from './device.ts';
import type { RawMessage } from './ingress.ts';
import { type Layout, type LayoutNode, layouts } from './layout.ts';
import { checkAck, checkCfg, checkEvent, checkInfo, checkOta, isCount, isObject } from './messages.ts';
import type { RefusalCode } from './refusal.ts';

export const flag = { backfilled: 1, corrected: 2, unusable: 4, sensorFault: 8 } as const;

/** Facts of a line beside its channels; a report carries any of them, as a value or as null (its sensor is faulty). */
export const fact = { position: 1, trip: 2, lock: 4 } as const;
export type FactName = keyof typeof fact;
export const factNames: readonly FactName[] = ['position', 'trip', 'lock'];

/** A reading on its way to disk: what the rules see, and what only the table keeps. */
export interface Row extends GroupReading {
  sentAt: number | null;
  flags: number;
  /** Bits of `fact`. */
  carries: number;
}

export type Decoded =
  | { kind: 'tele'; boot: number; seq: number; rows: Row[]; skewed: boolean; rssi: number | null }
  | { kind: 'event'; boot: number; seq: number; event: GroupEvent }
  | { kind: 'ack'; boot: number; seq: number; message: AckMessage }
  | { kind: 'info'; message: InfoMessage }
  | { kind: 'cfg'; message: CfgMessage }
  | { kind: 'ota'; message: OtaMessage }
  | { kind: 'presence'; message: PresenceMessage };

type Fields = Record<string, unknown>;

const earliest = Date.UTC(2020, 0, 1);
const aheadMs = 10 * 60_000;
/** A device's clock counts as right to this. */
const clockToleranceMs = 5_000;
const farFutureMs = 366 * 86_400_000;
/** Older than this is no backlog of any device's buffer; rx_ms would not hold it either. */
const oldestMs = 21 * 86_400_000;
const retainable: ReadonlySet<string> = new Set(['presence', 'info', 'cfg']);

/**
 * Decodes and checks one message. Returns the reason when it is refused; never throws, whatever the bytes. Takes a
 * sample of the device's clock from a live message.
 */
export const decode = (device: Device, raw: RawMessage): Decoded | RefusalCode => {
  if (raw.topic === 'foreign') return 'foreign_topic';
  if (raw.retain && !retainable.has(raw.topic)) return 'retained';
  if (raw.payload.length > maxDeviceMessageBytes) return 'oversized';
  // Readings are looked through by name; the rest is kept as it came, and every reader must be able to walk it.
  if (raw.topic !== 'tele' && isUnstorable(raw.payload)) return 'not_storable';
  let message: unknown;
  try {
    message = JSON.parse(raw.payload.toString());
  } catch {
    return 'not_json';
  }
  if (!isObject(message)) return 'wrong_type';
  if (message['v'] !== 1) return 'bad_envelope';
  switch (raw.topic) {
    case 'tele':
      return decodeTele(device, message, raw);
    case 'event':
      return decodeEvent(device, message, raw);
    case 'ack':
      return isSequenced(message)
        ? (checkAck(message) ?? { kind: 'ack', boot: message.boot, seq: message.seq, message: as(message) })
        : 'bad_envelope';
    case 'info':
      return checkInfo(message, device.type) ?? { kind: 'info', message: as(message) };
    case 'cfg':
      return checkCfg(message) ?? { kind: 'cfg', message: as(message) };
    case 'ota':
      return checkOta(message) ?? { kind: 'ota', message: as(message) };
    case 'presence':
      return typeof message['on'] === 'boolean' ? { kind: 'presence', message: as(message) } : 'wrong_type';
  }
};

const deepest = 32;
const [quote, backslash, u, opens, closes] = [0x22, 0x5c, 0x75, [0x5b, 0x7b], [0x5d, 0x7d]];
/**
 * Whether a JSON text nests too deeply for its readers, or escapes U+0000 or half of a surrogate pair: the database
 * would refuse the whole group of messages for it.
 */
const isUnstorable = (payload: Buffer): boolean => {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < payload.length; index += 1) {
    const byte = payload[index]!;
    if (byte === quote) inText = !inText;
    else if (inText) {
      if (byte !== backslash) continue;
      index += 1;
      if (payload[index] !== u) continue;
      const unit = unitAt(payload, index);
      if (unit === 0 || isLow(unit)) return true;
      index += 4;
      if (!isHigh(unit)) continue;
      if (payload[index + 1] !== backslash || payload[index + 2] !== u || !isLow(unitAt(payload, index + 2)))
        return true;
      index += 6;
    } else if (opens.includes(byte)) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (closes.includes(byte)) depth -= 1;
  }
  return false;
};
/** The UTF-16 unit of an escape whose `u` stands at `index`; NaN where it is none. */
const unitAt = (payload: Buffer, index: number): number =>
  Number.parseInt(payload.toString('latin1', index + 1, index + 5), 16);
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const as = <Message>(checked: Fields): Message => checked as Message;

const isSequenced = (message: Fields): message is Fields & { boot: number; seq: number } =>
  isCount(message['boot']) && isCount(message['seq']);

interface Instant {
  at: number;
  sentAt: number | null;
  flags: number;
  skewed: boolean;
}

/** Device time, corrected by the skew of its clock; receive time when the clock is nonsense. Domain reference §5.4. */
const instantOf = (device: Device, message: Fields, receivedAt: number): Instant | RefusalCode => {
  const sent = message['t'];
  const backfilled = message['bf'] === 1 || message['bf'] === true;
  let flags = backfilled ? flag.backfilled : 0;
  if (sent !== undefined && sent !== null && typeof sent !== 'number') return 'wrong_type';
  if (typeof sent !== 'number')
    return { at: receivedAt, sentAt: null, flags: flags | flag.unusable, skewed: false };
  if (!(sent <= receivedAt + farFutureMs)) return 'far_future';
  const unusable = (skewed: boolean): Instant => ({
    at: receivedAt,
    sentAt: Number.isSafeInteger(sent) ? sent : null,
    flags: flags | flag.unusable,
    skewed,
  });
  if (message['tq'] === 2 || sent < earliest) return unusable(false);
  const t = Math.round(sent);
  const skewed = !backfilled && device.skew.sample(receivedAt - t);
  if (!backfilled && sent > receivedAt + aheadMs) return unusable(skewed);
  // A clock that was just set right is right, whatever the last messages say of it.
  const isRight = !backfilled && Math.abs(receivedAt - t) <= clockToleranceMs;
  const correction = isRight ? 0 : device.skew.correction;
  if (correction !== 0) flags |= flag.corrected;
  const at = t + correction;
  if (at > receivedAt + aheadMs) return unusable(skewed);
  // Nothing is measured in the future: one wrong time must not make all that follows look late, and raise nothing.
  if (at > receivedAt + clockToleranceMs)
    return { at: receivedAt, sentAt: t, flags: flags | flag.corrected, skewed };
  return receivedAt - at > oldestMs ? 'too_old' : { at, sentAt: t, flags, skewed };
};

const energyRange = channelRange['E'] ?? [0, 0];

const decodeTele = (device: Device, message: Fields, raw: RawMessage): Decoded | RefusalCode => {
  if (!isSequenced(message)) return 'bad_envelope';
  const { boot, seq } = message;
  const lines = message['ln'];
  if (!Array.isArray(lines)) return 'wrong_type';
  if (lines.length > 64) return 'unknown_line';
  const shared = message['dev'];
  if (shared !== undefined && !isObject(shared)) return 'wrong_type';
  const rssi = shared?.['rssi'] ?? null;
  if (rssi !== null && typeof rssi !== 'number') return 'wrong_type';
  const layout = layouts[device.type];
  const size = lineChannels[device.type].length;
  const rows: Row[] = [];
  for (const line of lines as unknown[]) {
    if (!isObject(line)) return 'wrong_type';
    const n = line['n'];
    if (typeof n !== 'number') return 'wrong_type';
    const state = n >= 1 ? device.lines[n] : undefined;
    if (!state) return 'unknown_line';
    for (const row of rows) if (row.n === n) return 'duplicate_line';
    const channels: (number | null)[] = new Array(size).fill(null);
    faulty = [];
    const refusal = (shared && fill(layout, shared, channels)) || fill(layout, line, channels);
    if (refusal) return refusal;
    const { sw: position = null, E: energy = null, trip = null, lock = null } = line;
    const carries =
      (line['sw'] === undefined ? 0 : fact.position) |
      (line['trip'] === undefined ? 0 : fact.trip) |
      (line['lock'] === undefined ? 0 : fact.lock);
    const isFaulty =
      faulty.length > 0 ||
      line['sw'] === null ||
      line['trip'] === null ||
      line['lock'] === null ||
      line['E'] === null;
    if (position !== null && position !== 0 && position !== 1)
      return typeof position === 'number' ? 'out_of_range' : 'wrong_type';
    if (energy !== null && typeof energy !== 'number') return 'wrong_type';
    if (energy !== null && !(energy >= energyRange[0] && energy <= energyRange[1])) return 'out_of_range';
    if (trip !== null && !isSmall(trip)) return typeof trip === 'number' ? 'out_of_range' : 'wrong_type';
    if (lock !== null && !isSmall(lock)) return typeof lock === 'number' ? 'out_of_range' : 'wrong_type';
    rows.push({
      lineId: state.ref.lineId,
      deviceId: device.id,
      n,
      at: 0,
      receivedAt: raw.receivedAt,
      boot,
      seq,
      position,
      trip,
      lock,
      energy,
      channels,
      latest: false,
      late: false,
      line: state.ref,
      original: raw.payload,
      sentAt: null,
      flags: isFaulty ? flag.sensorFault : 0,
      faults: faulty.length > 1 ? faulty.toSorted((a, b) => a - b) : faulty,
      carries,
    });
  }
  const instant = instantOf(device, message, raw.receivedAt);
  if (typeof instant === 'string') return instant;
  for (const row of rows) {
    row.at = instant.at;
    row.sentAt = instant.sentAt;
    row.flags |= instant.flags;
    row.late = (instant.flags & flag.backfilled) !== 0;
  }
  return { kind: 'tele', boot, seq, rows, skewed: instant.skewed, rssi };
};

const isSmall = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 32_767;

/** Channels of the line being filled whose sensor reported a fault (`null`). */
let faulty: number[] = [];

const markFaulty = ({ index, children }: LayoutNode): void => {
  if (children === null) {
    if (!faulty.includes(index)) faulty.push(index);
  } else for (const key in children) markFaulty(children[key]!);
};

const fill = (layout: Layout, values: Fields, channels: (number | null)[]): RefusalCode | null => {
  for (const key in values) {
    const node = layout[key];
    if (node === undefined) continue;
    const value = values[key];
    if (value === null) {
      markFaulty(node);
    } else if (node.children === null) {
      if (typeof value !== 'number') return 'wrong_type';
      if (!(value >= node.min && value <= node.max)) return 'out_of_range';
      channels[node.index] = value;
      if (faulty.length > 0) faulty = faulty.filter((index) => index !== node.index);
    } else {
      if (!isObject(value)) return 'wrong_type';
      const refusal = fill(node.children, value, channels);
      if (refusal !== null) return refusal;
    }
  }
  return null;
};

const decodeEvent = (device: Device, message: Fields, raw: RawMessage): Decoded | RefusalCode => {
  if (!isSequenced(message)) return 'bad_envelope';
  const refusal = checkEvent(message);
  if (refusal !== null) return refusal;
  const event = as<EventMessage>(message);
  const state = device.lines[event.n];
  if (!state || (event.n === 0 && event.kind === 'pos')) return 'unknown_line';
  const instant = instantOf(device, message, raw.receivedAt);
  if (typeof instant === 'string') return instant;
  return {
    kind: 'event',
    boot: event.boot,
    seq: event.seq,
    event: {
      line: state.ref,
      message: event,
      at: instant.at,
      receivedAt: raw.receivedAt,
      late: (instant.flags & flag.backfilled) !== 0,
      original: raw.payload,
    },
  };
};
