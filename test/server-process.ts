import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPatienceMs } from './patience.ts';

export interface ServerProcess {
  /** Its output until it was ready. */
  said: string;
  process: ChildProcess;
  /** Stops it in order, or kills it. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export const adminPassword = 'server12345';

/** The product as a separate process, ready to be used. */
export const startServer = async (environment: Record<string, string>): Promise<ServerProcess> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-server-'));
  const server = spawn(process.execPath, ['scripts/start.ts', '--without-console'], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      DATA_DIR: dataDir,
      PORT: '0',
      MQTT_PORT: '0',
      DEMO: '0',
      CAPTCHA: 'off',
      ADMIN_PASSWORD: adminPassword,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'exit');
  let said = '';
  const ready = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the server was not ready:\n${said}`)), startPatienceMs);
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (!said.includes('Ctrl-C stops everything')) return;
      clearTimeout(late);
      resolve();
    };
    server.stdout?.on('data', hear);
    server.stderr?.on('data', hear);
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said}`)));
  });
  await ready.catch((error) => {
    server.kill('SIGKILL');
    throw error;
  });
  return {
    said,
    process: server,
    async stop(signal = 'SIGTERM') {
      server.kill(signal);
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
