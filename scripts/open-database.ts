import { stat } from 'node:fs/promises';
import path from 'node:path';
import { runningPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { StartError } from '#database/start-error.ts';
import { readConfig } from '#server/core/config.ts';

export interface OpenDatabase {
  url: string;
  dataDir: string;
  /** Another process seems to be a server that uses this database. */
  isServed: boolean;
  stop: () => Promise<void>;
}

/**
 * The database of DATABASE_URL, else the embedded one of DATA_DIR, whether the server runs or not. `make`
 * creates a database in an empty DATA_DIR. Throws StartError.
 */
export const openDatabase = async ({ make = false }: { make?: boolean } = {}): Promise<OpenDatabase> => {
  const { databaseUrl, dataDir } = readConfig(process.env);
  const stop = async () => {};
  if (databaseUrl !== undefined) return { url: databaseUrl, dataDir, isServed: false, stop };
  const holdsOne = await Promise.any(
    ['postgres', 'postgres.location'].map((name) => stat(path.join(dataDir, name))),
  ).catch(() => null);
  if (!holdsOne && !make)
    throw new StartError(`There is no database in ${dataDir}: set DATA_DIR, or DATABASE_URL.`);
  const running = holdsOne ? await runningPostgres(dataDir) : undefined;
  if (running !== undefined) return { url: running, dataDir, isServed: true, stop };
  return { ...(await startEmbeddedPostgres({ dataDir })), dataDir, isServed: false };
};
