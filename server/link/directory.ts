import type pg from 'pg';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Device, LineState } from './device.ts';
import { type BootRanges, Seen } from './seen.ts';
import { Skew } from './skew.ts';

interface DeviceRow {
  id: number;
  number: string;
  type: DeviceType;
  secret_hash: Buffer;
  upload_seconds: number;
  project_id: number | null;
  part_id: number | null;
  nominal_voltage: number | null;
  /** Of the installation and of the project. */
  defaults: Record<string, number>;
  online: boolean | null;
  last_seen: Date | null;
  skew_ms: number | null;
  boots: BootRanges[] | null;
}
interface LineRow {
  id: number;
  device_id: number;
  n: number;
  rated_current: number | null;
  thresholds: Record<string, number>;
  at: Date | null;
  boot: number | null;
  seq: number | null;
}

const mostDevices = 200_000;
const mostStrangers = 10_000;
const renewedAtOnce = 5_000;
const strangerMs = 10_000;

const deviceSql = `
  select d.id, d.number, d.type, d.secret_hash, d.upload_seconds, d.project_id, d.part_id, p.nominal_voltage,
    coalesce(every.thresholds, '{}') || coalesce(own.thresholds, '{}') as defaults,
    s.online, s.last_seen, s.skew_ms, e.boots
  from devices d
  left join projects p on p.id = d.project_id
  left join default_thresholds every on every.project_id = 0 and every.device_type = d.type
  left join default_thresholds own on own.project_id = d.project_id and own.device_type = d.type
  left join device_state s on s.device_id = d.id
  left join device_seen e on e.device_id = d.id`;
const lineSql = `
  select l.id, l.device_id, l.n, l.rated_current, l.thresholds, t.at, t.boot, t.seq
  from lines l left join line_latest t on t.line_id = l.id
  where l.device_id = any($1)`;

/**
 * The devices and lines the link deals with, loaded in bulk when first asked for and renewed when they change. Holds
 * no channels; devices that are offline and idle are forgotten beyond a bound.
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
  #wanted = new Map<
    string,
    { promise: Promise<Device | null>; done: (device: Device | null) => void; fail: (error: unknown) => void }
  >();
  #leave: (() => void)[] = [];
  /** A device was deleted. */
  onGone: (number: string) => void = () => {};

  constructor(pool: pg.Pool, bus: Bus, now: () => number, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#bus = bus;
    this.#now = now;
    this.#onError = onError;
  }

  start(): void {
    const changed = ({ deviceId }: { deviceId: number }) => {
      this.#strangers.clear();
      if (!this.#byId.has(deviceId)) return;
      if (this.#changed.size === 0) setImmediate(() => void this.#renewChanged());
      this.#changed.add(deviceId);
    };
    this.#leave = [
      this.#bus.on('device.changed', changed),
      this.#bus.on('line.changed', changed),
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

  get(number: string): Device | undefined {
    return this.#byNumber.get(number);
  }

  /** The device of this number, or null when there is none. Calls of the same moment share one query. */
  load(number: string): Promise<Device | null> {
    const known = this.#byNumber.get(number);
    if (known) return Promise.resolve(known);
    const since = this.#strangers.get(number);
    if (since !== undefined && this.#now() - since < strangerMs) return Promise.resolve(null);
    const asked = this.#wanted.get(number);
    if (asked) return asked.promise;
    if (this.#wanted.size === 0) setImmediate(() => void this.#loadWanted());
    const { promise, resolve, reject } = Promise.withResolvers<Device | null>();
    this.#wanted.set(number, { promise, done: resolve, fail: reject });
    return promise;
  }

  /** Reads these devices again, with what is stored of them. What is in memory may differ after a failed commit. */
  async renew(devices: Iterable<Device>): Promise<void> {
    await this.#read(
      'where d.id = any($1)',
      [...devices].map((device) => device.id),
      true,
    );
  }

  /** Reads all known devices again: another node has stored messages of theirs. */
  async renewAll(): Promise<void> {
    const ids = [...this.#byId.keys()];
    for (let from = 0; from < ids.length; from += renewedAtOnce)
      await this.#read('where d.id = any($1)', ids.slice(from, from + renewedAtOnce), true);
  }

  async #loadWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = new Map();
    try {
      await this.#read('where d.number = any($1)', [...wanted.keys()], true);
      for (const [number, { done }] of wanted) {
        const device = this.#byNumber.get(number) ?? null;
        if (!device) this.#rememberStranger(number);
        done(device);
      }
      this.#forgetIdle();
    } catch (error) {
      for (const { fail } of wanted.values()) fail(error);
    }
  }

  async #renewChanged(): Promise<void> {
    const ids = [...this.#changed].slice(0, renewedAtOnce);
    for (const id of ids) this.#changed.delete(id);
    if (this.#changed.size > 0) setImmediate(() => void this.#renewChanged());
    try {
      const found = await this.#read('where d.id = any($1)', ids, false);
      for (const id of ids) {
        const gone = found.has(id) ? undefined : this.#byId.get(id);
        this.#forget(gone);
        if (gone) this.onGone(gone.number);
      }
    } catch (error) {
      this.#onError(error);
      for (const id of ids) this.#changed.add(id);
      setTimeout(() => void this.#renewChanged(), 1000).unref();
    }
  }

  async #read(where: string, keys: readonly (string | number)[], marks: boolean): Promise<Set<number>> {
    const { rows } = await this.#pool.query<DeviceRow>(`${deviceSql} ${where} and d.deleted_at is null`, [
      keys,
    ]);
    const ids = rows.map((row) => row.id);
    const lines = ids.length ? (await this.#pool.query<LineRow>(lineSql, [ids])).rows : [];
    const byDevice = Map.groupBy(lines, (line) => line.device_id);
    for (const row of rows) this.#take(row, byDevice.get(row.id) ?? [], marks);
    return new Set(ids);
  }

  #take(row: DeviceRow, lineRows: readonly LineRow[], marks: boolean): void {
    const known = this.#byId.get(row.id);
    const lines: (LineState | undefined)[] = [];
    const deviceLine = lineRows.find((line) => line.n === 0);
    const deviceLineId = deviceLine?.id ?? 0;
    const ofDevice = deviceLine?.thresholds ?? {};
    const seen = new Seen(row.boots ?? []);
    for (const line of lineRows) {
      if (line.boot !== null && line.seq !== null && line.boot >= 0) seen.extend(line.boot, line.seq);
      const before = marks ? undefined : known?.lines[line.n];
      lines[line.n] = {
        ref: {
          lineId: line.id,
          deviceId: row.id,
          deviceLineId,
          deviceNumber: row.number,
          n: line.n,
          type: row.type,
          projectId: row.project_id,
          partId: row.part_id,
          ratedCurrent: line.rated_current,
          nominalVoltage: row.nominal_voltage ?? 220,
          thresholds: { ...row.defaults, ...ofDevice, ...line.thresholds },
          uploadSeconds: row.upload_seconds,
        },
        at: before?.at ?? line.at?.getTime() ?? Number.NEGATIVE_INFINITY,
        boot: before?.boot ?? line.boot ?? -1,
        seq: before?.seq ?? line.seq ?? -1,
      };
    }
    const facts = {
      number: row.number,
      type: row.type,
      secretHash: row.secret_hash,
      uploadSeconds: row.upload_seconds,
      lines,
    };
    if (known) {
      if (known.number !== row.number) this.#byNumber.delete(known.number);
      Object.assign(known, facts);
      if (marks) known.seen = seen;
    }
    const device: Device = known ?? {
      ...facts,
      id: row.id,
      seen,
      skew: new Skew(row.skew_ms ?? 0),
      online: row.online ?? false,
      lastSeen: row.last_seen?.getTime() ?? 0,
      rssi: null,
      address: null,
      pending: 0,
      held: null,
    };
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
