import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { Place } from './embedded-place.ts';

/** A server that is started again within this time takes over the PostgreSQL of the killed one. */
const graceSeconds = 5;
const tokenFile = 'server.token';

/**
 * Waits until the server's end closes its input. Ends PostgreSQL (fast shutdown) unless another server has put its own
 * token there meanwhile. A plain shell: it takes less than a megabyte. Arguments: folder, cluster, token, seconds.
 */
const script = `
cat > /dev/null
sleep "$4"
[ "$(cat "$1/${tokenFile}" 2> /dev/null)" = "$3" ] || exit 0
pid=$(head -n 1 "$2/postmaster.pid" 2> /dev/null) || exit 0
[ -n "$pid" ] || exit 0
if [ -r "/proc/$pid/cmdline" ]; then running=$(tr '\\000' ' ' < "/proc/$pid/cmdline")
else running=$(ps -o command= -p "$pid"); fi
case "$running" in *"postgres -D $2 "*) kill -INT "$pid" ;; esac
`;

/**
 * Keeps the watcher of a server that was killed from ending the PostgreSQL that is about to start: its grace may be over
 * before that one is ready.
 */
export const forgetWatcher = (place: Place): Promise<void> =>
  fs.rm(path.join(place.folder, tokenFile), { force: true });

/** Has a small process end PostgreSQL within 10 s when this server is killed or crashes. Returns how to dismiss it. */
export const watchServer = async (place: Place): Promise<() => Promise<void>> => {
  const token = randomBytes(16).toString('hex');
  const file = path.join(place.folder, tokenFile);
  // Made again: an existing file by that name, such as a link, is not written to.
  await fs.rm(file, { force: true });
  await fs.writeFile(file, `${token}\n`, { mode: 0o644, flag: 'wx' });
  const watcher = spawn(
    '/bin/sh',
    ['-c', script, 'ampwatch-watcher', place.folder, place.cluster, token, String(graceSeconds)],
    {
      ...place.owner,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  // Without a watcher PostgreSQL waits for the next start, as before.
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
  return async () => {
    await fs.rm(file, { force: true });
    watcher.kill();
  };
};
