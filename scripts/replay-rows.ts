/**
 * Replays recorded feeder data as a device would have sent it, and evaluates the alarm rules with and without
 * deadband and delay.
 */
import { DateTime } from 'luxon';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { Draft } from '#server/alarms/engine/changes.ts';
import { judgeReading } from '#server/alarms/engine/evaluate-reading.ts';
import { checksOf, type LineWatch } from '#server/alarms/engine/limits.ts';
import { type ActiveAlarm, AlarmMemory } from '#server/alarms/engine/memory.ts';
import type { LineRef } from '#server/core/group.ts';
import { newDevice, newLine } from '#server/link/device.ts';
import { decode } from '#server/link/inbound.ts';

/** A channel (or `time`, `E`, `sw`) from a column, times a factor; the time may come from two columns. */
interface Mapping {
  readonly channel: string;
  readonly column: string;
  readonly factor: number;
}
/** The rows of a file in order of time. */
export interface Recording {
  readonly channels: readonly string[];
  readonly length: number;
  /** Number of lines without a readable time. */
  readonly unreadable: number;
  /** Milliseconds between most consecutive rows. */
  readonly usualGap: number;
  /** Values by channel name; cells that are not numbers are left out. */
  rows(): Iterable<{ at: number; values: Map<string, number> }>;
}
interface Replay {
  readonly type: DeviceType;
  readonly nominalVoltage: number;
  readonly ratedCurrent: number;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly zone: string;
  readonly uploadSeconds: number;
}
/** One alarm from its beginning to its end, ms; `alarmAt` is null if it stayed an early warning. */
interface ReplayedEpisode {
  code: number;
  /** 0: the whole line. */
  phase: number;
  raisedAt: number;
  alarmAt: number | null;
  clearedAt: number | null;
  /** It is a consequence of another alarm. */
  suppressed: boolean;
}
interface Tally {
  /** By code: episodes beyond the limit alone, and alarms after deadband and delays. */
  readonly codes: Map<number, { bare: number; alarms: number }>;
  readonly episodes: ReplayedEpisode[];
  messages: number;
  refused: Map<string, number>;
}

/**
 * Parses `time=Timestamp,U.a=V1,P.t=kW*1000`. Throws a sentence for a channel that the device type does not
 * have.
 */
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

/** The cells of one line; a quoted cell may contain the separator. */
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

const timeFormats = [
  'd/M/yyyy H:mm:ss',
  'd/M/yyyy H:mm',
  'd.M.yyyy H:mm:ss',
  'd.M.yyyy H:mm',
  'd-M-yyyy H:mm:ss',
  'd-M-yyyy H:mm',
  'yyyy/M/d H:mm:ss',
  'yyyy/M/d H:mm',
  'yyyy-M-d H:mm:ss',
  'yyyy-M-d H:mm',
  'M/d/yyyy H:mm:ss',
  'M/d/yyyy H:mm',
  'M/d/yyyy h:mm:ss a',
];

/**
 * Reads times in the formats of spreadsheets and loggers, or in the given `format`: milliseconds, or NaN if
 * unreadable. The last matching format is tried first.
 */
export const timeReader = (zone: string, format?: string): ((text: string) => number) => {
  const readers = [
    ...(format === undefined ? [(text: string) => DateTime.fromISO(text.replace(' ', 'T'), { zone })] : []),
    ...(format === undefined ? timeFormats : [format]).map((known) => {
      const parser = DateTime.buildFormatParser(known);
      return (text: string) => DateTime.fromFormatParser(text, parser, { zone });
    }),
  ];
  return (text) => {
    if (format === undefined && /^\d{9,13}(\.\d+)?$/.test(text))
      return Number(text) * (text.replace(/\..*/, '').length > 11 ? 1 : 1000);
    for (const [index, read] of readers.entries()) {
      const time = read(text);
      if (!time.isValid) continue;
      if (index > 0) readers.unshift(...readers.splice(index, 1));
      return time.toMillis();
    }
    return Number.NaN;
  };
};

/** NaN if it is not a number. If the comma does not separate columns, it is the decimal sign. */
const numberOf = (cell: string, separator: string): number =>
  cell === '' ? Number.NaN : Number(separator === ',' ? cell : cell.replace(',', '.'));

const placesOf = (column: string, header: readonly string[]): number[] => {
  const columns = header.includes(column) ? [column] : column.split('+').map((part) => part.trim());
  return columns.map((name) => {
    const place = header.indexOf(name);
    if (place < 0) throw new Error(`There is no column '${name}': there are ${header.join(', ')}.`);
    return place;
  });
};

/**
 * Reads a whole file into one array of numbers, which may have millions of rows. Throws if a column is
 * missing.
 */
export const record = async (
  lines: AsyncIterable<string>,
  mappings: readonly Mapping[],
  readTime: (text: string) => number,
): Promise<Recording> => {
  const measured = mappings.filter(({ channel }) => channel !== 'time');
  const timeColumn = mappings.find(({ channel }) => channel === 'time')?.column;
  if (timeColumn === undefined) throw new Error('--map has to name the column of the time.');
  const width = measured.length + 1;
  const table: number[] = [];
  let separator = ',';
  let columns: { time: number[]; values: number[]; count: number } | null = null;
  let unreadable = 0;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (columns === null) {
      const header = line.replace(/^\uFEFF/, '');
      separator = separatorOf(header);
      const names = cellsOf(header, separator);
      columns = {
        time: placesOf(timeColumn, names),
        values: measured.map(({ column }) => placesOf(column, names)[0]!),
        count: names.length,
      };
      continue;
    }
    const cells = cellsOf(line, separator);
    // Some tools write the row number first, without a name for that column.
    const shift = cells.length === columns.count + 1 ? 1 : 0;
    const at = readTime(columns.time.map((place) => cells[place + shift] ?? '').join(' '));
    if (Number.isNaN(at)) {
      unreadable += 1;
      continue;
    }
    table.push(at);
    columns.values.forEach((place, index) => {
      table.push(numberOf(cells[place + shift] ?? '', separator) * measured[index]!.factor);
    });
  }
  const length = table.length / width;
  const order = Uint32Array.from({ length }, (_, index) => index * width);
  const timeAt = (index: number) => table[order[index]!]!;
  if (order.some((from, index) => index > 0 && table[from]! < timeAt(index - 1)))
    order.sort((a, b) => table[a]! - table[b]!);
  const gaps = Float64Array.from(
    { length: Math.max(0, length - 1) },
    (_, index) => timeAt(index + 1) - timeAt(index),
  ).sort();
  return {
    channels: measured.map(({ channel }) => channel),
    length,
    unreadable,
    usualGap: gaps[gaps.length >> 1] ?? 60_000,
    *rows() {
      for (const from of order) {
        const values = new Map<string, number>();
        measured.forEach(({ channel }, index) => {
          const value = table[from + 1 + index]!;
          if (Number.isFinite(value)) values.set(channel, value);
        });
        yield { at: table[from]!, values };
      }
    },
  };
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

/** Accepts rows in order of time; `tally` collects the counts. */
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
  const device = newDevice({
    id: 1,
    number: line.deviceNumber,
    type: given.type,
    secretHash: Buffer.alloc(32),
    uploadSeconds: given.uploadSeconds,
    lines: [newLine({ ...line, lineId: 1, n: 0 }), newLine(line)],
  });
  const watch: LineWatch = {
    state: new AlarmMemory().line(line.lineId, line.deviceId),
    checks: checksOf(line, (at) => DateTime.fromMillis(at, { zone: given.zone }).endOf('month').toMillis()),
    orphans: [],
  };
  const tally: Tally = { codes: new Map(), episodes: [], messages: 0, refused: new Map() };
  const active = new Map<ActiveAlarm, ReplayedEpisode>();
  const follow = (alarm: ActiveAlarm, rowAt: number, isOver: boolean): void => {
    const episode = active.get(alarm) ?? {
      code: alarm.code,
      phase: alarm.phase,
      raisedAt: rowAt,
      alarmAt: null,
      clearedAt: null,
      suppressed: alarm.parent !== null,
    };
    if (!active.has(alarm)) tally.episodes.push(episode);
    active.set(alarm, episode);
    if (alarm.level === 2) episode.alarmAt ??= rowAt;
    if (!isOver) return;
    episode.clearedAt = rowAt;
    active.delete(alarm);
  };
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
      const entry: Record<string, unknown> = { n: 1, sw: 1 };
      for (const [channel, value] of values) put(entry, channel, value);
      tally.messages += 1;
      const message = { v: 1, boot: 1, seq: tally.messages, t: at, tq: 0, bf: 0, ln: [entry] };
      const decoded = decode(device, {
        deviceNumber: device.number,
        topic: 'tele',
        payload: Buffer.from(JSON.stringify(message)),
        retain: false,
        dup: false,
        receivedAt: at,
        ack: () => {},
      });
      const refuse = (reason: string) => tally.refused.set(reason, (tally.refused.get(reason) ?? 0) + 1);
      if (typeof decoded === 'string' || decoded.kind !== 'tele') {
        refuse(typeof decoded === 'string' ? decoded : decoded.kind);
        return;
      }
      for (const row of decoded.rows) {
        if (row.faults.length > 0) refuse('implausible value');
        const reading = { ...row, latest: true };
        const draft = new Draft(() => false);
        judgeReading(draft, watch, reading, () => true);
        for (const { alarm, kind } of draft.changes)
          if (alarm.lineId === line.lineId) follow(alarm, row.at, kind === 'cleared' || kind === 'deleted');
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
