import { createHash, timingSafeEqual } from 'node:crypto';
import { deviceNumberPattern } from '#contract/telemetry.ts';
import type { Device } from './device.ts';

const nobody = Buffer.alloc(32);
const windowMs = 60_000;
const mostKept = 50_000;

export const hashSecret = (secret: Buffer | string): Buffer => createHash('sha256').update(secret).digest();

/** Takes constant time, whether the device exists or not. */
export const secretFits = (device: Device | null, secret: Buffer): boolean => {
  const expected = device?.secretHash.length === nobody.length ? device.secretHash : nobody;
  return timingSafeEqual(hashSecret(secret), expected) && device !== null;
};

export const isDeviceNumber = (name: string | undefined): name is string =>
  name !== undefined && deviceNumberPattern.test(name);

/**
 * Counts refused connections by address, so that a flood of them does not flood the log. A right secret is
 * never refused because of the others: secrets have 256 bits, and many devices share one address behind a
 * router.
 */
export class RefusedConnections {
  readonly #now: () => number;
  readonly #tries = new Map<string, { since: number; count: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts one more refused connection; returns the number within a minute if it should be logged: the 1st,
   * 10th, 100th …
   */
  count(address: string): number | null {
    const now = this.#now();
    let tries = this.#tries.get(address);
    if (!tries || Math.abs(now - tries.since) >= windowMs) {
      if (this.#tries.size >= mostKept) this.#tries.clear();
      tries = { since: now, count: 0 };
      this.#tries.set(address, tries);
    }
    tries.count += 1;
    return /^10*$/.test(String(tries.count)) ? tries.count : null;
  }
}
