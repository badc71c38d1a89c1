/** Recorded feeder data as a device would have sent it, judged by the alarm rules with and without deadband and delay. */
import { DateTime } from 'luxon';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { Draft } from '#server/alarms/alarms.draft.ts';
import { judgeReading, type LineWatch } from '#server/alarms/alarms.judge.ts';
import { checksOf } from '#server/alarms/alarms.limits.ts';
import { AlarmMemory } from '#server/alarms/alarms.state.ts';
import type { LineRef } from '#server/core/group.ts';
import type { Device } from '#server/link/device.ts';
import { decode } from '#server/link/inbound.ts';
import { Seen } from '#server/link/seen.ts';
import { Skew } from '#server/link/skew.ts';

/** A channel (or `time`, `E`, `sw`) out of a column, times a factor. */
export interface Mapping {
  readonly channel: string;
  readonly column: string;
  readonly factor: number;
}
export interface Replay {
  readonly type: DeviceType;
  readonly nominalVoltage: number;
  readonly ratedCurrent: number;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly zone: string;
  readonly uploadSeconds: number;
}
export interface Tally {
  /** Episodes beyond a bare limit, and alarms after deadband and delays, by code. */
  readonly codes: Map<number, { bare: number; alarms: number }>;
  messages: number;
  refused: Map<string, number>;
}

/** `time=Timestamp,U.a=V1,P.t=kW*1000`. Throws a sentence for a channel that the device type does not have. */
export const mappingOf = (text: string, type: DeviceType): Mapping[] =>
  text.split(',').map((part) => {
    const found = /^\s*([\w.]+)\s*=\s*(.+?)\s*(?:\*\s*(-?[\d.]+(?:e-?\d+)?))?\s*$/i.exec(part);
    if (!found?.[1] || !found[2])
      throw new Error(`'${part}' is not of the form channel=column or channel=column*factor.`);
    const [, channel, column, factor] = found;
    if (!['time', 'E', 'sw', ...lineChannels[type]].includes(channel))
      throw new Error(
        `Type ${type} has no channel '${channel}': it has time, E, sw, ${lineChannels[type].join(', ')}.`,
      );
    return { channel, column, factor: factor === undefined ? 1 : Number(factor) };
  });

/** Cells of one line; quotes may hold the separator. */
export const cellsOf = (line: string, separator: string): string[] => {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (letter === '"' && quoted && line[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += letter;
  }
  cells.push(cell.trim());
  return cells;
};

export const separatorOf = (header: string): string =>
  [',', ';', '\t'].reduce((best, letter) =>
    header.split(letter).length > header.split(best).length ? letter : best,
  );

/** Milliseconds of a time as spreadsheets and loggers write it; NaN for what is none. */
export const timeOf = (text: string, zone: string): number => {
  if (/^\d{9,13}(\.\d+)?$/.test(text))
    return Number(text) * (text.replace(/\..*/, '').length > 11 ? 1 : 1000);
  const iso = DateTime.fromISO(text.replace(' ', 'T'), { zone });
  if (iso.isValid) return iso.toMillis();
  for (const format of ['d/M/yyyy H:mm:ss', 'd/M/yyyy H:mm', 'yyyy/M/d H:mm:ss', 'yyyy/M/d H:mm']) {
    const parsed = DateTime.fromFormat(text, format, { zone });
    if (parsed.isValid) return parsed.toMillis();
  }
  return Number.NaN;
};

const put = (target: Record<string, unknown>, name: string, value: number): void => {
  const dot = name.indexOf('.');
  if (dot < 0) {
    target[name] = value;
    return;
  }
  const inner = (target[name.slice(0, dot)] ?? {}) as Record<string, unknown>;
  target[name.slice(0, dot)] = inner;
  put(inner, name.slice(dot + 1), value);
};

/** Takes rows in the order of their time; `tally` counts on. */
export const createReplay = (given: Replay) => {
  const line: LineRef = {
    lineId: 2,
    deviceId: 1,
    deviceLineId: 1,
    deviceNumber: 'REPLAY0001',
    n: 1,
    projectId: null,
    partId: null,
    ...given,
  };
  const device: Device = {
    id: 1,
    number: line.deviceNumber,
    type: given.type,
    secretHash: Buffer.alloc(32),
    uploadSeconds: given.uploadSeconds,
    lines: [{ ...line, lineId: 1, n: 0 }, line].map((ref) => ({
      ref,
      at: Number.NEGATIVE_INFINITY,
      boot: -1,
      seq: -1,
    })),
    seen: new Seen(),
    skew: new Skew(0),
    online: true,
    lastSeen: 0,
    rssi: null,
    address: null,
    pending: 0,
    held: null,
  };
  const watch: LineWatch = {
    state: new AlarmMemory().line(line.lineId, line.deviceId),
    checks: checksOf(line, (at) => DateTime.fromMillis(at, { zone: given.zone }).endOf('month').toMillis()),
    orphans: [],
  };
  const tally: Tally = { codes: new Map(), messages: 0, refused: new Map() };
  const beyond = new Set<number>();
  const countOf = (code: number) => {
    const count = tally.codes.get(code) ?? { bare: 0, alarms: 0 };
    tally.codes.set(code, count);
    return count;
  };
  return {
    tally,
    /** Values by channel name. */
    take(at: number, values: ReadonlyMap<string, number>): void {
      const told: Record<string, unknown> = { n: 1, sw: 1 };
      for (const [channel, value] of values) put(told, channel, value);
      tally.messages += 1;
      const message = { v: 1, boot: 1, seq: tally.messages, t: at, tq: 0, bf: 0, ln: [told] };
      const decoded = decode(device, {
        deviceNumber: device.number,
        topic: 'tele',
        payload: Buffer.from(JSON.stringify(message)),
        retain: false,
        dup: false,
        receivedAt: at,
        ack: () => {},
      });
      if (typeof decoded === 'string' || decoded.kind !== 'tele') {
        const reason = typeof decoded === 'string' ? decoded : decoded.kind;
        tally.refused.set(reason, (tally.refused.get(reason) ?? 0) + 1);
        return;
      }
      for (const row of decoded.rows) {
        const reading = { ...row, latest: true };
        const draft = new Draft(() => 3);
        judgeReading(draft, watch, reading, () => true);
        for (const raise of draft.raises)
          if (raise.alarm.parent === null) countOf(raise.alarm.code).alarms += 1;
        for (const check of watch.checks.checks) {
          const value = check.measure(reading, watch.state.memory) * check.sign;
          if (!(value > check.first) || (check.needsClosed && reading.position === 0))
            beyond.delete(check.key);
          else if (!beyond.has(check.key)) {
            beyond.add(check.key);
            countOf(check.type.code).bare += 1;
          }
        }
      }
    },
  };
};
