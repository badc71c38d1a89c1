import type { DeviceType } from '#contract/telemetry.ts';
import type { RefusalCode } from './refusal.ts';

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A uint32. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 4_294_967_295 && Number.isInteger(value);

const text =
  (longest: number): Check =>
  (value) =>
    // U+0000 cannot be stored as text
    typeof value === 'string' && value.length <= longest && !value.includes('\0');
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
const lineNumber: Check = (value) => isCount(value) && value <= 64;

const checkFields = (message: Fields, checks: Record<string, Check>): RefusalCode | null => {
  for (const key in checks) if (!checks[key]?.(message[key])) return 'wrong_type';
  return null;
};

const alarmEvent: Record<string, Check> = {
  eid: text(64),
  st: oneOf('raise', 'clear'),
  code: (value) => isCount(value) && value >= 100 && value <= 999,
  lvl: oneOf(1, 2),
  n: lineNumber,
  ph: optional(oneOf('a', 'b', 'c', 'n')),
  val: optional(number),
  thr: optional(number),
  unit: optional(text(16)),
  latched: optional((value) => typeof value === 'boolean'),
  act: optional(text(32)),
  peak: optional(number),
  dur: optional(number),
  snap: optional(isObject),
};
const positionEvent: Record<string, Check> = {
  eid: text(64),
  n: lineNumber,
  sw: oneOf(0, 1),
  by: oneOf('cmd', 'timer', 'trip', 'manual', 'reclose', 'quota'),
  code: optional((value) => isCount(value) && value <= 999),
  id: optional(text(64)),
};
const events: Record<string, Record<string, Check>> = { alarm: alarmEvent, pos: positionEvent };

export const checkEvent = (message: Fields): RefusalCode | null => {
  const checks = Object.hasOwn(events, String(message['kind'])) ? events[String(message['kind'])] : undefined;
  return checks ? checkFields(message, checks) : 'wrong_type';
};

export const checkAck = (message: Fields): RefusalCode | null =>
  checkFields(message, {
    id: text(64),
    st: oneOf('accepted', 'done', 'failed', 'rejected', 'expired'),
    why: optional(text(32)),
    n: optional(lineNumber),
    sw: optional(oneOf(0, 1)),
    trip: optional(isCount),
    data: optional(isObject),
  });

export const checkOta = (message: Fields): RefusalCode | null =>
  checkFields(message, {
    id: text(64),
    from: text(64),
    to: text(64),
    pct: optional(number),
    err: optional(text(256)),
    st: oneOf(
      'notified',
      'downloading',
      'downloaded',
      'verified',
      'updating',
      'updated',
      'failed',
      'rolled_back',
    ),
  });

/** Lines a device of each type can have. Domain reference §1.2. */
const maxLines: Record<DeviceType, number> = { 1: 1, 2: 1, 3: 8, 4: 4, 5: 4, 6: 1, 7: 1 };

export const checkInfo = (message: Fields, type: DeviceType): RefusalCode | null => {
  const refusal = checkFields(message, {
    type: isCount,
    model: text(64),
    fw: text(64),
    hw: optional(text(64)),
    imei: optional(text(32)),
    imsi: optional(text(32)),
    iccid: optional(text(32)),
    lines: (lines) => Array.isArray(lines) && lines.every(isInfoLine),
    caps: optional((caps) => Array.isArray(caps) && caps.length <= 64 && caps.every(text(32))),
  });
  if (refusal) return refusal;
  if (message['type'] !== type) return 'type_mismatch';
  const numbers = (message['lines'] as { n: number }[]).map(({ n }) => n);
  if (new Set(numbers).size !== numbers.length) return 'duplicate_line';
  return numbers.every((n) => n >= 1 && n <= maxLines[type]) ? null : 'unknown_line';
};
const isInfoLine: Check = (line) =>
  isObject(line) &&
  lineNumber(line['n']) &&
  optional((value) => number(value) && Number(value) > 0 && Number(value) <= 10_000)(line['in']) &&
  optional((value) => isCount(value) && value >= 1 && value <= 8)(line['poles']) &&
  optional((value) => typeof value === 'boolean')(line['ctl']);

export const checkCfg = (message: Fields): RefusalCode | null =>
  checkFields(message, {
    rev: isCount,
    id: optional(text(64)),
    st: optional(oneOf('applied', 'conflict', 'rejected')),
    why: optional(text(64)),
    p: (values) => isObject(values) && Object.values(values).every(isObject),
    en: optional(
      (values) => isObject(values) && Object.values(values).every((on) => typeof on === 'boolean'),
    ),
    timers: optional((timers) => Array.isArray(timers) && timers.length <= 64 && timers.every(isObject)),
  });
