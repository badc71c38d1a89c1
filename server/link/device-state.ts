import type pg from 'pg';
import type { Clock } from '#server/core/clock.ts';
import { type ClockSteps, createClockSteps } from '#server/core/clock-steps.ts';
import { faultOf } from '#server/core/database-fault.ts';
import { agePasswordsSql } from '#server/core/session.ts';
import type { Device } from './device.ts';
import type { RawMessage } from './ingress.ts';
import type { RefusalCode } from './refusal.ts';
import { Skew } from './skew.ts';

interface Notes {
  refused: Map<RefusalCode, number>;
  last: { reason: RefusalCode; at: number; topic: string; excerpt: string } | null;
  takeovers: number;
  /** Whether the real interval of the device was learned anew. */
  learnt: boolean;
}

const tickMs = 1_000;
/** A clock that differs from the table by more than this is written before the reports that show it. */
const clockNewsMs = 500;
/** By so much a command may expire too early until the clock is written with the other state. */
const earlyMs = 2_000;
/** How often the time of last contact is written; line_latest has each reading's own. */
const contactMs = 30_000;
const chunk = 1_000;

const stateSql = `
  insert into device_state as s
    (device_id, last_seen, rssi, boot, seq, skew_ms, clock_ms, clock_behind_ms, clock_unknown, clock_awaited,
      refused, refused_last, takeovers, address)
  select id, seen, rssi, boot, seq, skew, clock, behind, unknown, awaited, refused, refused_last, takeovers, address
  from unnest($1::integer[], $2::timestamptz[], $3::real[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::jsonb[], $9::jsonb[], $10::integer[], $11::text[], $12::boolean[], $13::bigint[], $14::boolean[])
    as u (id, seen, rssi, boot, seq, skew, clock, refused, refused_last, takeovers, address, unknown, behind, awaited)
  on conflict (device_id) do update set
    last_seen = greatest(s.last_seen, excluded.last_seen),
    rssi = coalesce(excluded.rssi, s.rssi),
    boot = excluded.boot, seq = excluded.seq, skew_ms = excluded.skew_ms,
    clock_ms = excluded.clock_ms, clock_behind_ms = excluded.clock_behind_ms, clock_unknown = excluded.clock_unknown,
    clock_awaited = excluded.clock_awaited,
    refused = case when excluded.refused = '{}' then s.refused else (
      select jsonb_object_agg(key, coalesce((s.refused ->> key)::bigint, 0) + coalesce((excluded.refused ->> key)::bigint, 0))
      from jsonb_object_keys(s.refused || excluded.refused) as key) end,
    refused_last = coalesce(excluded.refused_last, s.refused_last),
    takeovers = s.takeovers + excluded.takeovers,
    address = coalesce(excluded.address, s.address)`;

/**
 * The server's clock was set by $1 ms. The estimate is kept as `Skew.serverStepped` keeps it. Locks the rows in
 * order, as other writers do.
 */
const steppedSql = `
  with held as (select device_id from device_state order by device_id for no key update)
  update device_state as s set clock_unknown = true, clock_ms = s.clock_ms + least($1::bigint, 0)
  from held where held.device_id = s.device_id`;

/** Locks the devices, in order of their ids; waits for other holders. */
const learntSql = `
  with held as (select id from devices where id = any($1::integer[]) order by id for no key update)
  update devices set learnt_seconds = u.seconds
  from held join unnest($1::integer[], $2::integer[]) as u (id, seconds) on u.id = held.id
  where devices.id = held.id`;

/** State that changes with every contact, collected in memory and written in limited batches. */
export class DeviceStates {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #onLearnt: (deviceId: number) => void;
  readonly #touched = new Set<Device>();
  #notes = new Map<Device, Notes>();
  /** Devices whose clock in the table is not the one in memory. */
  #clocks = new Set<Device>();
  /** Writing is one at a time, so that no older state overwrites a newer one and no step is applied twice. */
  #writing: Promise<void> = Promise.resolve();
  #isDue = false;
  #cancel: () => void = () => {};
  #contactsAt = 0;
  readonly #steps: ClockSteps;
  /** Steps of the clock that are not in the database yet, and the devices that know of them. */
  #unwritten: { ms: number; marked: Set<Device> }[] = [];
  /** New connections of devices of which the table does not say yet that the clock is unknown. */
  readonly #unnoted = new WeakMap<Device, number>();
  #connections = 0;
  /** The devices in memory. */
  loaded: () => Iterable<Device> = () => [];

  constructor(
    pool: pg.Pool,
    clock: Clock,
    onError: (error: unknown) => void,
    onLearnt: (deviceId: number) => void,
  ) {
    this.#pool = pool;
    this.#clock = clock;
    this.#steps = createClockSteps(clock);
    this.#onError = onError;
    this.#onLearnt = onLearnt;
  }

  start(): void {
    const tick = () => {
      this.#flushSoon();
      this.#cancel = this.#clock.after(tickMs, tick);
    };
    this.#cancel = this.#clock.after(tickMs, tick);
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#inTurn(() => this.#flush(true)).catch(this.#onError);
  }

  /** While one flush waits for the database, no second one does. */
  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    void this.#inTurn(() => {
      this.#isDue = false;
      return this.#flush(false);
    }).catch(this.#onError);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => {});
    return done;
  }

  /**
   * Writes the clocks that reports of the next group have shown. It comes before the reports, because these permit a
   * close, and its expiry follows the clock.
   */
  async writeClocks(): Promise<void> {
    if (this.#clocks.size === 0) return;
    await this.#inTurn(() => this.#writeDevices(this.#clocks, new Map()));
  }

  /** Looks whether the server's clock was set: then no device's clock is known until its next live message. */
  lookAtClock(): void {
    const ms = this.#steps.look();
    if (ms === 0) return;
    const marked = new Set(this.loaded());
    this.#unwritten.push({ ms, marked });
    for (const device of marked) this.#clockStepped(device, ms);
  }

  #clockStepped(device: Device, ms: number): void {
    device.skew.serverStepped(ms, this.#clock.now());
    device.clockMs = device.skew.estimate;
    device.behindMs = device.skew.behind;
    device.clockUnknown = true;
  }

  /** Another equipment with another clock may be behind the number from now on. */
  replaced(device: Device): void {
    device.skew = new Skew(0, this.#clock.now(), 0, true);
    device.clockMs = 0;
    device.behindMs = 0;
    device.clockUnknown = true;
    this.#notesOf(device);
  }

  /**
   * The device connected anew, or says that it restarted: nobody knows its clock until it reports. No command is
   * sent to it before the table says so, because a hand-over reads the table.
   */
  restarted(device: Device): void {
    device.skew.restarted();
    this.#connections += 1;
    this.#unnoted.set(device, this.#connections);
    device.clockAwaited = true;
    this.#clocks.add(device);
    this.#flushSoon();
  }

  /** Whether the table says what is known of the device's clock since its connection. */
  isNoted(device: Device): boolean {
    return !this.#unnoted.has(device);
  }

  touch(device: Device): void {
    this.#touched.add(device);
    // The expiry of the next command depends on the clock.
    const { estimate, behind, isUnknown, isAwaited } = device.skew;
    const isNear = (one: number, other: number) => Math.abs(one - other) <= clockNewsMs;
    if (
      isNear(estimate, device.clockMs) &&
      behind - device.behindMs <= clockNewsMs &&
      device.behindMs - behind <= earlyMs &&
      isUnknown === device.clockUnknown &&
      isAwaited === device.clockAwaited
    )
      return;
    device.clockMs = estimate;
    device.behindMs = behind;
    device.clockUnknown = isUnknown;
    device.clockAwaited = isAwaited;
    this.#clocks.add(device);
  }

  refused(
    device: Device,
    reason: RefusalCode,
    raw: Pick<RawMessage, 'topic' | 'payload' | 'receivedAt'>,
  ): void {
    const notes = this.#notesOf(device);
    notes.refused.set(reason, (notes.refused.get(reason) ?? 0) + 1);
    notes.last = { reason, at: raw.receivedAt, topic: raw.topic, excerpt: excerptOf(raw.payload) };
  }

  from(device: Device, address: string): void {
    if (device.address === address) return;
    device.address = address.slice(0, 64);
    this.#notesOf(device);
  }

  learnt(device: Device): void {
    this.#notesOf(device).learnt = true;
  }

  takeover(device: Device): void {
    this.#notesOf(device).takeovers += 1;
  }

  #notesOf(device: Device): Notes {
    const known = this.#notes.get(device);
    if (known) return known;
    const fresh: Notes = { refused: new Map(), last: null, takeovers: 0, learnt: false };
    this.#notes.set(device, fresh);
    return fresh;
  }

  async #writeStep(ms: number): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      await client.query(steppedSql, [ms]);
      if (ms < 0) await client.query(agePasswordsSql, [-ms]);
      await client.query('commit');
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #writeSteps(): Promise<void> {
    for (let step = this.#unwritten[0]; step !== undefined; step = this.#unwritten[0]) {
      await this.#writeStep(step.ms);
      this.#unwritten.shift();
      for (const device of this.loaded()) {
        // Read from the database before the step was there.
        if (!step.marked.has(device) && !device.clockUnknown) this.#clockStepped(device, step.ms);
        // A message may have made its clock known meanwhile.
        this.#touched.add(device);
      }
      this.#contactsAt = 0;
    }
  }

  async #flush(everything: boolean): Promise<void> {
    this.lookAtClock();
    await this.#writeSteps();
    const now = this.#clock.now();
    const contacts = everything || now - this.#contactsAt >= contactMs;
    const devices = new Set([...this.#notes.keys(), ...this.#clocks]);
    if (contacts) {
      this.#contactsAt = now;
      for (const device of this.#touched) devices.add(device);
      this.#touched.clear();
    }
    const notes = this.#notes;
    this.#notes = new Map();
    await this.#writeDevices(devices, notes);
  }

  async #writeDevices(devices: ReadonlySet<Device>, notes: ReadonlyMap<Device, Notes>): Promise<void> {
    const sorted = [...devices].sort((a, b) => a.id - b.id);
    const clocks = new Set(sorted.filter((device) => this.#clocks.delete(device)));
    for (let from = 0; from < sorted.length; from += chunk) {
      const part = sorted.slice(from, from + chunk);
      try {
        await this.#writeAll(part, notes);
      } catch (error) {
        for (const device of sorted.slice(from)) {
          this.#keep(device, notes.get(device));
          if (clocks.has(device)) this.#clocks.add(device);
        }
        throw error;
      }
    }
  }

  #keep(device: Device, notes: Notes | undefined): void {
    this.#touched.add(device);
    if (!notes) return;
    const later = this.#notesOf(device);
    for (const [reason, count] of notes.refused)
      later.refused.set(reason, (later.refused.get(reason) ?? 0) + count);
    later.last ??= notes.last;
    later.takeovers += notes.takeovers;
    later.learnt ||= notes.learnt;
  }

  /**
   * Halves a refused batch until the one invalid device is found, which is left out: it does not block
   * others.
   */
  async #writeAll(devices: readonly Device[], notes: ReadonlyMap<Device, Notes>): Promise<void> {
    try {
      await this.#writeLearnt(devices.filter((device) => notes.get(device)?.learnt));
      await this.#write(devices, notes); // last, because it adds to counters and must not be repeated
    } catch (error) {
      if (faultOf(error) !== 'content') throw error;
      const half = devices.length >> 1;
      if (half === 0) return this.#onError(error);
      await this.#writeAll(devices.slice(0, half), notes);
      await this.#writeAll(devices.slice(half), notes);
    }
  }

  async #writeLearnt(devices: readonly Device[]): Promise<void> {
    if (devices.length === 0) return;
    await this.#pool.query(learntSql, [
      devices.map((device) => device.id),
      devices.map((device) => device.interval.learntSeconds),
    ]);
    for (const { id } of devices) this.#onLearnt(id);
  }

  async #write(devices: readonly Device[], notes: ReadonlyMap<Device, Notes>): Promise<void> {
    const behind = devices.map((device) => Math.round(device.skew.behind));
    const noted = devices.map((device) => this.#unnoted.get(device));
    await this.#pool.query(stateSql, [
      devices.map((device) => device.id),
      devices.map((device) => (device.lastSeen > 0 ? new Date(device.lastSeen).toISOString() : null)),
      devices.map((device) => device.rssi),
      devices.map((device) => device.seen.newest?.boot ?? 0),
      devices.map((device) => device.seen.newest?.seq ?? -1),
      devices.map((device) => device.skew.correction),
      devices.map((device) => device.skew.estimate),
      devices.map((device) => JSON.stringify(Object.fromEntries(notes.get(device)?.refused ?? []))),
      devices.map((device) => {
        const last = notes.get(device)?.last;
        return last ? JSON.stringify({ ...last, at: new Date(last.at).toISOString() }) : null;
      }),
      devices.map((device) => notes.get(device)?.takeovers ?? 0),
      devices.map((device) => device.address),
      devices.map((device) => device.skew.isUnknown),
      behind,
      devices.map((device) => device.skew.isAwaited),
    ]);
    for (const [index, device] of devices.entries()) {
      device.behindMs = behind[index]!;
      if (this.#unnoted.get(device) === noted[index]) this.#unnoted.delete(device);
    }
  }
}

const excerptOf = (payload: Buffer): string =>
  payload
    .subarray(0, 200)
    .toString()
    .replaceAll(/\p{Cc}/gu, ' ');
