import { alarmCodes } from '#contract/alarm-codes.ts';
import type { AckMessage, CfgMessage, InfoMessage } from '#contract/telemetry.ts';
import { type GroupEvent, type GroupFinding, isOlderThanAnyBacklog } from '#server/core/group.ts';
import { flag } from '#server/core/reading-flags.ts';
import type { Device, LineState } from './device.ts';
import type { Decoded } from './inbound.ts';
import type { RawMessage } from './ingress.ts';
import { isCount } from './messages.ts';
import type { RefusalCode } from './refusal.ts';
import { Seen } from './sequences-seen.ts';
import { type FactName, fact, factNames, forbidding, type Row } from './tele.ts';

/** One item to store: a message, or a finding of the link itself. All of it goes into one transaction. */
export interface Item {
  device: Device;
  /** The equipment of the device when the message came. */
  equipment: number;
  raw: RawMessage | null;
  content:
    | Decoded
    | { kind: 'refused'; code: RefusalCode }
    | { kind: 'online'; online: boolean; at: number; why: string }
    | { kind: 'finding'; finding: GroupFinding };
}
export type NewItem = Omit<Item, 'equipment'>;
export interface Reported<Message> {
  device: Device;
  message: Message;
  raw: RawMessage;
}

export interface Answer {
  device: Device;
  message: AckMessage;
  receivedAt: number;
}

/** A position, trip or lock, and the report that contained it. */
interface Fact {
  value: number | null;
  at: number;
  boot: number;
  seq: number;
}
/** Facts of a line that are missing in its newest row of the group. */
export interface LineFacts extends Partial<Record<FactName, Fact>> {
  lineId: number;
  receivedAt: number;
}

/** The combined content of a group of items. */
export interface Group {
  rows: Row[];
  /** Rows that are too old to be stored. Only their facts that forbid closing are used. */
  tooOld: Row[];
  /** The newest row of each line, in order of line_id. */
  reports: Row[];
  /** Facts of lines, in order of line_id. */
  facts: LineFacts[];
  /** Devices whose real interval was learned anew. */
  learnt: Set<Device>;
  /** Devices whose boot counter began again: their stored messages are older than all later ones. */
  restarted: Device[];
  events: GroupEvent[];
  answers: Answer[];
  findings: GroupFinding[];
  infos: Reported<InfoMessage>[];
  configs: Reported<CfgMessage>[];
  online: { device: Device; online: boolean; at: number; why: string }[];
  /** Devices whose stored messages cannot be derived from line_latest alone. */
  seen: Device[];
  devices: Set<Device>;
  /** Items that are already stored. */
  duplicates: Set<Item>;
}

interface Progress {
  /** The newest message of the device is a reading, so its number is in a row of line_latest. */
  carried: boolean;
  scattered: boolean;
}

/** Stored trip code if the device does not report the cause: 'protective trip'. */
const protectiveTrip = alarmCodes.protectiveTrip;

const emptyGroup = (): Group => ({
  rows: [],
  tooOld: [],
  reports: [],
  facts: [],
  restarted: [],
  learnt: new Set(),
  events: [],
  answers: [],
  findings: [],
  infos: [],
  configs: [],
  online: [],
  seen: [],
  devices: new Set(),
  duplicates: new Set(),
});

/**
 * Decides which items are new and which are the newest of their line, and records that in the devices'
 * memory: after a failed commit they must be renewed. `stored` answers for items older than the memory.
 */
export const gather = (items: readonly Item[], stored: ReadonlySet<Item>): Group => {
  const group = emptyGroup();
  const newest: Newest = { rows: new Map(), facts: new Map() };
  const progress = new Map<Device, Progress>();
  for (const item of items) {
    const { device, content } = item;
    group.devices.add(device);
    switch (content.kind) {
      case 'tele':
      case 'event':
      case 'ack': {
        if (countsAnew(item, content)) {
          startAnew(device, content);
          group.restarted.push(device);
        }
        const counted = content.kind === 'ack' ? addAnswer(group, item, content.message, stored) : 'shared';
        if (counted === 'apart') break;
        if (counted === 'again') {
          group.duplicates.add(item);
          break;
        }
        const novelty = device.seen.add(content.boot, content.seq);
        if (novelty === 'duplicate' || (novelty === 'old' && stored.has(item))) {
          group.duplicates.add(item);
          break;
        }
        if (novelty !== 'next') device.missing += 1;
        const carried = content.kind === 'tele' && addRows(group, content.rows, device, newest);
        if (content.kind === 'event') {
          group.events.push(content.event);
          const state = device.lines[content.event.line.n];
          if (content.event.late && state && isNewer(content, state))
            content.event.notBefore = state.receivedAt;
          addMove(newest.facts, content.event);
        }
        const before = progress.get(device);
        if (before) {
          before.carried = carried;
          before.scattered ||= novelty !== 'next';
        } else progress.set(device, { carried, scattered: novelty !== 'next' });
        break;
      }
      case 'info':
        if (item.raw) group.infos.push({ device, message: content.message, raw: item.raw });
        break;
      case 'cfg':
        if (item.raw) group.configs.push({ device, message: content.message, raw: item.raw });
        break;
      case 'online':
        group.online.push({ device, online: content.online, at: content.at, why: content.why });
        break;
      case 'finding':
        group.findings.push(content.finding);
        break;
      case 'presence': {
        const { on, boot } = content.message;
        if (on && isCount(boot)) device.bootCounter.announce(boot);
        break;
      }
      case 'ota':
      case 'refused':
        break;
    }
  }
  for (const [device, { carried, scattered }] of progress) if (scattered || !carried) group.seen.push(device);
  group.seen.sort((a, b) => a.id - b.id);
  group.reports = [...newest.rows.values()].sort((a, b) => a.lineId - b.lineId);
  group.facts = [...newest.facts.values()].sort((a, b) => a.lineId - b.lineId);
  return group;
};

/**
 * Adds an answer. 'shared': its number belongs to the counter of the device's other messages; 'apart': a
 * report has the same number, because the device numbers its answers separately.
 */
const addAnswer = (
  group: Group,
  item: Item,
  message: AckMessage,
  stored: ReadonlySet<Item>,
): 'shared' | 'apart' | 'again' => {
  const { device, raw } = item;
  const { answers, seen } = device;
  if (!answers.add(message)) return 'again';
  answers.areCountedApart ||= stored.has(item);
  if (!answers.areCountedApart && seen.has(message.boot, message.seq)) return 'again';
  group.answers.push({ device, message, receivedAt: raw?.receivedAt ?? 0 });
  return answers.areCountedApart ? 'apart' : 'shared';
};

interface Newest {
  rows: Map<number, Row>;
  facts: Map<number, LineFacts>;
}
type Sequenced = Extract<Decoded, { kind: 'tele' | 'event' | 'ack' }>;

/** Whether this message proves that the device's boot counter began again. */
const countsAnew = ({ device, raw }: Item, content: Sequenced): boolean => {
  const isLate =
    content.kind === 'tele' ? content.rows[0]?.late : content.kind === 'event' && content.event.late;
  if (isLate || !raw || raw.dup) return false;
  return device.bootCounter.restarts(
    device.seen.newest,
    content,
    raw.receivedAt,
    content.kind === 'tele' ? ageOf(device, content.rows) : null,
  );
};

/** Whether a reading was measured after all known ones of the device; null without a usable clock. */
const ageOf = ({ lines }: Device, [row]: readonly Row[]): 'newer' | 'older' | null => {
  if (!row || (row.flags & flag.unusable) !== 0) return null;
  return lines.every((state) => !state || row.at > state.at) ? 'newer' : 'older';
};

const startAnew = (device: Device, { boot, seq }: Sequenced): void => {
  device.seen = new Seen();
  for (const earlier of device.bootCounter.taken) if (earlier !== seq) device.seen.add(boot, earlier);
  for (const state of device.lines) {
    if (!state) continue;
    state.boot = -1;
    state.seq = -1;
  }
};

const isNewer = (a: { boot: number; seq: number }, b: { boot: number; seq: number }): boolean =>
  a.boot > b.boot || (a.boot === b.boot && a.seq > b.seq);

/** True if one of the rows is the newest of its line. */
const addRows = (group: Group, rows: readonly Row[], device: Device, newest: Newest): boolean => {
  let carried = false;
  for (const row of rows) {
    (isOlderThanAnyBacklog(row) ? group.tooOld : group.rows).push(row);
    const state = device.lines[row.n];
    if (!state) continue;
    if (row.late) {
      if (isNewer(row, state)) row.notBefore = state.receivedAt;
      // A late report forbids closing as soon as it is acknowledged, if it is the newest known. What it
      // permits is left to the next live report.
      addFacts(newest.facts, row, forbidding(row));
      continue;
    }
    row.latest = isNewer(row, state);
    row.late = !row.latest;
    if (row.latest) {
      if (learns(device, state, row)) group.learnt.add(device);
      state.at = row.at;
      state.receivedAt = row.receivedAt;
      state.boot = row.boot;
      state.seq = row.seq;
      const before = newest.rows.get(row.lineId);
      if (before) addFacts(newest.facts, before, before.carries & ~row.carries);
      newest.rows.set(row.lineId, row);
      carried = true;
    } else addFacts(newest.facts, row, row.carries);
  }
  return carried;
};

/**
 * Whether a reading changed the known interval of its device; a gap with a missing message proves nothing.
 */
const learns = (device: Device, state: LineState, row: Row): boolean => {
  const isWhole = state.boot === row.boot && state.missing === device.missing;
  state.missing = device.missing;
  return isWhole && device.interval.take(state.gaps, row.at - state.at, row.at, device.uploadSeconds);
};

/** Keeps the facts of a row that `bits` selects. */
const addFacts = (all: Map<number, LineFacts>, row: Row, bits: number): void => {
  for (const name of factNames)
    if (bits & fact[name]) addFact(all, row.lineId, row.receivedAt, name, { ...row, value: row[name] });
};

/**
 * The facts of a position change: the position, and the trip that caused it. A change that is reported late
 * has no effect on what is forbidden or permitted now.
 */
const addMove = (all: Map<number, LineFacts>, { line, message, at, receivedAt, late }: GroupEvent): void => {
  if (message.kind !== 'pos') return;
  const { boot, seq, sw, by, code } = message;
  if (!late) addFact(all, line.lineId, receivedAt, 'position', { value: sw, at, boot, seq });
  if (by === 'trip')
    addFact(all, line.lineId, receivedAt, 'trip', { value: code || protectiveTrip, at, boot, seq });
};

const addFact = (
  all: Map<number, LineFacts>,
  lineId: number,
  receivedAt: number,
  name: FactName,
  { value, at, boot, seq }: Fact,
): void => {
  const facts = all.get(lineId) ?? { lineId, receivedAt };
  all.set(lineId, facts);
  const known = facts[name];
  // An implausibly old time is replaced by the receipt: otherwise the fact would seem too old to forbid
  // anything.
  const then = isOlderThanAnyBacklog({ at, receivedAt }) ? receivedAt : at;
  if (!known || isNewer({ boot, seq }, known)) facts[name] = { value, at: then, boot, seq };
};
