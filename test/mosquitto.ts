import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './wait.ts';

const places = [
  '/usr/sbin/mosquitto',
  '/usr/bin/mosquitto',
  '/usr/local/sbin/mosquitto',
  '/opt/homebrew/sbin/mosquitto',
];
const installed = () => places.find((path) => existsSync(path));

/**
 * Path of Mosquitto, which is installed if the machine allows it. Undefined: tests that need it are skipped
 * and say so.
 */
export const findMosquitto = (): string | undefined => {
  if (installed() || process.platform !== 'linux' || process.getuid?.() !== 0) return installed();
  try {
    execFileSync('apt-get', ['install', '-y', '-qq', 'mosquitto'], { stdio: 'ignore', timeout: 60_000 });
  } catch {
    // the name of the skipped test reports it
  }
  return installed();
};

let given = 0;
/**
 * A port without a listener that the system does not use for outgoing connections (Linux: from 32768 on), so
 * that it is still free when its server is killed and restarted. Test files run side by side: each process has
 * numbers of its own.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 12_000 + ((process.pid * 61 + given++) % 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
};
export const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connectTo(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

export interface Mosquitto {
  url: string;
  stop(): Promise<void>;
}

/** A broker on a free port that keeps sessions and messages over a restart. */
export const startMosquitto = async (binary: string): Promise<Mosquitto> => {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'ampwatch-mosquitto-'));
  const config = join(folder, 'mosquitto.conf');
  await writeFile(
    config,
    `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location ${folder}/\n` +
      `max_queued_messages 0\nmax_inflight_messages 0\nuser root\n`,
  );
  const broker: ChildProcess = spawn(binary, ['-c', config], { stdio: 'ignore' });
  await eventually(() => answers(port), { said: () => 'an answer of mosquitto' });
  return {
    url: `mqtt://127.0.0.1:${port}`,
    async stop() {
      const ended = once(broker, 'exit');
      broker.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
