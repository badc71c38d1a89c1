import { flushCompileCache } from 'node:module';
import * as path from 'node:path';
import type { Logger } from 'pino';
import { canReach, type Owner, unprivilegedUser } from '#database/embedded-place.ts';
import { reasonOf } from '#database/start-error.ts';
import { handOver, unreadable } from '#database/unprivileged.ts';

const root = path.resolve(import.meta.dirname, '../..');
/**
 * Files that are read when first needed: the console, worker threads, the simulator's process, modules and
 * their fonts.
 */
const readLater = [
  ...['dist/web', 'server', 'contract', 'database', 'simulator'],
  ...['package.json', 'node_modules', 'node_modules/fastify', 'node_modules/svg-captcha-fixed'],
].map((name) => path.join(root, name));
const shallow = new Set([path.join(root, 'node_modules')]);

/** Why the process cannot continue as this user, in words for the log; null: it can. */
const obstacle = async (user: Owner, folders: readonly string[]): Promise<string | null> => {
  for (const folder of folders)
    if (!(await canReach(user, path.dirname(folder)))) return `user ${user.uid} cannot reach ${folder}`;
  for (const name of readLater) {
    const closed = shallow.has(name) ? !(await canReach(user, name)) && name : await unreadable(user, [name]);
    if (closed) return `user ${user.uid} cannot read ${closed}`;
  }
  return null;
};

/**
 * A process started by root continues as an unprivileged user from here: ports are bound, and later files go
 * into `folders`. Stays root, with one warning, if that user cannot read the program. Resolves with whether
 * it changed.
 */
export const dropRoot = async ({
  folders,
  user,
  log,
}: {
  folders: readonly string[];
  /** The user that runs PostgreSQL; undefined: PostgreSQL is external. */
  user?: Owner | undefined;
  log: Pick<Logger, 'warn' | 'info'>;
}): Promise<boolean> => {
  const { getuid, setgroups, setgid, setuid } = process;
  if (getuid?.() !== 0 || !setgroups || !setgid || !setuid) return false;
  const stays = (why: string) => {
    log.warn(
      { why },
      'the server goes on as root: put the program and DATA_DIR where every user may read the program and enter the folders above, or start it as an ordinary user',
    );
    return false;
  };
  try {
    const to = user ?? (await unprivilegedUser());
    const why = await obstacle(to, folders);
    if (why !== null) return stays(why);
    for (const folder of folders) await handOver(to, folder);
    flushCompileCache(); // written now, because NODE_COMPILE_CACHE belongs to root and the other user cannot write there
    setgroups([to.gid]);
    setgid(to.gid);
    setuid(to.uid);
    log.info({ uid: to.uid }, 'the server goes on as an unprivileged user');
    return true;
  } catch (error) {
    return stays(reasonOf(error));
  }
};
