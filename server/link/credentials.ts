import { createHash, timingSafeEqual } from 'node:crypto';
import { deviceNumberPattern } from '#contract/telemetry.ts';
import type { Device } from './device.ts';

const nobody = Buffer.alloc(32);
const windowMs = 60_000;
const mostOfPair = 20;
const mostOfAddress = 1_000;
const mostKept = 50_000;

export const hashSecret = (secret: Buffer | string): Buffer => createHash('sha256').update(secret).digest();

/** Constant in time, whether the device exists or not. */
export const secretFits = (device: Device | null, secret: Buffer): boolean => {
  const expected = device?.secretHash.length === nobody.length ? device.secretHash : nobody;
  return timingSafeEqual(hashSecret(secret), expected) && device !== null;
};

export const isDeviceNumber = (name: string | undefined): name is string =>
  name !== undefined && deviceNumberPattern.test(name);

/**
 * Counts wrong credentials by address and name: beyond 20 in a minute the pair is refused without a look. Many devices
 * share one address behind a router, so one of them that is set up wrongly hinders no other; an address as a whole is
 * refused far later.
 */
export class FailedTries {
  readonly #now: () => number;
  readonly #tries = new Map<string, { since: number; count: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  blocks(address: string, name: string): boolean {
    return this.#count(address) >= mostOfAddress || this.#count(pairOf(address, name)) >= mostOfPair;
  }

  add(address: string, name: string): void {
    for (const key of [address, pairOf(address, name)]) {
      const count = this.#count(key);
      if (count === 0 && this.#tries.size >= mostKept) this.#tries.clear();
      const since = this.#tries.get(key)?.since ?? this.#now();
      this.#tries.set(key, { since, count: count + 1 });
    }
  }

  #count(key: string): number {
    const tries = this.#tries.get(key);
    if (!tries) return 0;
    if (this.#now() - tries.since < windowMs) return tries.count;
    this.#tries.delete(key);
    return 0;
  }
}
const pairOf = (address: string, name: string) => `${address} ${name.slice(0, 64)}`;
