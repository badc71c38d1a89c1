import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const places = [
  '/usr/sbin/mosquitto',
  '/usr/bin/mosquitto',
  '/usr/local/sbin/mosquitto',
  '/opt/homebrew/sbin/mosquitto',
];
const installed = () => places.find((path) => existsSync(path));

/** Where Mosquitto is; installed where the machine's packages can be. Undefined: tests that need it say so and skip. */
export const findMosquitto = (): string | undefined => {
  if (installed() || process.platform !== 'linux' || process.getuid?.() !== 0) return installed();
  try {
    execFileSync('apt-get', ['install', '-y', '-qq', 'mosquitto'], { stdio: 'ignore', timeout: 60_000 });
  } catch {
    // reported by the name of the skipped test
  }
  return installed();
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
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
  const end = Date.now() + 10_000;
  while (!(await answers(port))) if (Date.now() > end) throw new Error('mosquitto does not answer');
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
