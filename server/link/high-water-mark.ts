import type { HwmMessage } from '#contract/telemetry.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Device } from './device.ts';
import type { Ingress } from './ingress.ts';

const intervalMs = 1_000;

/**
 * Reports to devices up to which `seq` of a boot everything is in the database, so that they can drop it from their
 * buffer; at most once a second each. It says nothing about other boots.
 */
export class HighWaterMarks {
  readonly #clock: Clock;
  readonly #ingress: Ingress;
  #moved = new Map<Device, Set<number>>();
  readonly #told = new WeakMap<Device, HwmMessage>();
  #cancel: () => void = () => {};

  constructor(clock: Clock, ingress: Ingress) {
    this.#clock = clock;
    this.#ingress = ingress;
  }

  start(): void {
    const tick = () => {
      this.#tell();
      this.#cancel = this.#clock.after(intervalMs, tick);
    };
    this.#cancel = this.#clock.after(intervalMs, tick);
  }

  stop(): void {
    this.#cancel();
    this.#tell();
  }

  moved(device: Device, boot: number): void {
    if (!this.#ingress.reaches(device.number, 'hwm')) return;
    const boots = this.#moved.get(device);
    if (boots) boots.add(boot);
    else this.#moved.set(device, new Set([boot]));
  }

  #tell(): void {
    const moved = this.#moved;
    this.#moved = new Map();
    for (const [device, boots] of moved) {
      for (const boot of boots) {
        const seq = device.seen.contiguous(boot);
        const told = this.#told.get(device);
        if (seq === null || (told?.boot === boot && told.seq === seq)) continue;
        const message: HwmMessage = { boot, seq };
        this.#told.set(device, message);
        this.#ingress
          .publish(device.number, 'hwm', Buffer.from(JSON.stringify(message)))
          .catch(() => this.#told.delete(device)); // it left meanwhile, and keeps what it has
      }
    }
  }
}
