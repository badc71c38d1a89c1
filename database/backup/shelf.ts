import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { BackupError, flawed } from './backup-error.ts';
import { type Manifest, manifestFile, readManifest, sizeOf, volumesOf } from './manifest.ts';

/** A stored backup; `manifest` is null if it cannot be read. */
export interface Shelved {
  name: string;
  manifest: Manifest | null;
  /** Every volume exists with its length; checksums are verified when it is read. */
  isWhole: boolean;
  at: number;
  bytes: number;
}
const isName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,79}$/.test(name);

/** The folder of a backup by its name, which is looked up and never joined to a path. Throws `missing`. */
export const folderOf = async (shelf: string, name: string): Promise<string> => {
  const names = await namesOn(shelf);
  return names.includes(name) ? path.join(shelf, name) : flawed('missing', { name });
};
const namesOn = async (shelf: string): Promise<string[]> =>
  (await readdir(shelf, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory() && isName(entry.name))
    .map(({ name }) => name);

/** All backups, newest first. */
export const readShelf = async (shelf: string): Promise<Shelved[]> => {
  const found = await Promise.all((await namesOn(shelf)).map((name) => look(shelf, name)));
  return found.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1));
};
const look = async (shelf: string, name: string): Promise<Shelved> => {
  const folder = path.join(shelf, name);
  try {
    const manifest = await readManifest(folder);
    const sizes = await Promise.all(
      volumesOf(manifest).map(async ({ file, bytes }) => {
        const found = await stat(path.join(folder, file)).catch(() => null);
        return found?.size === bytes;
      }),
    );
    const isWhole = manifest.name === name && sizes.every(Boolean);
    return { name, manifest, isWhole, at: Date.parse(manifest.made_at), bytes: sizeOf(manifest) };
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: 0 }));
    return { name, manifest: null, isWhole: false, at: mtimeMs, bytes: 0 };
  }
};

/** Deletes a stored backup: its manifest first, so that a partial backup never looks complete. */
export const removeBackup = async (shelf: string, name: string): Promise<void> => {
  const folder = await folderOf(shelf, name);
  await rm(path.join(folder, manifestFile), { force: true });
  await rm(folder, { recursive: true, force: true });
};

/** Removes incomplete backups of a killed server. Call it only while no backup is being made. */
export const sweepShelf = async (shelf: string): Promise<void> => {
  for (const entry of await readdir(shelf, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory() && entry.name.endsWith('.partial'))
      await rm(path.join(shelf, entry.name), { recursive: true, force: true });
};
