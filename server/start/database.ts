import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import { checkAppRole, embeddedAppRole } from '#database/app-role.ts';
import { makeBackup } from '#database/backup/dump.ts';
import { connectPool } from '#database/connect.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { reasonOf, StartError } from '#database/start-error.ts';
import { backupName, shelfOf } from '#server/backups/place.ts';
import type { Config } from '#server/core/config.ts';
import { version } from '#server/core/version.ts';
import { say } from './stack.ts';

interface OpenedDatabase {
  /** Address for the server's role. */
  url: string;
  /** Address for the owner of the tables: for migrations and acts of the owner. */
  ownerUrl: string;
  /** The role that gets the server's permissions; undefined: the server works as the owner. */
  appRole: string | undefined;
  /** For the embedded database: its folder, and the user that runs it if root started the server. */
  place: EmbeddedPostgres['place'] | undefined;
  stop(): Promise<void>;
}

/** The database of DATABASE_URL, or the embedded one. Throws StartError if it does not answer. */
export const openDatabase = async (config: Config): Promise<OpenedDatabase> => {
  if (config.databaseUrl === undefined) {
    say('Starting PostgreSQL …');
    const { url, appUrl, place, stop } = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      onProgress: say,
    });
    return { url: appUrl, ownerUrl: url, appRole: embeddedAppRole, place, stop };
  }
  await mustAnswer(config.databaseUrl, 'DATABASE_URL');
  const { databaseUrl: ownerUrl, databaseAppUrl: url = ownerUrl } = config;
  if (config.databaseAppUrl !== undefined) await mustAnswer(config.databaseAppUrl, 'DATABASE_APP_URL');
  const appRole = config.databaseAppUrl === undefined ? undefined : await roleOf(config.databaseAppUrl);
  return { url, ownerUrl, appRole, place: undefined, stop: async () => {} };
};

const mustAnswer = async (url: string, variable: string): Promise<void> => {
  const pool = connectPool(url, 1);
  try {
    await pool.query('select 1');
  } catch (error) {
    throw new StartError(
      `The database of ${variable} does not answer (${reasonOf(error)}): check the address, the password and that PostgreSQL runs there.`,
    );
  } finally {
    await pool.end();
  }
};
const roleOf = async (url: string): Promise<string> => {
  const pool = connectPool(url, 1);
  try {
    const { rows } = await pool.query<{ name: string }>('select current_user as name');
    return rows[0]!.name;
  } finally {
    await pool.end();
  }
};

/**
 * Migrates the schema as the owner, and grants the server's role its permissions. Existing data is backed up
 * first, so that the previous version can be restored.
 */
export const prepareDatabase = async (
  { url, ownerUrl, appRole }: OpenedDatabase,
  { dataDir, now }: { dataDir: string; now: number },
): Promise<void> => {
  const before = () => backUpBeforeUpgrade(ownerUrl, dataDir, now);
  await migrate(ownerUrl, appRole, { before });
  if (appRole !== undefined) await checkAppRole(url);
};

const backUpBeforeUpgrade = async (databaseUrl: string, dataDir: string, now: number): Promise<void> => {
  const pool = connectPool(databaseUrl, 1);
  let used: boolean | undefined;
  try {
    const { rows } = await pool.query<{ used: boolean }>(
      'select exists (select from devices) or exists (select from projects) as used',
    );
    used = rows[0]?.used;
  } finally {
    await pool.end();
  }
  if (!used) return;
  const name = backupName(now, randomUUID());
  say(`Backing the database up before the upgrade (${path.join(shelfOf(dataDir), name)}) …`);
  try {
    await makeBackup({
      ...{ databaseUrl, folder: shelfOf(dataDir), name, cause: 'beforeUpgrade', tables: null },
      ...{ passphrase: null, version, now },
    });
  } catch (error) {
    throw new StartError(
      `The database was not upgraded, because the backup before it could not be made (${reasonOf(error)}): free some space on the disk of ${dataDir} and start again.`,
    );
  }
};
