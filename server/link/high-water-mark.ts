import type { HwmMessage } from '#contract/telemetry.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Device } from './device.ts';
import type { Ingress } from './ingress.ts';

const intervalMs = 1_000;

/**
 * Reports to devices up to which `seq` of a boot everything is in the database, so that they can delete it
 * from their buffer; at most once a second each. It makes no statement about other boots.
 */
export class HighWaterMarks {
  readonly #clock: Clock;
  readonly #ingress: Ingress;
  #moved = new Map<Device, Set<number>>();
  readonly #sent = new WeakMap<Device, HwmMessage>();
  #cancel: () => void = () => {};

  constructor(clock: Clock, ingress: Ingress) {
    this.#clock = clock;
    this.#ingress = ingress;
  }

  start(): void {
    const tick = () => {
      this.#sendAll();
      this.#cancel = this.#clock.after(intervalMs, tick);
    };
    this.#cancel = this.#clock.after(intervalMs, tick);
  }

  stop(): void {
    this.#cancel();
    this.#sendAll();
  }

  moved(device: Device, boot: number): void {
    if (!this.#ingress.reaches(device.number, 'hwm')) return;
    const boots = this.#moved.get(device);
    if (boots) boots.add(boot);
    else this.#moved.set(device, new Set([boot]));
  }

  #sendAll(): void {
    const moved = this.#moved;
    this.#moved = new Map();
    for (const [device, boots] of moved) {
      for (const boot of boots) {
        const seq = device.seen.contiguous(boot);
        const sent = this.#sent.get(device);
        if (seq === null || (sent?.boot === boot && sent.seq === seq)) continue;
        const message: HwmMessage = { boot, seq };
        this.#sent.set(device, message);
        this.#ingress
          .publish(device.number, 'hwm', Buffer.from(JSON.stringify(message)))
          .catch(() => this.#sent.delete(device)); // the device has disconnected, and keeps its messages
      }
    }
  }
}
