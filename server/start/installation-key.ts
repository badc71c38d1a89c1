import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A secret of this installation in DATA_DIR, made on first use, readable by its owner alone. It appears whole, and of
 * several nodes that make it the first wins.
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
