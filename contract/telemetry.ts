/**
 * The device link `ess/v1`: topics, message shapes, device types and their channels.
 * Source: domain reference §1.1, §1.2 and §6.6. Units: V, A, W, var, kWh, mA, °C, Hz, %.
 */
export const protocolRoot = 'ess/v1';
export const deviceNumberPattern = /^[A-Za-z0-9_-]{6,32}$/;
/** Largest device message in bytes. */
export const maxDeviceMessageBytes = 16 * 1024;

export const upTopics = ['tele', 'event', 'presence', 'info', 'cfg', 'ack', 'ota'] as const;
export const downTopics = ['cmd', 'cfg/set', 'hwm'] as const;
export type UpTopic = (typeof upTopics)[number];
export type DownTopic = (typeof downTopics)[number];
export const topicOf = (deviceNumber: string, topic: UpTopic | DownTopic) =>
  `${protocolRoot}/${deviceNumber}/${topic}`;

export const deviceTypes = [1, 2, 3, 4, 5, 6, 7] as const;
export type DeviceType = (typeof deviceTypes)[number];

export const phases = ['a', 'b', 'c'] as const;
export type Phase = (typeof phases)[number];

/** `I.n` is sent as `{"I":{"n":…}}`; filters add the side: `in.U.a` is `{"in":{"U":{"a":…}}}`. */
const three = (quantity: string) => phases.map((phase) => `${quantity}.${phase}`);
const harmonics = ['H3', 'H5', 'H7', 'H9', 'H11', 'H13'];
const side = (port: 'in' | 'out', keys: readonly string[]) => keys.map((key) => `${port}.${key}`);
const onePhaseCore = ['U.a', 'I.a', 'P.t', 'PF.t'];
const threePhaseCore = [...three('U'), ...three('I'), 'I.n', 'P.t', ...three('P'), 'Q.t', 'PF.t'];

/**
 * Channels of one line in storage order, by device type. A reading's `real[]` uses this order. Append only,
 * never reorder: stored rows have no channel names. The energy register `E`, `sw`, `trip` and `lock` are
 * separate columns.
 */
export const lineChannels: Record<DeviceType, readonly string[]> = {
  1: [
    ...side('in', [...onePhaseCore, 'HU.a', 'HI.a', ...harmonics]),
    ...side('out', [...onePhaseCore, 'HU.a', 'HI.a', ...harmonics]),
    'IL',
    'T.l',
    'T.m',
    'T.c',
    'F',
  ],
  2: [
    ...side('in', [...threePhaseCore, ...three('HU'), ...three('HI'), ...harmonics]),
    ...side('out', [...threePhaseCore, ...three('HU'), ...three('HI'), ...harmonics]),
    'IL',
    'T.l',
    'T.m',
    'T.c',
    'F',
  ],
  3: [...onePhaseCore, 'Q.t', 'IL', 'T.l', 'T.m', 'T.c', 'F'],
  4: [...threePhaseCore, 'IL', 'T.a', 'T.b', 'T.c', 'T.n', 'F'],
  5: [...onePhaseCore, 'IL', 'T.l', 'T.m', 'T.c', 'F', 'arc', 'arcH'],
  6: [...threePhaseCore, 'IL', 'T.a', 'T.b', 'T.c', 'T.n', 'F', 'arc', 'arcH'],
  7: [...threePhaseCore, 'IL', 'T.l', 'T.m', 'T.a', 'T.b', 'T.c', 'F', 'arc', 'arcH', 'sc'],
};

/**
 * Normal measuring range of each quantity; values beyond it are not refused. Domain reference §1.1; current
 * goes up to 5 times the rating of a 630 A breaker (alarm 205).
 */
export const channelSpan: Record<string, readonly [min: number, max: number]> = {
  U: [0, 500],
  I: [0, 3_300],
  P: [-600_000, 600_000],
  Q: [-600_000, 600_000],
  PF: [-1, 1],
  F: [0, 100],
  IL: [0, 1200],
  T: [-40, 150],
  HU: [0, 100],
  HI: [0, 300],
  H3: [0, 150],
  H5: [0, 150],
  H7: [0, 150],
  H9: [0, 150],
  H11: [0, 150],
  H13: [0, 150],
  arc: [0, 4_294_967_295],
  arcH: [0, 100],
  sc: [0, 4_294_967_295],
};
/**
 * Values that drivers report for a broken sensor: an open thermistor, and the ends of int16 or uint16 in
 * tenths or hundredths.
 */
const brokenMarkers: Record<string, readonly number[]> = {
  I: [3276.7, 6553.5],
  T: [-50, 327.67],
};
const noMarkers: readonly number[] = [];

/**
 * Range of a quantity (`min`, `max`), and the wider range that is still accepted: values up to 3 times the
 * range are stored and judged unchanged, as "at least".
 */
export interface ChannelLimits {
  min: number;
  max: number;
  lowest: number;
  highest: number;
  markers: readonly number[];
}
export const limitsOf = (quantity: string): ChannelLimits => {
  const [min, max] = channelSpan[quantity] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const markers = brokenMarkers[quantity] ?? noMarkers;
  // A quantity that cannot be negative may still be measured slightly below zero.
  return min < 0
    ? { min, max, lowest: 3 * min, highest: 3 * max, markers }
    : { min: -max / 1000, max, lowest: -max / 1000, highest: 3 * max, markers };
};
/** Range of the energy register, kWh. */
export const registerLimits = [0, 999_999.99] as const;

/** Bits of `lock`. */
export const lockBits = { local: 1, maintenance: 2, netControlOff: 4 } as const;
/** Bits with which a line is not moved from afar; the third one concerns the whole device. */
export const lineLocks = lockBits.local | lockBits.maintenance;

/** Device types that switch lines by themselves (types 1 and 2 report a bypass in `info.caps`). */
export const switchingTypes: readonly DeviceType[] = [3, 4, 7];
/** Detectors watch a circuit and never break it. */
export const detectorTypes: readonly DeviceType[] = [5, 6];

type Measures = { [quantity: string]: number | null | { [phase: string]: number | null } };

export type LineTelemetry = Measures & { n: number; sw?: 0 | 1; trip?: number; lock?: number; E?: number };
interface Sequenced {
  v: 1;
  boot: number;
  seq: number;
  t?: number;
  tq?: 0 | 1 | 2;
  bf?: 0 | 1;
}

export interface TeleMessage extends Sequenced {
  dev?: { F?: number; T?: { c?: number }; rssi?: number; ber?: number; up?: number; [key: string]: unknown };
  ln: LineTelemetry[];
}
export interface AlarmEventMessage extends Sequenced {
  /** Number of the event, the same in all its messages; '' if the device gives none. */
  eid: string;
  kind: 'alarm';
  st: 'raise' | 'clear';
  code: number;
  lvl: 1 | 2;
  n: number;
  ph?: Phase | 'n' | null;
  val?: number | null;
  thr?: number | null;
  unit?: string;
  latched?: boolean;
  act?: string;
  peak?: number;
  dur?: number;
  snap?: Record<string, unknown>;
}
/** What caused a line to open or close. */
export const positionCauses = ['cmd', 'timer', 'trip', 'manual', 'reclose', 'quota'] as const;
export type PositionCause = (typeof positionCauses)[number];
export interface PositionEventMessage extends Sequenced {
  eid: string;
  kind: 'pos';
  n: number;
  sw: 0 | 1;
  by: PositionCause;
  code?: number;
  id?: string;
}
export type EventMessage = AlarmEventMessage | PositionEventMessage;
export interface PresenceMessage {
  v: 1;
  on: boolean;
  boot: number;
  t?: number;
  ip?: string;
  rssi?: number;
  why?: string;
}
export interface InfoMessage {
  v: 1;
  type: DeviceType;
  model: string;
  fw: string;
  hw?: string;
  proto?: number;
  imei?: string;
  imsi?: string;
  iccid?: string;
  lines: { n: number; in?: number; poles?: number; ctl?: boolean }[];
  caps?: string[];
}
export interface DeviceTimer {
  i: number;
  n: number;
  type: 'once' | 'weekly';
  days?: number;
  date?: string;
  time: string;
  action: 'open' | 'close';
  en: 0 | 1;
}
/** `p` is keyed by line number, or `dev`; values are the parameters of domain reference §1.3. */
export interface CfgMessage {
  v: 1;
  rev: number;
  t?: number;
  id?: string;
  st?: 'applied' | 'conflict' | 'rejected';
  why?: string;
  p: Record<string, Record<string, unknown>>;
  en?: Record<string, boolean>;
  timers?: DeviceTimer[];
}
export interface CfgSetMessage {
  v: 1;
  id: string;
  exp: number;
  base: number;
  p?: Record<string, Record<string, unknown>>;
  en?: Record<string, boolean>;
  timers?: DeviceTimer[];
  tz?: string;
  utcoff?: number;
}

export const commandVerbs = [
  'open',
  'close',
  'reset',
  'silence',
  'selftest',
  'leak_test',
  'arc_test',
  'clear_energy',
  'reboot',
  'ota',
  'read',
  'time_sync',
  'identify',
] as const;
export type CommandVerb = (typeof commandVerbs)[number];
export interface CmdMessage {
  v: 1;
  id: string;
  no: number;
  t: number;
  exp: number;
  cmd: CommandVerb;
  n?: number;
  by: string;
  batch: string | null;
  p?: Record<string, unknown>;
}
/** Reasons for a refusal by a device or the guard. Source: domain reference §4.2. */
const refusalReasons = [
  'offline',
  'net_ctrl_off',
  'locked',
  'tripped',
  'alarm_active',
  'critical_line',
  'supply_bad',
  'too_fast',
  'busy',
  'ota',
  'expired',
  'bad_param',
  'unsupported',
  'hw_fail',
  'dup',
  'tagged',
  'superseded',
  'stale',
  'unbound',
  'moved',
  'uninspected',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];
export interface AckMessage {
  v: 1;
  id: string;
  boot: number;
  seq: number;
  t?: number;
  st: 'accepted' | 'done' | 'failed' | 'rejected' | 'expired';
  why?: RefusalReason;
  n?: number;
  sw?: 0 | 1;
  trip?: number;
  data?: Record<string, unknown>;
}
/** The text that a firmware signature covers: it binds the file to a device type and a version. */
export const firmwareStatement = (given: {
  type: number;
  to: string;
  size: number;
  sha256: string;
}): string =>
  `ampwatch-firmware-v1\n${given.type}\n${given.to}\n${given.size}\n${given.sha256.toLowerCase()}\n`;
export interface OtaMessage {
  v: 1;
  id: string;
  t?: number;
  from: string;
  to: string;
  pct?: number;
  err?: string | null;
  st:
    | 'notified'
    | 'downloading'
    | 'downloaded'
    | 'verified'
    | 'updating'
    | 'updated'
    | 'failed'
    | 'rolled_back';
}
export interface HwmMessage {
  boot: number;
  seq: number;
}
