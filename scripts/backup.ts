/**
 * npm run backup [-- --passphrase-file FILE] [--tables a,b]
 * Writes a backup of everything (or of some tables) to DATA_DIR/backups, from the database of DATABASE_URL, else from
 * the embedded one in DATA_DIR, whether the server runs or not. Prints its location and contents.
 */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { leastPassphrase } from '#contract/backups.ts';
import { makeBackup } from '#database/backup/dump.ts';
import { rowsOf, sizeOf } from '#database/backup/manifest.ts';
import { sweepShelf } from '#database/backup/shelf.ts';
import { StartError } from '#database/start-error.ts';
import { backupName, shelfOf } from '#server/backups/place.ts';
import { version } from '#server/core/version.ts';
import { alone, command, readArguments, showProgress } from './maintenance.ts';
import { openDatabase } from './open-database.ts';

await command(async () => {
  const { tables, passphrase } = await readArguments();
  if (passphrase !== null && passphrase.length < leastPassphrase)
    throw new StartError(`The passphrase needs at least ${leastPassphrase} characters.`);
  const { url, dataDir, stop } = await openDatabase();
  try {
    return await alone(url, async () => {
      const folder = shelfOf(dataDir);
      await sweepShelf(folder);
      const manifest = await makeBackup({
        databaseUrl: url,
        folder,
        name: backupName(Date.now(), randomUUID()),
        cause: 'commandLine',
        tables,
        passphrase,
        version,
        now: Date.now(),
        progress: showProgress,
      });
      const megabytes = (sizeOf(manifest) / 1e6).toFixed(1);
      return `${path.join(folder, manifest.name)}: ${manifest.tables.length} tables, ${rowsOf(manifest)} rows, ${megabytes} MB`;
    });
  } finally {
    await stop();
  }
});
