import { createHash, timingSafeEqual } from 'node:crypto';
import { deviceNumberPattern } from '#contract/telemetry.ts';
import type { Device } from './device.ts';

const nobody = Buffer.alloc(32);
const windowMs = 60_000;
const mostTries = 20;
const mostAddresses = 50_000;

export const hashSecret = (secret: Buffer | string): Buffer => createHash('sha256').update(secret).digest();

/** Constant in time, whether the device exists or not. */
export const secretFits = (device: Device | null, secret: Buffer): boolean => {
  const expected = device?.secretHash.length === nobody.length ? device.secretHash : nobody;
  return timingSafeEqual(hashSecret(secret), expected) && device !== null;
};

export const isDeviceNumber = (name: string | undefined): name is string =>
  name !== undefined && deviceNumberPattern.test(name);

/** Counts wrong credentials by address; beyond 20 in a minute the address is refused without a look. */
export class FailedTries {
  readonly #now: () => number;
  readonly #byAddress = new Map<string, { since: number; count: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  blocks(address: string): boolean {
    const tries = this.#byAddress.get(address);
    if (!tries) return false;
    if (this.#now() - tries.since < windowMs) return tries.count >= mostTries;
    this.#byAddress.delete(address);
    return false;
  }

  add(address: string): void {
    const tries = this.#byAddress.get(address);
    if (tries) tries.count += 1;
    else {
      if (this.#byAddress.size >= mostAddresses) this.#byAddress.clear();
      this.#byAddress.set(address, { since: this.#now(), count: 1 });
    }
  }
}
