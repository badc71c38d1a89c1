import * as fs from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { embeddedAppRole, ensureRole } from './app-role.ts';
import { findPlace, type Place } from './embedded-place.ts';
import {
  ensureCluster,
  findPostmaster,
  makeSocketFolder,
  type Postmaster,
  runsAsWanted,
  sayNoSpace,
  startPostmaster,
  stopPostmaster,
  superuser,
} from './embedded-postmaster.ts';
import { defaultSettings, spaceForNew, spaceForStart } from './embedded-settings.ts';
import { forgetWatcher, watchServer } from './embedded-watcher.ts';
import { reasonOf, StartError } from './start-error.ts';

interface EmbeddedPostgresOptions {
  dataDir: string;
  /** Called with a sentence at each slow step, also later if PostgreSQL has to be restarted. */
  onProgress?: (sentence: string) => void;
  /** PostgreSQL settings that replace or extend the durable defaults. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** Address for the superuser, who owns everything. */
  url: string;
  /** Address for the server's role. */
  appUrl: string;
  /** Location of cluster, log and socket, and the user that runs PostgreSQL if root started the server. */
  place: Pick<Place, 'folder' | 'owner'>;
  /** True: this start made the database. */
  fresh: boolean;
  stop: () => Promise<void>;
}

const database = 'ampwatch';
const instanceLock = 7_204_000;
const lockWaitMs = 2_000;
const readyWaitMs = 600_000; // crash recovery of a large WAL on a slow disk
const retryMs = 100;
const shutdownCheckMs = 2_000;

const urlOf = (socketFolder: string, name: string, role = superuser): string =>
  `postgresql://${role}@localhost/${name}?host=${encodeURIComponent(socketFolder)}`;

/**
 * Starts PostgreSQL on the data folder, or takes over the one that a killed server left running. One instance
 * per data folder: an advisory lock of an open session, which ends with the process that holds it. If
 * PostgreSQL ends unexpectedly it is started again, under the same URL. Throws StartError.
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const settings = { ...defaultSettings, ...options.settings };
  const progress = options.onProgress ?? (() => {});
  const place = await prepare(options.dataDir, settings, progress);

  let found = await findPostmaster(place);
  if (!found) await forgetWatcher(place);
  let socketFolder = found?.socketFolder ?? (await makeSocketFolder(place));
  let stopping = false;
  let lock: pg.Client;
  let restarting = Promise.resolve();

  /** Starts or takes over a PostgreSQL, and locks it for this process. */
  const run = async (): Promise<void> => {
    for (const until = Date.now() + lockWaitMs * 5; ; await delay(retryMs)) {
      found = await ensureRunning(place, socketFolder, settings);
      socketFolder = found.socketFolder;
      try {
        lock = await takeLock(socketFolder, options.dataDir);
        break;
      } catch (error) {
        if (error instanceof StartError || Date.now() > until) throw error; // any other failure means that PostgreSQL was just ending
      }
    }
    lock.once('end', () => {
      if (!stopping) restarting = restart();
    });
  };
  const restart = async (): Promise<void> => {
    progress('PostgreSQL ended unexpectedly; starting it again …');
    while (!stopping) {
      try {
        await run();
        return progress('PostgreSQL runs again.');
      } catch (error) {
        progress(`PostgreSQL does not start: ${reasonOf(error)}`);
        await delay(2_000);
      }
    }
  };
  let dismissWatcher = async () => {};
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= end();
    return stopped;
  };
  const end = async (): Promise<void> => {
    stopping = true;
    await restarting;
    if (found) await stopPostmaster(place, found.pid);
    await dismissWatcher();
    await lock.end().catch(() => {});
    await fs.rm(socketFolder, { recursive: true, force: true });
  };

  await run();
  dismissWatcher = await watchServer(place);
  if (!(await runsAsWanted(place, socketFolder, settings))) {
    stopping = true;
    await stopPostmaster(place, found?.pid ?? 0);
    stopping = false;
    await run();
  }
  void endShutdowns(place, () => stopping);
  try {
    await ensureRole(lock!, embeddedAppRole);
    return {
      url: urlOf(socketFolder, database),
      appUrl: urlOf(socketFolder, database, embeddedAppRole),
      place: { folder: place.folder, owner: place.owner },
      fresh: await ensureDatabase(lock!),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

/**
 * Somebody else's SIGTERM makes PostgreSQL refuse new sessions and wait for the end of the open ones, of which
 * the server has some for as long as it runs. They are ended, so that PostgreSQL ends and is started again.
 */
const endShutdowns = async (place: Place, isStopping: () => boolean): Promise<void> => {
  while (!isStopping()) {
    await delay(shutdownCheckMs, undefined, { ref: false });
    const running = await findPostmaster(place).catch(() => undefined);
    if (!isStopping() && running?.status === 'stopping') await stopPostmaster(place, running.pid);
  }
};

const prepare = async (
  dataDir: string,
  settings: Record<string, string>,
  progress: (sentence: string) => void,
): Promise<Place> => {
  const place = await findPlace(dataDir);
  const isNew = await fs.stat(place.cluster).then(
    () => false,
    () => true,
  );
  const { bavail, bsize } = await fs.statfs(place.folder);
  if (bavail * bsize < (isNew ? spaceForNew : spaceForStart)) throw new StartError(sayNoSpace(place));
  if (isNew) progress('Making the database (first time) …');
  await ensureCluster(place, settings['fsync'] !== 'off');
  return place;
};

const ensureRunning = async (
  place: Place,
  socketFolder: string,
  settings: Record<string, string>,
): Promise<Postmaster> => {
  const until = Date.now() + readyWaitMs;
  while (Date.now() < until) {
    const found = await findPostmaster(place);
    if (found?.status === 'ready') return found;
    if (!found) {
      const started = await startPostmaster(place, socketFolder, settings, readyWaitMs);
      if (started) return started;
    }
    await delay(retryMs); // starting, stopping, or the remains of a killed one are still ending
  }
  throw new StartError(`PostgreSQL in ${place.cluster} is neither ready nor ended: end it and start again.`);
};

const takeLock = async (socketFolder: string, dataDir: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: urlOf(socketFolder, 'postgres') });
  client.on('error', () => {}); // the end of the connection is handled below
  await client.connect();
  const until = Date.now() + lockWaitMs;
  while (Date.now() < until) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
      instanceLock,
    ]);
    if (rows[0]?.held) return client;
    await delay(retryMs); // the session of a killed instance is still being cleaned up
  }
  await client.end();
  throw new StartError(
    `The data folder ${dataDir} is in use by another running Ampwatch: stop that one, or set DATA_DIR to another folder.`,
  );
};

const ensureDatabase = async (client: pg.Client): Promise<boolean> => {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
  if (rowCount) return false;
  await client.query(`create database ${database}`);
  return true;
};

/**
 * The address of the PostgreSQL that runs on a data folder, whichever process started it; undefined: none
 * runs.
 */
export const runningPostgres = async (dataDir: string): Promise<string | undefined> => {
  const found = await findPostmaster(await findPlace(dataDir));
  return found?.status === 'ready' ? urlOf(found.socketFolder, database) : undefined;
};

/** Stops what still runs on a data folder of a killed server, and deletes the folder. */
export const removeEmbeddedPostgres = async (dataDir: string): Promise<void> => {
  const place = await findPlace(dataDir);
  const found = await findPostmaster(place);
  if (found) {
    await stopPostmaster(place, found.pid);
    await fs.rm(found.socketFolder, { recursive: true, force: true });
  }
  await fs.rm(place.folder, { recursive: true, force: true });
  await fs.rm(dataDir, { recursive: true, force: true });
};
