import type pg from 'pg';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Device } from './device.ts';
import type { Directory } from './directory.ts';
import type { NewItem } from './group.ts';
import { Wheel } from './timing-wheel.ts';

const tickMs = 1_000;
const shortestSilenceMs = 180_000;
const offlineCode = alarmCodes.offline;

const silenceMs = (uploadSeconds: number) => Math.max(3 * uploadSeconds * 1000, shortestSilenceMs);

/**
 * Which devices are online, by connections, presence messages and other messages, with one timing wheel for
 * those that become silent. The end of a connection makes a device unreachable at once; the alarm 'offline'
 * waits for the silence.
 */
export class Presence {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #directory: Directory;
  readonly #enqueue: (item: NewItem) => void;
  readonly #onError: (error: unknown) => void;
  readonly #wheel = new Wheel<string>();
  #cancel: () => void = () => {};
  #round: Promise<void> = Promise.resolve();

  constructor(
    pool: pg.Pool,
    clock: Clock,
    directory: Directory,
    enqueue: (item: NewItem) => void,
    onError: (error: unknown) => void,
  ) {
    this.#pool = pool;
    this.#clock = clock;
    this.#directory = directory;
    this.#enqueue = enqueue;
    this.#onError = onError;
  }

  /**
   * Devices that were online, or left recently, get a full silence period: a restart causes no alarm storm. So do those
   * that left without an alarm, because the server was stopped before it came.
   */
  async start(): Promise<void> {
    const now = this.#clock.now();
    const { rows } = await this.#pool.query<{ number: string; interval_seconds: number }>(
      `select d.number, d.interval_seconds from device_state s join devices d on d.id = s.device_id
       where s.online or s.online_changed_at > $1 or (s.last_seen is not null and s.device_id not in (
         select device_id from alarms where code = $2 and cleared_at is null and device_id is not null))`,
      [new Date(now - 3_600_000), offlineCode],
    );
    for (const row of rows) this.#wheel.put(row.number, now + silenceMs(row.interval_seconds));
    const tick = () => {
      this.#round = this.#round.then(() => this.#check()).catch(this.#onError);
      this.#cancel = this.#clock.after(tickMs, tick);
    };
    this.#cancel = this.#clock.after(tickMs, tick);
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#round;
  }

  /** Notes a sign of life of the device. */
  traffic(device: Device, at: number): void {
    device.lastSeen = at;
    if (!device.online) this.change(device, true, at, 'traffic');
  }

  change(device: Device, online: boolean, at: number, why: string): void {
    if (online) {
      device.lastSeen = at;
      device.skew.connected(at);
    }
    if (!this.#wheel.has(device.number)) this.#wheel.put(device.number, at + silenceMs(device.uploadSeconds));
    if (device.online === online) return;
    device.online = online;
    this.#enqueue({ device, raw: null, content: { kind: 'online', online, at, why } });
    if (online) this.#find(device, false, at);
  }

  #find(device: Device, active: boolean, at: number): void {
    const line = device.lines[0]?.ref;
    if (!line) return;
    const finding = { line, code: offlineCode, level: 2, active, value: null, at } as const;
    this.#enqueue({ device, raw: null, content: { kind: 'finding', finding } });
  }

  async #check(): Promise<void> {
    const now = this.#clock.now();
    const numbers = this.#wheel.due(now);
    if (numbers.length === 0) return;
    const silent: Device[] = [];
    try {
      const devices = await Promise.all(numbers.map((number) => this.#directory.load(number)));
      for (const device of devices) {
        if (!device) continue;
        const due = device.lastSeen + silenceMs(device.uploadSeconds);
        if (due > now) this.#wheel.put(device.number, due);
        else silent.push(device);
      }
      for (const [device, lastSeen] of await this.#heardElsewhere(silent)) {
        device.lastSeen = Math.max(device.lastSeen, lastSeen);
        if (device.lastSeen + silenceMs(device.uploadSeconds) > now)
          this.#wheel.put(device.number, device.lastSeen + silenceMs(device.uploadSeconds));
        else this.#goSilent(device, now);
      }
    } catch (error) {
      for (const number of numbers) this.#wheel.put(number, now + 10_000);
      throw error;
    }
  }

  #goSilent(device: Device, now: number): void {
    if (device.online) {
      device.online = false;
      this.#enqueue({
        device,
        raw: null,
        content: { kind: 'online', online: false, at: now, why: 'silent' },
      });
    }
    this.#find(device, true, now);
  }

  /** Another node may be connected to the device now. */
  async #heardElsewhere(devices: readonly Device[]): Promise<[Device, number][]> {
    if (devices.length === 0) return [];
    const { rows } = await this.#pool.query<{ device_id: number; last_seen: Date | null }>(
      'select device_id, last_seen from device_state where device_id = any($1)',
      [devices.map((device) => device.id)],
    );
    const heard = new Map(rows.map((row) => [row.device_id, row.last_seen?.getTime() ?? 0]));
    return devices.map((device) => [device, heard.get(device.id) ?? 0]);
  }
}
