import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Place } from './embedded-place.ts';
import { reasonOf, StartError } from './start-error.ts';

export const superuser = 'ampwatch';

const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
const socketName = '.s.PGSQL.5432';
const longestSocketPath = 100; // the kernel's limit is 104 bytes on macOS, 108 on Linux

export interface Postmaster {
  pid: number;
  socketFolder: string;
  status: string;
}

/**
 * Makes the cluster if there is none. If interrupted or raced, it leaves either a complete cluster or none.
 */
export const ensureCluster = async (place: Place, durable: boolean): Promise<void> => {
  const version = await fs.readFile(path.join(place.cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  const wanted = place.version.split('.')[0];
  if (version !== undefined && version.trim() !== wanted)
    throw new StartError(
      `The database in ${place.cluster} was made by PostgreSQL ${version.trim()}, this Ampwatch runs ${wanted}. Nothing was changed. Make a backup with the version that ran before (npm run backup), move ${place.cluster} aside, then run npm run restore -- NAME with this version; docs/OPERATING.md, 'PostgreSQL of another major version'.`,
    );
  if (version !== undefined) return;

  await removeUnfinished(place);
  const name = `postgres.initialising-${process.pid}-${randomBytes(4).toString('hex')}`;
  underWay.add(name);
  const unfinished = path.join(place.folder, name);
  await fs.mkdir(unfinished, { mode: 0o700 });
  if (place.owner) await fs.chown(unfinished, place.owner.uid, place.owner.gid);
  const args = ['-D', unfinished, '-U', superuser, '--encoding=UTF8', '--locale=C', '--data-checksums'];
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions');
  args.push('--auth-local=trust', '--auth-host=reject', ...(durable ? [] : ['--no-sync']));
  try {
    await promisify(execFile)(place.initdb, args, { ...place.owner, cwd: unfinished, env: environment });
    await fs.rename(unfinished, place.cluster).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw new StartError(sayInitFailure(place, error));
  } finally {
    await fs.rm(unfinished, { recursive: true, force: true });
    underWay.delete(name);
  }
};

const sayInitFailure = (place: Place, error: unknown): string => {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : reasonOf(error);
  if (/no space left|quota exceeded/i.test(text)) return sayNoSpace(place);
  const line = text.split('\n').find((each) => /error|fatal|could not|cannot/i.test(each)) ?? text.trim();
  return `The database could not be made in ${place.folder} (${line.replace(/^initdb: error: /, '')}): correct that, or set DATABASE_URL to a PostgreSQL server.`;
};

export const sayNoSpace = (place: Place): string =>
  `There is too little space left on the disk of ${place.folder}: free some, or set DATA_DIR to a folder on another disk.`;

/** Folders in which this process is making a cluster. */
const underWay = new Set<string>();

const removeUnfinished = async (place: Place): Promise<void> => {
  for (const name of await fs.readdir(place.folder)) {
    const pid = /^postgres\.initialising-(\d+)-/.exec(name)?.[1];
    if (pid && !underWay.has(name) && (Number(pid) === process.pid || !isAlive(Number(pid))))
      await fs.rm(path.join(place.folder, name), { recursive: true, force: true });
  }
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/**
 * Whether that process is the postmaster of this cluster, and not a different process that has the same
 * number now.
 */
const isPostmaster = async (pid: number, cluster: string): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  const command =
    process.platform === 'linux'
      ? (await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
      : await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(
          ({ stdout }) => stdout,
          () => '',
        );
  return command.includes(`postgres -D ${cluster} `);
};

/** The running postmaster of this cluster, whichever process started it. */
export const findPostmaster = async (place: Place): Promise<Postmaster | undefined> => {
  const file = path.join(place.cluster, 'postmaster.pid');
  const text = await fs.readFile(file, 'utf8').catch(() => undefined);
  if (!text) return undefined;
  const [pid, , , , socketFolder, , , status] = text.split('\n').map((line) => line.trim());
  if (await isPostmaster(Number(pid), place.cluster))
    return { pid: Number(pid), socketFolder: socketFolder ?? '', status: status ?? 'starting' };
  // PostgreSQL ignores a stale process id without a process, but not one that another process now has.
  if (isAlive(Number(pid)) && (await fs.readFile(file, 'utf8').catch(() => '')) === text)
    await fs.rm(file, { force: true });
  return undefined;
};

/** A folder for the socket that only the owner may enter; near the data if the path is short enough. */
export const makeSocketFolder = async (place: Place): Promise<string> => {
  const near = path.join(place.folder, 'socket');
  const isShort = Buffer.byteLength(path.join(near, socketName)) <= longestSocketPath;
  if (isShort) {
    // The folder is deleted and made again: if the name is a link, root must not change the owner of its
    // target.
    await fs.rm(near, { recursive: true, force: true });
    await fs.mkdir(near, { mode: 0o700 });
  }
  const folder = isShort ? near : await fs.mkdtemp('/tmp/ampwatch-socket-');
  if (place.owner) await fs.lchown(folder, place.owner.uid, place.owner.gid);
  return folder;
};

const argumentsFor = (place: Place, socketFolder: string, settings: Record<string, string>): string[] => [
  '-D',
  place.cluster,
  '-k',
  socketFolder,
  ...Object.entries({ ...settings, cluster_name: `ampwatch ${place.version}` }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]),
];

/** Whether the running postmaster was started with exactly these settings and binaries. */
export const runsAsWanted = async (
  place: Place,
  socketFolder: string,
  settings: Record<string, string>,
): Promise<boolean> => {
  const text = await fs.readFile(path.join(place.cluster, 'postmaster.opts'), 'utf8').catch(() => '');
  const wanted = argumentsFor(place, socketFolder, settings).map((each) => `"${each}"`);
  return text.trim() === `${place.postgres} ${wanted.join(' ')}`;
};

const logFile = (place: Place): string => path.join(place.folder, 'postgres.log');
const largestLog = 5 * 1024 * 1024;
/**
 * A link with this name is refused: root must not write to the target of a link that PostgreSQL's user made.
 */
const appendNoFollow =
  fs.constants.O_APPEND | fs.constants.O_CREAT | fs.constants.O_WRONLY | fs.constants.O_NOFOLLOW;

/**
 * Starts PostgreSQL in a separate session, so that Ctrl-C in the terminal does not reach it before the server
 * has finished its work. Resolves with the running postmaster, or undefined if another process was faster or
 * an old one is still ending.
 */
export const startPostmaster = async (
  place: Place,
  socketFolder: string,
  settings: Record<string, string>,
  waitMs: number,
): Promise<Postmaster | undefined> => {
  const size = await fs.stat(logFile(place)).then(
    (stat) => stat.size,
    () => 0,
  );
  if (size > largestLog) await fs.rename(logFile(place), `${logFile(place)}.1`);
  const log = await fs.open(logFile(place), appendNoFollow, 0o600);
  const from = (await log.stat()).size;
  let child: ChildProcess;
  try {
    child = spawn(place.postgres, argumentsFor(place, socketFolder, settings), {
      ...place.owner,
      cwd: place.cluster,
      env: environment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
  } finally {
    await log.close();
  }
  let failure: string | undefined;
  child.on('error', (error) => {
    failure = reasonOf(error);
  });
  child.on('exit', (code, signal) => {
    failure ??= `it ended with ${signal ?? `code ${code}`}`;
  });
  child.unref();

  const until = Date.now() + waitMs;
  while (failure === undefined && Date.now() < until) {
    const found = await findPostmaster(place);
    if (found?.status === 'ready') return found;
    await delay(20);
  }
  const said = (await fs.readFile(logFile(place))).subarray(from).toString();
  if (failure === undefined)
    throw new StartError(
      `PostgreSQL is not ready after ${Math.round(waitMs / 1000)} s: see ${logFile(place)} and start again.`,
    );
  if (/is still in use|lock file .* already exists/.test(said)) return undefined;
  if (/no space left|quota exceeded/i.test(said)) throw new StartError(sayNoSpace(place));
  const line = /(?:FATAL|PANIC): +(.*)/.exec(said)?.[1] ?? failure;
  throw new StartError(`PostgreSQL could not start (${line}): see ${logFile(place)} and start again.`);
};

/**
 * Stops PostgreSQL: fast shutdown (connections closed, everything on disk), or immediate shutdown if that
 * takes too long.
 */
export const stopPostmaster = async (place: Place, pid: number): Promise<void> => {
  for (const [signal, waitMs] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 2_000],
  ] as const) {
    if (!(await isPostmaster(pid, place.cluster))) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const until = Date.now() + waitMs;
    while (Date.now() < until) {
      if (!(await isPostmaster(pid, place.cluster))) return;
      await delay(20);
    }
  }
};
