import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Flash } from './device.ts';

/** Where devices keep what survives a loss of power. */
export interface FlashStore {
  load(): Record<string, Flash>;
  save(all: Record<string, Flash>): void;
}

/** One file for a fleet, replaced whole. A file that cannot be read counts as new devices. */
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
