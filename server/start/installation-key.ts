import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A secret of this installation in DATA_DIR, made on first use, readable by its owner alone. */
export const installationKey = async (dataDir: string, name: string): Promise<Buffer> => {
  const file = join(dataDir, name);
  const known = await readFile(file).catch(() => null);
  if (known) return known;
  const made = randomBytes(32);
  await writeFile(file, made, { mode: 0o600, flag: 'wx' });
  return made;
};
