import type pg from 'pg';
import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Bus } from '#server/core/bus.ts';
import { notDeletedSql } from '#server/core/not-deleted.ts';
import { type Device, type LineState, newDevice, newLine } from './device.ts';
import { Interval } from './interval.ts';
import { type BootRanges, Seen } from './sequences-seen.ts';
import { Skew } from './skew.ts';

interface DeviceRow {
  id: number;
  number: string;
  type: DeviceType;
  secret_hash: Buffer;
  interval_seconds: number;
  learnt_seconds: number | null;
  project_id: number | null;
  part_id: number | null;
  nominal_voltage: number | null;
  /** Whether the device is online; null if unknown. */
  online: boolean | null;
  last_seen: Date | null;
  skew_ms: number | null;
  clock_ms: number | null;
  clock_behind_ms: number | null;
  clock_unknown: boolean | null;
  clock_awaited: boolean | null;
  boots: BootRanges[] | null;
  lines: LineRow[] | null;
}
interface LineRow {
  id: number;
  n: number;
  rated_current: number | null;
  poles: number;
  switchable: boolean;
  thresholds: Record<string, number>;
  at_ms: number | null;
  received_ms: number | null;
  boot: number | null;
  seq: number | null;
}

const mostDevices = 200_000;
const mostStrangers = 10_000;
const renewedAtOnce = 5_000;
const strangerMs = 10_000;

/**
 * Reads boots and lines in one statement, which sees one snapshot: only `boots` and the newest reports of the
 * lines together show what is stored.
 */
const deviceSql = `
  select d.id, d.number, d.type, d.secret_hash, d.interval_seconds, d.learnt_seconds, d.project_id, d.part_id, p.nominal_voltage,
    s.online, s.last_seen, s.skew_ms, s.clock_ms, s.clock_behind_ms, s.clock_unknown,
    s.clock_awaited, e.boots, n.lines
  from devices d
  left join projects p on p.id = d.project_id
  left join device_state s on s.device_id = d.id
  left join device_seen e on e.device_id = d.id
  left join lateral (
    select json_agg(json_build_object('id', l.id, 'n', l.n, 'rated_current', l.rated_current,
      'poles', l.poles, 'switchable', l.switchable, 'thresholds', f.thresholds, 'at_ms', round(extract(epoch from t.at) * 1000),
      'received_ms', round(extract(epoch from t.received_at) * 1000), 'boot', t.boot, 'seq', t.seq)) as lines
    from lines l join effective_thresholds f on f.line_id = l.id left join line_latest t on t.line_id = l.id
    where l.device_id = d.id
  ) n on true`;

/**
 * The devices and lines of the link, loaded in bulk when first needed and renewed when they change. It stores
 * no channels; offline, idle devices beyond a limit are forgotten.
 */
export class Directory {
  readonly #pool: pg.Pool;
  readonly #bus: Bus;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #byNumber = new Map<string, Device>();
  readonly #byId = new Map<number, Device>();
  readonly #strangers = new Map<string, number>();
  readonly #changed = new Set<number>();
  /** Ends for each changed device when it was read again, or could not be. */
  readonly #renewals = new Map<number, PromiseWithResolvers<void>>();
  readonly #loading = new Map<string, PromiseWithResolvers<Device | null>>();
  #wanted: string[] = [];
  /** The current read. Reads run one after the other, so that no answer is older than an accepted one. */
  #reading: Promise<unknown> = Promise.resolve();
  #leave: (() => void)[] = [];
  /** A device was deleted. */
  onGone: (number: string) => void = () => {};
  /** A device got a new secret, and its stored order was forgotten. */
  onReset: (device: Device) => void = () => {};

  constructor(pool: pg.Pool, bus: Bus, now: () => number, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#bus = bus;
    this.#now = now;
    this.#onError = onError;
  }

  start(): void {
    const changed = ({ deviceId }: { deviceId: number }) => {
      this.#strangers.clear();
      // A device that is being loaded may be read in its old state.
      if (!this.#byId.has(deviceId) && this.#loading.size === 0) return;
      if (this.#changed.size === 0) setImmediate(() => void this.#renewChanged());
      this.#toRenew(deviceId);
    };
    this.#leave = [
      this.#bus.on('device.changed', changed),
      this.#bus.on('line.changed', changed),
      this.#bus.on('events.missed', () => {
        for (const deviceId of this.#byId.keys()) changed({ deviceId });
      }),
      this.#bus.on('project.changed', ({ projectId }) => {
        for (const { id, lines } of this.#byId.values())
          if (lines[0]?.ref.projectId === projectId) changed({ deviceId: id });
      }),
      this.#bus.on('thresholds.changed', ({ projectId, deviceType }) => {
        for (const { id, type, lines } of this.#byId.values())
          if (type === deviceType && (projectId === null || lines[0]?.ref.projectId === projectId))
            changed({ deviceId: id });
      }),
    ];
  }

  stop(): void {
    for (const leave of this.#leave) leave();
  }

  get size(): number {
    return this.#byNumber.size;
  }

  loaded(): Iterable<Device> {
    return this.#byId.values();
  }

  get(number: string): Device | undefined {
    return this.#byNumber.get(number);
  }

  /** The device with this number, or null. Simultaneous calls share one query. */
  load(number: string): Promise<Device | null> {
    const known = this.#byNumber.get(number);
    if (known) return Promise.resolve(known);
    const since = this.#strangers.get(number);
    if (since !== undefined && Math.abs(this.#now() - since) < strangerMs) return Promise.resolve(null);
    const asked = this.#loading.get(number);
    if (asked) return asked.promise;
    if (this.#wanted.length === 0) setImmediate(() => void this.#loadWanted());
    const loading = Promise.withResolvers<Device | null>();
    this.#loading.set(number, loading);
    this.#wanted.push(number);
    return loading.promise;
  }

  /**
   * The device with this number after every change that was announced until now: a number may have got other
   * equipment a moment ago, and a former secret opens nothing.
   */
  async loadPresent(number: string): Promise<Device | null> {
    const known = this.#byNumber.get(number);
    if (known) await this.#renewals.get(known.id)?.promise;
    return this.load(number);
  }

  /** Reads these devices and their stored state again. The memory may differ after a failed commit. */
  async renew(devices: Iterable<Device>): Promise<void> {
    await this.#read(
      'where d.id = any($1)',
      [...devices].map((device) => device.id),
      true,
    );
  }

  /** Reads all known devices again, because another node has stored messages of them. */
  async renewAll(): Promise<void> {
    const ids = [...this.#byId.keys()];
    for (let from = 0; from < ids.length; from += renewedAtOnce)
      await this.#read('where d.id = any($1)', ids.slice(from, from + renewedAtOnce), true);
  }

  async #loadWanted(): Promise<void> {
    await this.#reading;
    const numbers = this.#wanted;
    this.#wanted = [];
    const settle = (how: (number: string, loading: PromiseWithResolvers<Device | null>) => void) => {
      for (const number of numbers) {
        const loading = this.#loading.get(number);
        this.#loading.delete(number);
        if (loading) how(number, loading);
      }
    };
    try {
      await this.#read('where d.number = any($1)', numbers, false);
      settle((number, { resolve }) => {
        const device = this.#byNumber.get(number) ?? null;
        if (!device) this.#rememberStranger(number);
        resolve(device);
      });
      this.#forgetIdle();
    } catch (error) {
      settle((_number, { reject }) => reject(error));
    }
  }

  #toRenew(deviceId: number): void {
    this.#changed.add(deviceId);
    if (this.#renewals.has(deviceId)) return;
    const renewal = Promise.withResolvers<void>();
    renewal.promise.catch(() => {}); // mostly nobody waits for it
    this.#renewals.set(deviceId, renewal);
  }

  async #renewChanged(): Promise<void> {
    const ids = [...this.#changed].slice(0, renewedAtOnce);
    for (const id of ids) this.#changed.delete(id);
    if (this.#changed.size > 0) setImmediate(() => void this.#renewChanged());
    await this.#reading;
    const known = ids.filter((id) => this.#byId.has(id));
    if (known.length === 0) {
      this.#endRenewals(ids, ({ resolve }) => resolve());
      return;
    }
    try {
      const found = await this.#read('where d.id = any($1)', known, false);
      for (const id of known) {
        const gone = found.has(id) ? undefined : this.#byId.get(id);
        this.#forget(gone);
        if (gone) this.onGone(gone.number);
      }
      this.#endRenewals(ids, ({ resolve }) => resolve());
    } catch (error) {
      this.#onError(error);
      this.#endRenewals(ids, ({ reject }) => reject(error));
      for (const id of known) this.#toRenew(id);
      setTimeout(() => void this.#renewChanged(), 1000).unref();
    }
  }

  /** Whoever waits for a device that changed again meanwhile waits for that change, too. */
  #endRenewals(ids: readonly number[], how: (renewal: PromiseWithResolvers<void>) => void): void {
    for (const id of ids) {
      if (this.#changed.has(id)) continue;
      const renewal = this.#renewals.get(id);
      this.#renewals.delete(id);
      if (renewal) how(renewal);
    }
  }

  /** With `marks`, stored values replace the memory: only while no group is being written. */
  #read(where: string, keys: readonly (string | number)[], marks: boolean): Promise<Set<number>> {
    const read = this.#reading.then(() => this.#readNow(where, keys, marks));
    this.#reading = read.catch(() => {});
    return read;
  }

  async #readNow(where: string, keys: readonly (string | number)[], marks: boolean): Promise<Set<number>> {
    const { rows } = await this.#pool.query<DeviceRow>(`${deviceSql} ${where} and ${notDeletedSql('d')}`, [
      keys,
    ]);
    for (const row of rows) this.#take(row, marks);
    return new Set(rows.map((row) => row.id));
  }

  #take(row: DeviceRow, marks: boolean): void {
    const lineRows = row.lines ?? [];
    const known = this.#byId.get(row.id);
    const lines: (LineState | undefined)[] = [];
    const deviceLine = lineRows.find((line) => line.n === 0);
    const deviceLineId = deviceLine?.id ?? 0;
    const seen = new Seen(row.boots ?? []);
    for (const line of lineRows) {
      if (line.boot !== null && line.seq !== null && line.boot >= 0) seen.extend(line.boot, line.seq);
      const before = marks ? undefined : known?.lines[line.n];
      lines[line.n] = {
        ...newLine({
          lineId: line.id,
          deviceId: row.id,
          deviceLineId,
          deviceNumber: row.number,
          n: line.n,
          type: row.type,
          projectId: row.project_id,
          partId: row.part_id,
          ratedCurrent: line.rated_current,
          nominalVoltage: row.nominal_voltage ?? usualNominalVoltage,
          thresholds: line.thresholds,
          uploadSeconds: row.interval_seconds,
          ...(line.switchable && { contacts: { poles: line.poles } }),
        }),
        at: before?.at ?? line.at_ms ?? Number.NEGATIVE_INFINITY,
        receivedAt: before?.receivedAt ?? line.received_ms ?? Number.NEGATIVE_INFINITY,
        boot: before?.boot ?? line.boot ?? -1,
        seq: before?.seq ?? line.seq ?? -1,
        ...(before && { gaps: before.gaps, missing: before.missing }),
      };
    }
    const facts = {
      number: row.number,
      type: row.type,
      secretHash: row.secret_hash,
      uploadSeconds: row.interval_seconds,
      lines,
    };
    if (known) {
      if (known.number !== row.number) this.#byNumber.delete(known.number);
      const isReset = !known.secretHash.equals(row.secret_hash);
      Object.assign(known, facts);
      if (isReset) this.onReset(known);
      if (marks) {
        known.seen = seen;
        known.answers.forget();
      }
    }
    const device: Device =
      known ??
      Object.assign(
        newDevice(
          { ...facts, id: row.id },
          new Skew(
            row.skew_ms ?? 0,
            this.#now(),
            row.clock_ms ?? undefined,
            row.clock_unknown ?? false,
            row.clock_behind_ms ?? undefined,
          ),
        ),
        {
          seen,
          interval: new Interval(row.learnt_seconds),
          online: row.online ?? false,
          lastSeen: row.last_seen?.getTime() ?? 0,
          clockMs: row.clock_ms ?? 0,
          behindMs: row.clock_behind_ms ?? 0,
          clockUnknown: row.clock_unknown ?? false,
          clockAwaited: row.clock_awaited ?? false,
        },
      );
    if (!known && device.clockAwaited) device.skew.restarted();
    this.#byNumber.set(device.number, device);
    this.#byId.set(device.id, device);
  }

  #rememberStranger(number: string): void {
    if (this.#strangers.size >= mostStrangers) this.#strangers.clear();
    this.#strangers.set(number, this.#now());
  }

  #forget(device: Device | undefined): void {
    if (!device) return;
    this.#byNumber.delete(device.number);
    this.#byId.delete(device.id);
  }

  #forgetIdle(): void {
    if (this.#byNumber.size <= mostDevices) return;
    for (const device of this.#byNumber.values()) {
      if (!device.online && device.pending === 0) this.#forget(device);
      if (this.#byNumber.size <= mostDevices) return;
    }
  }
}
