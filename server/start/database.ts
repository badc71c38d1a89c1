import { connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { reasonOf, StartError } from '#database/start-error.ts';
import type { Config } from '#server/core/config.ts';
import { say } from './stack.ts';

/** The database of DATABASE_URL, or the embedded one. Throws StartError when it does not answer. */
export const openDatabase = async (config: Config): Promise<{ url: string; stop: () => Promise<void> }> => {
  if (config.databaseUrl === undefined) {
    say('Starting PostgreSQL …');
    return startEmbeddedPostgres({ dataDir: config.dataDir, onProgress: say });
  }
  const pool = connectPool(config.databaseUrl, 1);
  try {
    await pool.query('select 1');
  } catch (error) {
    throw new StartError(
      `The database of DATABASE_URL does not answer (${reasonOf(error)}): check the address, the password and that PostgreSQL runs there.`,
    );
  } finally {
    await pool.end();
  }
  return { url: config.databaseUrl, stop: async () => {} };
};
