import type { AckMessage, CfgMessage, InfoMessage } from '#contract/telemetry.ts';
import type { GroupEvent, GroupFinding } from '#server/core/group.ts';
import type { Device } from './device.ts';
import type { Decoded, Row } from './inbound.ts';
import type { RawMessage } from './ingress.ts';
import type { RefusalCode } from './refusal.ts';

/** One thing to be stored: a message, or what the link itself noticed. All of it goes in one transaction. */
export interface Item {
  device: Device;
  raw: RawMessage | null;
  content:
    | Decoded
    | { kind: 'refused'; code: RefusalCode }
    | { kind: 'online'; online: boolean; at: number; why: string }
    | { kind: 'finding'; finding: GroupFinding };
}
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

/** What a group of items comes down to. */
export interface Group {
  rows: Row[];
  /** The newest row of each line, in order of line_id. */
  reports: Row[];
  events: GroupEvent[];
  answers: Answer[];
  findings: GroupFinding[];
  infos: Reported<InfoMessage>[];
  configs: Reported<CfgMessage>[];
  online: { device: Device; online: boolean; at: number; why: string }[];
  /** Devices whose stored messages cannot be told from line_latest alone. */
  seen: Device[];
  devices: Set<Device>;
  /** Items that are stored already. */
  duplicates: Set<Item>;
}

interface Progress {
  /** The newest message of the device is carried by a row of line_latest. */
  carried: boolean;
  scattered: boolean;
}

/**
 * Decides what of the items is new and what is the newest of its line, and notes it in the devices' memory: after a
 * failed commit they must be renewed. `stored` answers for items older than what is remembered.
 */
export const gather = (items: readonly Item[], stored: ReadonlySet<Item>): Group => {
  const group: Group = {
    rows: [],
    reports: [],
    events: [],
    answers: [],
    findings: [],
    infos: [],
    configs: [],
    online: [],
    seen: [],
    devices: new Set(),
    duplicates: new Set(),
  };
  const newest = new Map<number, Row>();
  const progress = new Map<Device, Progress>();
  for (const item of items) {
    const { device, content } = item;
    group.devices.add(device);
    switch (content.kind) {
      case 'tele':
      case 'event':
      case 'ack': {
        const novelty = device.seen.add(content.boot, content.seq);
        if (novelty === 'duplicate' || (novelty === 'old' && stored.has(item))) {
          group.duplicates.add(item);
          break;
        }
        const carried = content.kind === 'tele' && addRows(group.rows, content.rows, device, newest);
        if (content.kind === 'event') group.events.push(content.event);
        if (content.kind === 'ack')
          group.answers.push({ device, message: content.message, receivedAt: item.raw?.receivedAt ?? 0 });
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
      case 'presence':
      case 'ota':
      case 'refused':
        break;
    }
  }
  for (const [device, { carried, scattered }] of progress) if (scattered || !carried) group.seen.push(device);
  group.seen.sort((a, b) => a.id - b.id);
  group.reports = [...newest.values()].sort((a, b) => a.lineId - b.lineId);
  return group;
};

/** True when one of the rows is the newest of its line. */
const addRows = (all: Row[], rows: readonly Row[], device: Device, newest: Map<number, Row>): boolean => {
  let carried = false;
  for (const row of rows) {
    all.push(row);
    const state = device.lines[row.n];
    if (!state || row.late) continue;
    const newer =
      row.at > state.at ||
      (row.at === state.at && (row.boot > state.boot || (row.boot === state.boot && row.seq > state.seq)));
    row.latest = newer;
    row.late = !newer;
    if (!newer) continue;
    state.at = row.at;
    state.boot = row.boot;
    state.seq = row.seq;
    newest.set(row.lineId, row);
    carried = true;
  }
  return carried;
};
