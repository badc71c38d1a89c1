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
/** Far above every quantity, and within the range of every column. */
const largest = 1e9;
const number: Check = (value) => typeof value === 'number' && Math.abs(value) <= largest;
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const lineNumber: Check = (value) => isCount(value) && value <= 64;

type Checks = Record<string, Check>;
/** `null` means the same as a missing field: readers know only the latter. */
const dropNulls = (message: Fields, checks: Checks): void => {
  for (const key in checks) if (message[key] === null) delete message[key];
};
const checkFields = (message: Fields, checks: Checks): RefusalCode | null => {
  dropNulls(message, checks);
  for (const key in checks) if (!checks[key]?.(message[key])) return 'wrong_type';
  return null;
};
/** An event without a number is known by its line, type and phase: a device that counts none is heard, too. */
const withoutNumber = (message: Fields): void => {
  if (message['eid'] === undefined || message['eid'] === null) message['eid'] = '';
};
/** Removes impossible descriptive fields: the message itself still counts. */
const dropUnusable = (message: Fields, descriptions: Checks): void => {
  for (const key in descriptions) if (!descriptions[key]?.(message[key])) delete message[key];
};

const alarmEvent: Checks = {
  eid: text(64),
  st: oneOf('raise', 'clear'),
  code: (value) => isCount(value) && value >= 100 && value <= 999,
  lvl: oneOf(1, 2),
  n: lineNumber,
};
const alarmDescription: Checks = {
  ph: oneOf('a', 'b', 'c', 'n'),
  val: number,
  thr: number,
  unit: text(16),
  latched: (value) => typeof value === 'boolean',
  act: text(32),
  peak: number,
  dur: number,
  snap: isObject,
};
const positionEvent: Checks = {
  eid: text(64),
  n: lineNumber,
  sw: oneOf(0, 1),
  by: oneOf('cmd', 'timer', 'trip', 'manual', 'reclose', 'quota'),
};
const positionDescription: Checks = {
  code: (value) => isCount(value) && value <= 999,
  id: text(64),
};

export const checkEvent = (message: Fields): RefusalCode | null => {
  withoutNumber(message);
  if (message['kind'] === 'alarm') {
    dropUnusable(message, alarmDescription);
    return checkFields(message, alarmEvent);
  }
  if (message['kind'] !== 'pos') return 'wrong_type';
  dropUnusable(message, positionDescription);
  return checkFields(message, positionEvent);
};

const answer: Checks = {
  id: text(64),
  st: oneOf('accepted', 'done', 'failed', 'rejected', 'expired'),
};
const answerDescription: Checks = {
  why: text(32),
  n: lineNumber,
  sw: oneOf(0, 1),
  trip: isCount,
  data: isObject,
};
export const checkAck = (message: Fields): RefusalCode | null => {
  dropUnusable(message, answerDescription);
  return checkFields(message, answer);
};

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

/** Maximum number of lines of each device type. Domain reference §1.2. */
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
  const lines = message['lines'] as (Fields & { n: number })[];
  for (const line of lines) dropUnusable(line, lineDescription);
  const numbers = lines.map(({ n }) => n);
  if (new Set(numbers).size !== numbers.length) return 'duplicate_line';
  return numbers.every((n) => n >= 1 && n <= maxLines[type]) ? null : 'unknown_line';
};
const isInfoLine: Check = (line) => isObject(line) && lineNumber(line['n']);
const lineDescription: Checks = {
  in: (value) => number(value) && Number(value) > 0 && Number(value) <= 10_000,
  poles: (value) => isCount(value) && value >= 1 && value <= 8,
  ctl: (value) => typeof value === 'boolean',
};

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
