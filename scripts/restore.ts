/**
 * npm run restore -- NAME [--passphrase-file FILE] [--tables a,b] [--force] [--nothing-since]
 * Restores a backup of DATA_DIR/backups into the database of DATABASE_URL, else into the embedded one in DATA_DIR, which
 * is created if missing; a new database also accepts backups of older versions. The server must not run. The present data
 * is backed up first. All or nothing. --nothing-since: the server has not run since the backup was made, so no lock-out
 * tag is missing; without it, a restore into other data sets a tag on every project until somebody has checked.
 */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import pg from 'pg';
import { makeBackup } from '#database/backup/dump.ts';
import { readManifest } from '#database/backup/manifest.ts';
import { folderOf, sweepShelf } from '#database/backup/shelf.ts';
import { stage } from '#database/backup/stage.ts';
import { migrate } from '#database/migrate.ts';
import { StartError } from '#database/start-error.ts';
import type { CarriedOver } from '#server/backups/carry-over.ts';
import type { Withdrawn } from '#server/backups/carry-withdrawn.ts';
import { backupName, shelfOf } from '#server/backups/place.ts';
import { swapStaged } from '#server/backups/restore.ts';
import { version } from '#server/core/version.ts';
import { type Arguments, alone, command, readArguments, showProgress } from './maintenance.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';

/** A running server would continue with its memory of the old rows. */
const needStopped = async ({ url, isServed }: OpenDatabase, { force }: Arguments): Promise<void> => {
  if (isServed) throw new StartError('The server runs on this data folder: stop it first.');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    if (rows[0]!.n > 0 && !force)
      throw new StartError(
        `${rows[0]!.n} other connections use this database: stop every node first (--force restores all the same).`,
      );
  } finally {
    await client.end();
  }
};

/**
 * Creates the schema of this version, or the backup's schema if the database is empty, so that a backup of an
 * older version can be restored. `migrate` then upgrades it as a start would.
 */
const makeSchema = async ({ url, dataDir }: OpenDatabase, name: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let isEmpty: boolean | undefined;
  try {
    const { rows } = await client.query<{ empty: boolean }>(
      `select not exists (select from information_schema.tables where table_schema = 'public') as empty`,
    );
    isEmpty = rows[0]?.empty;
  } finally {
    await client.end();
  }
  if (!isEmpty) return migrate(url);
  const { migrations } = await readManifest(await folderOf(shelfOf(dataDir), name));
  await migrate(url, undefined, { only: migrations });
};

const tagsText = ({ tags, inspections, checks }: CarriedOver): string =>
  (tags + inspections > 0
    ? ` Kept from before: ${tags} lock-out tags, ${inspections} owed inspections.`
    : '') +
  (checks > 0
    ? ` Lock-out tags that were set after the backup may be missing: ${checks} projects have a tag until somebody has checked on site.`
    : '');

const withdrawnText = (withdrawn: Withdrawn | null): string => {
  if (withdrawn === null) return ' Accounts, roles and closing timers are those of the backup.';
  const { accounts, timers, devices, moved, settings, rollouts } = withdrawn;
  return ` Accounts and roles are as before. Deleted or disabled since the backup, and so not given back: ${accounts} accounts, ${timers} closing timers, ${devices} devices (tagged), ${settings} waiting settings; ${moved} devices stay where they were moved, ${rollouts} rollouts are paused.`;
};

const restore = async (database: OpenDatabase, given: Arguments & { name: string }): Promise<string> => {
  const { url: databaseUrl, dataDir } = database;
  const { name, tables, passphrase, nothingSince } = given;
  const shelf = shelfOf(dataDir);
  const requestId = randomUUID();
  await sweepShelf(shelf);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await stage(client, { folder: await folderOf(shelf, name), passphrase, tables, progress: showProgress });
  } finally {
    await client.end();
  }
  const now = Date.now();
  const snapshot = await makeBackup({
    databaseUrl,
    folder: shelf,
    name: backupName(now, requestId),
    cause: 'beforeRestore',
    tables,
    passphrase,
    version,
    now,
    progress: showProgress,
  });
  const operator = { userId: null, username: userInfo().username, channel: 'console' };
  const restored = await swapStaged({
    databaseUrl,
    shelf,
    name,
    tables,
    operator,
    requestId,
    now,
    nothingSince,
  });
  return `${name} is restored: ${restored.tables} tables, ${restored.rows} rows${restored.logKept ? '; the newer operation log was kept' : ''}.${tagsText(restored.carried)}${withdrawnText(restored.withdrawn)} What was there before is in ${snapshot.name}.`;
};

await command(async () => {
  const given = await readArguments();
  const { name } = given;
  if (name === undefined) throw new StartError('Name the backup: npm run restore -- NAME');
  const database = await openDatabase({ make: true });
  try {
    await needStopped(database, given);
    await makeSchema(database, name);
    const said = await alone(database.url, () => restore(database, { ...given, name }));
    await migrate(database.url);
    return said;
  } finally {
    await database.stop();
  }
});
