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
  /** Number of lines without a readable time, and the first of these texts. */
  readonly unreadable: number;
  readonly firstUnreadable: string | null;
  /** Number of cells that are neither empty nor a number. */
  readonly notNumbers: number;
  /** Times such as 3/4/2026 may have either order, and nothing in the file tells which. */
  readonly isAmbiguous: boolean;
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

const dayFirst = ['d/M/yyyy H:mm:ss', 'd/M/yyyy H:mm', 'd/M/yyyy h:mm:ss a', 'd/M/yyyy h:mm a'];
const monthFirst = ['M/d/yyyy H:mm:ss', 'M/d/yyyy H:mm', 'M/d/yyyy h:mm:ss a', 'M/d/yyyy h:mm a'];
const otherFormats = [
  'd.M.yyyy H:mm:ss',
  'd.M.yyyy H:mm',
  'd-M-yyyy H:mm:ss',
  'd-M-yyyy H:mm',
  'yyyy/M/d H:mm:ss',
  'yyyy/M/d H:mm',
  'yyyy-M-d H:mm:ss',
  'yyyy-M-d H:mm',
];
const hourMs = 3_600_000;

/** Reads a time in any of these ways, the last one that succeeded first. NaN: unreadable. */
const readerOf = (ways: ((text: string) => DateTime)[]): ((text: string) => number) => {
  const readers = [...ways];
  let last = Number.NEGATIVE_INFINITY;
  return (text) => {
    for (const [index, read] of readers.entries()) {
      const time = read(text);
      if (!time.isValid) continue;
      if (index > 0) readers.unshift(...readers.splice(index, 1));
      // The hour at the end of summer time exists twice: a step back by most of an hour leads to its second time.
      const [first, second] = time.getPossibleOffsets().map((possible) => possible.toMillis());
      const back = last - first!;
      last = second !== undefined && back >= hourMs / 2 && back <= hourMs ? second : first!;
      return last;
    }
    return Number.NaN;
  };
};

/**
 * Reads times in the formats of spreadsheets and loggers, or in the given `format`: milliseconds, or NaN if
 * unreadable. In times such as 3/4/2026 the first figure takes the day first, the second one the month.
 */
export const timeReader = (zone: string, format?: string): ((text: string) => readonly [number, number]) => {
  const inFormats = (formats: readonly string[]) =>
    formats.map((known) => {
      const parser = DateTime.buildFormatParser(known, { locale: 'en-US' });
      return (text: string): DateTime => DateTime.fromFormatParser(text, parser, { zone, locale: 'en-US' });
    });
  const both = (at: number) => [at, at] as const;
  if (format !== undefined) {
    const given = readerOf(inFormats([format]));
    return (text) => both(given(text));
  }
  const iso = (text: string): DateTime => DateTime.fromISO(text.replace(' ', 'T'), { zone });
  const usual = readerOf([iso, ...inFormats(otherFormats)]);
  const [byDay, byMonth] = [readerOf(inFormats(dayFirst)), readerOf(inFormats(monthFirst))];
  return (text) => {
    if (/^\d{9,13}(\.\d+)?$/.test(text))
      return both(Number(text) * (text.replace(/\..*/, '').length > 11 ? 1 : 1000));
    return /^\d{1,2}\//.test(text) ? [byDay(text), byMonth(text)] : both(usual(text));
  };
};

/**
 * NaN if it is not a number. The last of comma and point is the decimal sign, except that a comma before three digits
 * groups them where commas separate the columns.
 */
export const numberOf = (cell: string, separator: string): number => {
  const digits = cell.replaceAll(/[\s'’]/g, '');
  if (digits === '') return Number.NaN;
  const isGrouped = separator === ',' && /^[-+]?[1-9]\d{0,2}(,\d{3})+$/.test(digits);
  const isDecimal = !isGrouped && digits.lastIndexOf(',') > digits.lastIndexOf('.');
  return Number(isDecimal ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', ''));
};

const placesOf = (column: string, header: readonly string[]): number[] => {
  const columns = header.includes(column) ? [column] : column.split('+').map((part) => part.trim());
  return columns.map((name) => {
    const place = header.indexOf(name);
    if (place < 0) throw new Error(`There is no column '${name}': there are ${header.join(', ')}.`);
    return place;
  });
};

/**
 * Whether the month precedes the day: what reads more rows, then what makes the recording shorter, since the wrong
 * order spreads the days of a month over the year.
 */
const orderOfDates = (table: readonly number[], width: number) => {
  const spans = [0, 1].map((column) => {
    const span = { rows: 0, from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
    for (let place = column; place < table.length; place += width) {
      const at = table[place]!;
      if (Number.isNaN(at)) continue;
      span.rows += 1;
      span.from = Math.min(span.from, at);
      span.to = Math.max(span.to, at);
    }
    return span;
  });
  const [byDay, byMonth] = [spans[0]!, spans[1]!];
  const gain = byMonth.rows - byDay.rows || byDay.to - byDay.from - (byMonth.to - byMonth.from);
  return { monthFirst: gain > 0, isAmbiguous: gain === 0 && byDay.from !== byMonth.from };
};

/**
 * Reads a whole file into one array of numbers, which may have millions of rows. Throws if a column is
 * missing.
 */
export const record = async (
  lines: AsyncIterable<string>,
  mappings: readonly Mapping[],
  readTime: (text: string) => readonly [number, number],
): Promise<Recording> => {
  const measured = mappings.filter(({ channel }) => channel !== 'time');
  const timeColumn = mappings.find(({ channel }) => channel === 'time')?.column;
  if (timeColumn === undefined) throw new Error('--map has to name the column of the time.');
  const width = measured.length + 2;
  const table: number[] = [];
  let separator = ',';
  let columns: { time: number[]; values: number[]; count: number } | null = null;
  let [unreadable, notNumbers] = [0, 0];
  let firstUnreadable: string | null = null;
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
    const text = columns.time.map((place) => cells[place + shift] ?? '').join(' ');
    const times = readTime(text);
    if (times.every(Number.isNaN)) {
      unreadable += 1;
      firstUnreadable ??= text;
      continue;
    }
    table.push(...times);
    columns.values.forEach((place, index) => {
      const cell = cells[place + shift] ?? '';
      const value = numberOf(cell, separator);
      if (cell !== '' && Number.isNaN(value)) notNumbers += 1;
      table.push(value * measured[index]!.factor);
    });
  }
  const { monthFirst: isMonthFirst, isAmbiguous } = orderOfDates(table, width);
  const column = isMonthFirst ? 1 : 0;
  const rows = Array.from({ length: table.length / width }, (_, index) => index * width + column);
  const order = Uint32Array.from(rows.filter((from) => !Number.isNaN(table[from])));
  const { length } = order;
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
    unreadable: unreadable + rows.length - length,
    firstUnreadable,
    notNumbers,
    isAmbiguous,
    usualGap: gaps[gaps.length >> 1] ?? 60_000,
    *rows() {
      for (const from of order) {
        const values = new Map<string, number>();
        measured.forEach(({ channel }, index) => {
          const value = table[from - column + 2 + index]!;
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
