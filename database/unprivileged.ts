import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { canReach, mayEnter, type Owner } from './embedded-place.ts';

/** What of these the user may not read, or null. Folders are walked; a missing one is passed. */
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
 * Gives the user what root made in the folder, the folder too. Files that already belong to another user stay, and so
 * do links and files with several names: the user could have put them there for root to hand over a file of the
 * system.
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
