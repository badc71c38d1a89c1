import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { canReach, mayEnter, type Owner } from './embedded-place.ts';

/**
 * The first of these files that the user may not read, or null. Folders are searched; missing ones are
 * skipped.
 */
export const unreadable = async (user: Owner, files: readonly string[]): Promise<string | null> => {
  for (const file of files) {
    const stat = await fs.stat(file).catch(() => null);
    if (!stat) continue;
    if (!(await canReach(user, stat.isDirectory() ? file : path.dirname(file)))) return file;
    if (!mayEnter(user, stat, stat.isDirectory() ? 5 : 4)) return file;
    if (!stat.isDirectory()) continue;
    for (const entry of await fs.readdir(file, { recursive: true, withFileTypes: true })) {
      const at = path.join(entry.parentPath, entry.name);
      if (!mayEnter(user, await fs.stat(at), entry.isDirectory() ? 5 : 4)) return at;
    }
  }
  return null;
};

/**
 * Gives root's files in the folder, and the folder, to the user. Files of other users stay unchanged, and so
 * do links and files with several names: the user could have put them there to obtain a system file from
 * root.
 */
export const handOver = async (user: Owner, folder: string): Promise<void> => {
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    const stat = await fs.lstat(at);
    if (stat.uid !== 0) continue;
    if (stat.isDirectory()) await handOver(user, at);
    else if (stat.isFile() && stat.nlink === 1) await fs.lchown(at, user.uid, user.gid);
  }
  const own = await fs.lstat(folder);
  if (own.uid === 0) await fs.lchown(folder, user.uid, user.gid);
};

/** Gives what root made in a folder to that folder's owner, whose process has to read it and remove it later. */
export const giveToOwnerOf = async (folder: string, made: string): Promise<void> => {
  if (process.getuid?.() !== 0) return;
  const owner = await fs.lstat(folder);
  if (owner.uid !== 0) await handOver(owner, made);
};
