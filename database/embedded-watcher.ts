import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { Place } from './embedded-place.ts';

/** A server that restarts within this time takes over the PostgreSQL of the killed one. */
const graceSeconds = 5;
const tokenFile = 'server.token';

/**
 * Waits until the server's end closes its input. Then stops PostgreSQL (fast shutdown) unless another server
 * has written its own token meanwhile. It is a plain shell script because that needs less than a megabyte.
 * Arguments: folder, cluster, token, seconds.
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
 * Prevents the watcher of a killed server from stopping the PostgreSQL that is about to start, whose start
 * may take longer than the grace time.
 */
export const forgetWatcher = (place: Place): Promise<void> =>
  fs.rm(path.join(place.folder, tokenFile), { force: true });

/**
 * Starts a small process that stops PostgreSQL within 10 s after this server is killed or crashes. Returns a
 * function that dismisses it.
 */
export const watchServer = async (place: Place): Promise<() => Promise<void>> => {
  const token = randomBytes(16).toString('hex');
  const file = path.join(place.folder, tokenFile);
  // The file is deleted and made again: if the name is a link, its target must not be written.
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
  // Without a watcher PostgreSQL keeps running until the next start.
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
  return async () => {
    await fs.rm(file, { force: true });
    watcher.kill();
  };
};
