import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '#server/core/config.ts';

/** Lower ports are for root only; on Linux the system reports the limit. */
const firstFreePort = async (): Promise<number> =>
  Number(await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024'));

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  );

/**
 * What the process could not do after a restart, in words, because it gave up root; null: it can restart. It
 * bound its ports and read its files while it was root.
 */
export const needsRoot = async ({
  http,
  mqtt,
  tls,
  dataDir,
}: Pick<Config, 'http' | 'mqtt' | 'tls' | 'dataDir'>): Promise<string | null> => {
  if (process.getuid?.() === 0) return null;
  const free = await firstFreePort();
  const port = [http.port, mqtt.port].find((each) => each > 0 && each < free);
  if (port !== undefined) return `port ${port} is root's`;
  for (const file of tls ? [tls.certFile, tls.keyFile] : [])
    if (!(await isReadable(file))) return `only root can read ${file}`;
  const pointer = path.join(dataDir, 'postgres.location');
  return (await isThere(pointer)) ? `${pointer} is root's` : null;
};
