import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A secret of this installation in DATA_DIR, created at first use, readable only by its owner. It appears
 * completely, and if several nodes create it the first wins.
 */
export const installationKey = async (dataDir: string, name: string): Promise<Buffer> => {
  const file = join(dataDir, name);
  const known = await readFile(file).catch(() => null);
  if (known) return known;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, randomBytes(32), { mode: 0o600, flag: 'wx', flush: true });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return readFile(file);
};
