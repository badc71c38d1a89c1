import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Flash } from './device.ts';

/** Storage for the data that devices keep over a power failure. */
export interface FlashStore {
  load(): Record<string, Flash>;
  save(all: Record<string, Flash>): void;
}

/** One file for a fleet, always rewritten completely. If it cannot be read, all devices count as new. */
export const flashFile = (path: string): FlashStore => ({
  load() {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as Record<string, Flash>;
    } catch {
      return {};
    }
  },
  save(all) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, JSON.stringify(all));
    renameSync(`${path}.new`, path);
  },
});
