import type pg from 'pg';
import type { Logger } from 'pino';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { Bus, PositionChange } from '#server/core/bus.ts';
import { faultOf } from '#server/core/database-fault.ts';
import type { GroupEvent, GroupFinding, Judge, Judgement } from '#server/core/group.ts';
import type { Device } from './device.ts';
import type { DeviceStates } from './device-state.ts';
import type { Directory } from './directory.ts';
import { type Group, gather, type Item, type NewItem } from './group.ts';
import { findStored, rankFormer, readReportOid, waitForOthers, writeGroup } from './group-write.ts';
import type { HighWaterMarks } from './high-water-mark.ts';
import { decode } from './inbound.ts';
import type { Ingress, RawMessage } from './ingress.ts';
import { isCount } from './messages.ts';
import type { PartitionKeeper } from './partition-keeper.ts';
import type { Presence } from './presence.ts';
import { type ClockChange, settleMs } from './skew.ts';

const groupMs = 20;
const groupRows = 4_000;
/** Above this number of items the sockets are paused; below half of it they are read again. */
const mostWaiting = 20_000;
const skewCode = alarmCodes.clock;

interface IngestParts {
  pool: pg.Pool;
  bus: Bus;
  judge: Judge;
  log: Logger;
  directory: Directory;
  states: DeviceStates;
  partitions: PartitionKeeper;
  ingress: Ingress;
  now: () => number;
}

/**
 * Group commit: messages within 20 ms, or 4,000 rows, become one transaction; only after its commit are they
 * acknowledged and emitted on the bus. Waits while the database is down and loses nothing.
 */
export class Ingest {
  readonly #parts: IngestParts;
  presence!: Presence;
  marks!: HighWaterMarks;
  #queue: Item[] = [];
  #rows = 0;
  #firstAt = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  /** Number of jobs that wait for the current group to be written; the next group waits for them. */
  #betweens = 0;
  #paused = false;
  #stopping = false;
  #reportOid = 0;
  /** Messages that arrive before this may have waited for the link: their times of arrival prove nothing. */
  #provesFrom = Number.NEGATIVE_INFINITY;
  /** Devices whose memory may differ from the database. */
  readonly #doubtful = new Set<Device>();
  /** Devices whose former equipment may have reported after the change of the secret ranked its reports lowest. */
  readonly #replaced = new Set<Device>();
  /** Messages of devices that are being loaded, in order. */
  readonly #unloaded = new Map<string, RawMessage[]>();
  #unloadedCount = 0;
  readonly counts = {
    messages: 0,
    readings: 0,
    events: 0,
    duplicates: 0,
    refused: 0,
    strangers: 0,
    groups: 0,
    retries: 0,
    acknowledged: 0,
    /** Total time from receipt to acknowledgement. */
    acknowledgeMs: 0,
  };

  constructor(parts: IngestParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#queue.length + this.#unloadedCount;
  }
  get paused(): boolean {
    return this.#paused;
  }

  async start(): Promise<void> {
    this.#reportOid = await readReportOid(this.#parts.pool);
    await waitForOthers(this.#parts.pool);
  }

  /** Writes what is waiting. If the database is down it gives up and acknowledges nothing. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#timer) clearTimeout(this.#timer);
    while (this.#queue.length > 0 || this.#writing) {
      const writing = this.#writing ?? this.#flush();
      if (
        !(await writing.then(
          () => true,
          () => false,
        ))
      )
        return;
    }
  }

  receive(raw: RawMessage): void {
    this.counts.messages += 1;
    const earlier = this.#unloaded.get(raw.deviceNumber);
    const device = earlier ? undefined : this.#parts.directory.get(raw.deviceNumber);
    if (device) this.#take(device, raw);
    else {
      this.#unloadedCount += 1;
      if (earlier) earlier.push(raw);
      else void this.#takeUnloaded(raw);
    }
  }

  /**
   * Runs the work while no group is being written, because only then can the database be compared with the
   * devices' memory.
   */
  async between(work: () => Promise<void>): Promise<void> {
    this.#betweens += 1;
    while (this.#writing) await this.#writing.catch(() => {});
    this.#betweens -= 1;
    this.#writing = work().finally(() => {
      this.#writing = null;
      this.#schedule();
    });
    await this.#writing;
  }

  /**
   * The device has a new secret. Messages of the former equipment that are not stored yet are neither stored nor
   * acknowledged: if the equipment is the same, it sends them again with its new secret. `isEnded`: the former
   * connection is closed, so that no other equipment's messages are among them.
   */
  replaced(device: Device, isEnded: boolean): void {
    if (isEnded) device.equipment += 1;
    this.#replaced.add(device);
    if (!this.#writing) this.#schedule();
  }

  /** Until `now` messages may have waited on their way to this link. */
  heldUpUntil(now: number): void {
    this.#provesFrom = now + settleMs;
  }

  readonly enqueue = (given: NewItem): void => {
    const item = { ...given, equipment: given.device.equipment };
    item.device.pending += 1;
    this.#queue.push(item);
    this.#rows += item.content.kind === 'tele' ? item.content.rows.length : 1;
    if (!this.#paused && this.waiting > mostWaiting) {
      this.#paused = true;
      this.#provesFrom = Number.POSITIVE_INFINITY;
      this.#parts.ingress.pause();
    }
    if (this.#queue.length === 1) this.#firstAt = performance.now();
    if (!this.#writing) this.#schedule();
  };

  /**
   * Adds another part's finding about a line; resolves when it is on disk. Does nothing if its device was
   * deleted.
   */
  async record(finding: GroupFinding): Promise<void> {
    const { deviceNumber } = finding.line;
    const device = await this.#parts.directory.load(deviceNumber);
    if (!device) return;
    await new Promise<void>((ack) => {
      const raw: RawMessage = {
        deviceNumber,
        topic: 'event',
        payload: Buffer.alloc(0),
        retain: false,
        dup: false,
        receivedAt: finding.at,
        ack,
      };
      this.enqueue({ device, raw, content: { kind: 'finding', finding } });
    });
  }

  async #takeUnloaded(first: RawMessage): Promise<void> {
    const messages = [first];
    this.#unloaded.set(first.deviceNumber, messages);
    for (let wait = 100; !this.#stopping; wait = Math.min(wait * 2, 5_000)) {
      try {
        const device = await this.#parts.directory.load(first.deviceNumber);
        this.#unloaded.delete(first.deviceNumber);
        this.#unloadedCount -= messages.length;
        if (!device) this.counts.strangers += messages.length;
        for (const raw of messages)
          if (device) this.#take(device, raw);
          else raw.ack();
        return;
      } catch (error) {
        this.#parts.log.warn({ error }, 'devices cannot be read; waiting');
        await delay(wait);
      }
    }
  }

  #take(device: Device, raw: RawMessage): void {
    if (device.held) {
      device.held.push(raw);
      return;
    }
    const content = decode(device, raw, this.#provesFrom);
    if (typeof content === 'string') {
      // Any message that a device sends now proves that it is online; a retained message does not.
      if (!raw.retain) this.presence.traffic(device, raw.receivedAt);
      this.#parts.states.touch(device);
      this.enqueue({ device, raw, content: { kind: 'refused', code: content } });
      return;
    }
    if (content.kind === 'presence') {
      const { on, boot, why, ip } = content.message;
      // With an external broker only the device itself can report its address.
      if (device.address === null && typeof ip === 'string') this.#parts.states.from(device, ip);
      if (on) device.announcedBoot = isCount(boot) ? boot : null;
      if (on && isCount(boot) && boot !== (device.skew.boot ?? device.seen.newest?.boot))
        this.#parts.states.restarted(device);
      // The last will of a former connection may arrive after the device has restarted and connected again.
      const isFormer = !on && isCount(boot) && boot < (device.announcedBoot ?? 0);
      if (!isFormer)
        this.presence.change(device, on, raw.receivedAt, typeof why === 'string' ? why : 'presence');
    } else if (!(raw.retain && content.kind === 'tele')) this.presence.traffic(device, raw.receivedAt);
    if (content.kind === 'ack' && typeof content.message.t === 'number')
      device.skew.answered(content.message.t, raw.receivedAt);
    this.#parts.states.touch(device);
    if (content.kind === 'info') device.held = [];
    this.enqueue({ device, raw, content });
    if (content.kind === 'tele' && content.rssi !== null) device.rssi = content.rssi;
    if (content.kind !== 'tele' && content.kind !== 'event') return;
    if (content.noted !== null) this.#parts.states.refused(device, content.noted, raw);
    this.#findClock(device, content.clock, raw);
  }

  #findClock(device: Device, clock: ClockChange | null, { receivedAt }: RawMessage): void {
    const line = device.lines[0]?.ref;
    if (!clock || !line) return;
    const finding = {
      line,
      code: skewCode,
      level: 2,
      active: clock.wrong,
      value: clock.skew / 1000,
      at: receivedAt,
    } as const;
    this.enqueue({ device, raw: null, content: { kind: 'finding', finding } });
  }

  #takeHeld(device: Device): void {
    const held = device.held ?? [];
    device.held = null;
    for (const raw of held) this.#take(device, raw);
  }

  #schedule(): void {
    if (this.#stopping || this.#betweens > 0) return;
    if (this.#queue.length + this.#replaced.size === 0) return;
    const wait = this.#rows >= groupRows ? 0 : groupMs - (performance.now() - this.#firstAt);
    if (wait <= 0) {
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = null;
      void this.#flush().catch(() => {});
    } else
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        if (!this.#writing) void this.#flush().catch(() => {});
      }, wait);
  }

  #flush(): Promise<void> {
    const items = this.#nextGroup();
    const writing = this.#write(items).finally(() => {
      this.#writing = null;
      if (this.#paused && this.waiting < mostWaiting / 2) {
        this.#paused = false;
        this.heldUpUntil(this.#parts.now());
        this.#parts.ingress.resume();
      }
      this.#schedule();
    });
    this.#writing = writing;
    return writing;
  }

  #nextGroup(): Item[] {
    let items = this.#queue;
    if (items.length > groupRows) {
      this.#queue = items.slice(groupRows);
      items = items.slice(0, groupRows);
      this.#rows = this.#queue.length;
    } else {
      this.#queue = [];
      this.#rows = 0;
    }
    return items;
  }

  /** Returns when all items are stored or refused; throws only when stopping while the database is down. */
  async #write(items: readonly Item[]): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#commit(items);
      } catch (error) {
        this.counts.retries += 1;
        for (const { device } of items) this.#doubtful.add(device);
        const fault = faultOf(error);
        if (fault === 'content') return await this.#divide(items, error);
        if (fault === 'away') {
          if (tries === 0 || tries % 20 === 0)
            this.#parts.log.error({ error }, 'the database does not take readings; waiting');
          if (this.#stopping) throw error;
        }
        await delay(
          fault === 'conflict' ? 1 + Math.random() * 10 : Math.min(100 * 2 ** Math.min(tries, 6), 5_000),
        );
      }
    }
  }

  /** Narrows a refused group down to the item that the database refuses. */
  async #divide(items: readonly Item[], error: unknown): Promise<void> {
    const [only] = items;
    if (items.length > 1) {
      const half = items.length >> 1;
      await this.#write(items.slice(0, half));
      await this.#write(items.slice(half));
    } else if (only) {
      this.#parts.log.warn({ error, device: only.device.number }, 'a message cannot be stored');
      const { device, raw } = only;
      this.#finish({ device, raw, content: { kind: 'refused', code: 'not_storable' } });
      if (only.content.kind === 'info') this.#takeHeld(device);
    }
  }

  /**
   * Reads the devices in doubt again. What former equipment has reported, also after its secret was changed, ranks below
   * all that comes now.
   */
  async #agree(): Promise<void> {
    if (this.#doubtful.size + this.#replaced.size === 0) return;
    const { pool, directory } = this.#parts;
    await waitForOthers(pool);
    await settle(this.#doubtful, (devices) => directory.renew(devices));
    await settle(this.#replaced, async (devices) => {
      await rankFormer(pool, devices);
      await directory.renew(devices);
    });
  }

  async #commit(given: readonly Item[]): Promise<void> {
    const { pool, judge, partitions, states } = this.#parts;
    await this.#agree();
    const former = given.filter(isOfFormer);
    const items = former.length === 0 ? given : given.filter((item) => !isOfFormer(item));
    const unsure = items.filter(isOld);
    const group = gather(items, unsure.length > 0 ? await findStored(pool, unsure) : new Set());
    await partitions.ensure(group.rows);
    await states.writeClocks();
    const readings = group.tooOld.length === 0 ? group.rows : [...group.rows, ...group.tooOld];
    const { changes, tripped } = await judge.inTurn(async () => {
      const judgement = judge.judge(readings, group.events, group.findings);
      try {
        if (!isIdle(group) || !judgement.empty) await this.#store(group, judgement);
      } catch (error) {
        judgement.undo();
        throw error;
      }
      return { tripped: judgement.tripped(), changes: judgement.settle() };
    });
    this.counts.groups += 1;
    this.counts.readings += group.rows.length;
    this.counts.events += group.events.length;
    this.counts.duplicates += group.duplicates.size;
    for (const device of group.learnt) states.learnt(device);
    for (const item of items) this.#finish(item);
    for (const { device } of former) device.pending -= 1;
    this.#announce(group, items);
    if (tripped.length > 0) this.#parts.bus.emit('lines.tripped', { deviceIds: tripped });
    if (changes.length > 0) this.#parts.bus.emit('alarms.changed', changes);
    await this.#welcome(group);
  }

  async #store(group: Group, judgement: Judgement): Promise<void> {
    const client = await this.#parts.pool.connect();
    try {
      await writeGroup(client, group, judgement, this.#reportOid);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #finish({ device, raw, content }: NewItem): void {
    device.pending -= 1;
    if (content.kind === 'refused' && raw) {
      this.counts.refused += 1;
      this.#parts.states.refused(device, content.code, raw);
    }
    if (!raw) return;
    raw.ack();
    this.counts.acknowledged += 1;
    this.counts.acknowledgeMs += Math.max(0, this.#parts.now() - raw.receivedAt);
  }

  #announce(group: Group, items: readonly Item[]): void {
    const { bus } = this.#parts;
    for (const { device, content, raw } of items) {
      if (content.kind === 'tele' || content.kind === 'event') this.marks.moved(device, content.boot);
      else if (content.kind === 'ack') {
        this.marks.moved(device, content.boot);
        bus.emit('device.ack', {
          deviceId: device.id,
          ack: content.message,
          receivedAt: raw?.receivedAt ?? 0,
        });
      } else if (content.kind === 'ota')
        bus.emit('device.ota', { deviceId: device.id, progress: content.message });
    }
    if (group.rows.length > 0) bus.emit('readings.stored', group.rows);
    const positions = positionsOf(group.events);
    if (positions.length > 0) bus.emit('position.changed', positions);
    for (const { device, online, at, why } of group.online)
      bus.emit('device.online', { deviceId: device.id, online, at, why });
  }

  /** After `info` and `cfg` the device is read again, and its messages since then are processed. */
  async #welcome(group: Group): Promise<void> {
    const { bus, directory } = this.#parts;
    if (group.infos.length > 0) {
      const devices = group.infos.map(({ device }) => device);
      await directory.renew(devices).catch(() => {
        for (const device of devices) this.#doubtful.add(device);
      });
      for (const device of devices) this.#takeHeld(device);
    }
    for (const { device, message } of group.infos) {
      bus.emit('device.info', { deviceId: device.id, info: message });
      bus.emit('device.changed', { deviceId: device.id, what: 'report' });
    }
    for (const { device, message } of group.configs) {
      bus.emit('device.config', { deviceId: device.id, config: message });
      bus.emit('device.changed', { deviceId: device.id, what: 'report' });
    }
  }
}

/** Does the work for these devices. They stay in the set if it fails, and if they come again meanwhile. */
const settle = async (
  set: Set<Device>,
  work: (devices: readonly Device[]) => Promise<void>,
): Promise<void> => {
  const devices = [...set];
  if (devices.length === 0) return;
  set.clear();
  try {
    await work(devices);
  } catch (error) {
    for (const device of devices) set.add(device);
    throw error;
  }
};

/** What other equipment reported proves nothing about the present one. */
const isOfFormer = ({ device, equipment, content: { kind } }: Item): boolean =>
  equipment !== device.equipment && (kind === 'tele' || kind === 'event' || kind === 'ack');

/** Only the stored rows show whether it is new or, for an answer, whether a report has its number. */
const isOld = ({ device: { seen, answers }, content }: Item): boolean => {
  if (content.kind === 'ack') return !answers.areCountedApart && seen.has(content.boot, content.seq);
  return (content.kind === 'tele' || content.kind === 'event') && seen.isForgotten(content.boot, content.seq);
};

const isIdle = (group: Group): boolean =>
  group.rows.length === 0 &&
  group.events.length === 0 &&
  group.answers.length === 0 &&
  group.infos.length === 0 &&
  group.configs.length === 0 &&
  group.online.length === 0 &&
  group.seen.length === 0;

const positionsOf = (events: readonly GroupEvent[]): PositionChange[] =>
  events.flatMap(({ line, message, at }) =>
    message.kind === 'pos'
      ? {
          lineId: line.lineId,
          deviceId: line.deviceId,
          at,
          boot: message.boot,
          seq: message.seq,
          position: message.sw,
          cause: message.by,
          code: message.code ?? null,
          commandId: message.id ?? null,
        }
      : [],
  );

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
