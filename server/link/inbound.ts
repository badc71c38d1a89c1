import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import {
  type AckMessage,
  type CfgMessage,
  type EventMessage,
  type InfoMessage,
  maxDeviceMessageBytes,
  type OtaMessage,
  type PresenceMessage,
} from '#contract/telemetry.ts';
import { type GroupEvent, isOlderThanAnyBacklog } from '#server/core/group.ts';
import { flag } from '#server/core/reading-flags.ts';
import type { Device } from './device.ts';
import type { RawMessage } from './ingress.ts';
import { instantOf, isSequenced } from './instant.ts';
import { parseJson } from './json-text.ts';
import { checkAck, checkCfg, checkEvent, checkInfo, checkOta, isObject } from './messages.ts';
import type { RefusalCode } from './refusal.ts';
import type { ClockChange } from './skew.ts';
import { forbidding, type Row, readLines } from './tele.ts';

export type Decoded =
  | {
      kind: 'tele';
      boot: number;
      seq: number;
      rows: Row[];
      clock: ClockChange | null;
      rssi: number | null;
      /** Why a line of the message was left out. */
      noted: RefusalCode | null;
    }
  | {
      kind: 'event';
      boot: number;
      seq: number;
      event: GroupEvent;
      clock: ClockChange | null;
      /** Why the event counts for the device instead of a line. */
      noted: RefusalCode | null;
    }
  | { kind: 'ack'; boot: number; seq: number; message: AckMessage }
  | { kind: 'info'; message: InfoMessage }
  | { kind: 'cfg'; message: CfgMessage }
  | { kind: 'ota'; message: OtaMessage }
  | { kind: 'presence'; message: PresenceMessage };

type Fields = Record<string, unknown>;

/** Retained readings count as a backlog (decision 0555). */
const retainable: ReadonlySet<string> = new Set(['presence', 'info', 'cfg', 'tele']);
/** Far beyond any modem's value, but within the column's range. */
const rssiLimit = 1_000;

/**
 * Decodes and validates one message. Returns the reason if it is refused; never throws. Takes a sample of the
 * device clock from a live message that arrives at `provesFrom` or later.
 */
export const decode = (
  device: Device,
  raw: RawMessage,
  provesFrom = Number.NEGATIVE_INFINITY,
): Decoded | RefusalCode => {
  try {
    return decodeChecked(device, raw, provesFrom);
  } catch {
    return 'wrong_type';
  }
};

const decodeChecked = (device: Device, raw: RawMessage, provesFrom: number): Decoded | RefusalCode => {
  if (raw.topic === 'foreign') return 'foreign_topic';
  if (raw.retain && !retainable.has(raw.topic)) return 'retained';
  if (raw.payload.length > maxDeviceMessageBytes) return 'oversized';
  const parsed = parseJson(raw.payload);
  if (typeof parsed === 'string') return parsed;
  const message = parsed.value;
  if (!isObject(message)) return 'wrong_type';
  if (message['v'] !== 1) return 'bad_envelope';
  switch (raw.topic) {
    case 'tele':
      return decodeTele(device, message, raw, provesFrom);
    case 'event':
      return decodeEvent(device, message, raw, provesFrom);
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

const as = <Message>(checked: Fields): Message => checked as Message;

const decodeTele = (
  device: Device,
  message: Fields,
  raw: RawMessage,
  provesFrom: number,
): Decoded | RefusalCode => {
  if (!isSequenced(message)) return 'bad_envelope';
  if (!Array.isArray(message['ln'])) return 'wrong_type';
  const instant = instantOf(device, message, raw, provesFrom);
  const { rows, noted } = readLines(device, message, raw, instant);
  const { boot, seq } = message;
  const content = {
    kind: 'tele',
    boot,
    seq,
    clock: instant.clock,
    rssi: raw.retain ? null : rssiOf(message['dev']),
  } as const;
  if (isOlderThanAnyBacklog({ at: instant.at, receivedAt: raw.receivedAt })) {
    const warnings = rows.filter((row) => forbidding(row) !== 0);
    return warnings.length === 0 ? 'too_old' : { ...content, rows: warnings, noted: 'too_old' };
  }
  if (rows.length === 0 && noted !== null) return noted;
  return { ...content, rows, noted: raw.retain ? 'retained' : noted };
};

const rssiOf = (shared: unknown): number | null => {
  const rssi = isObject(shared) ? shared['rssi'] : null;
  return typeof rssi === 'number' && Math.abs(rssi) <= rssiLimit ? rssi : null;
};

const decodeEvent = (
  device: Device,
  message: Fields,
  raw: RawMessage,
  provesFrom: number,
): Decoded | RefusalCode => {
  if (!isSequenced(message)) return 'bad_envelope';
  const refusal = checkEvent(message);
  if (refusal !== null) return refusal;
  const event = as<EventMessage>(message);
  if (event.kind === 'alarm' && !alarmTypeOf(event.code)) return 'unknown_code';
  // An alarm of an unknown line is an alarm of the device.
  const known = device.lines[event.n];
  const state = known ?? (event.kind === 'alarm' ? device.lines[0] : undefined);
  if (!state || (event.n === 0 && event.kind === 'pos')) return 'unknown_line';
  const { at, flags, clock } = instantOf(device, message, raw, provesFrom);
  return {
    kind: 'event',
    boot: event.boot,
    seq: event.seq,
    clock,
    noted: known ? null : 'unknown_line',
    event: {
      line: state.ref,
      message: event,
      at,
      receivedAt: raw.receivedAt,
      late: (flags & flag.backfilled) !== 0,
      original: raw.payload,
    },
  };
};
