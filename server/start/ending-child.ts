import pino from 'pino';
import { needsRoot } from './begin-anew.ts';
import { endInOrder } from './ending.ts';

/** A process that fails or begins anew as its arguments say, for the test of how it ends. */
const [act = '', key = ''] = process.argv.slice(2);
const log = pino({ level: 'fatal' }, pino.destination({ fd: 2, sync: true }));
const ending = endInOrder(
  async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.stdout.write('the group is written\n');
  },
  log,
  () =>
    needsRoot({
      http: { port: 0, host: '127.0.0.1' },
      mqtt: { port: 0, host: '127.0.0.1' },
      tls: { certFile: key, keyFile: key },
      dataDir: import.meta.dirname,
    }),
);
const acts: Record<string, () => void> = {
  exception: () => {
    setImmediate(() => {
      throw new TypeError('first');
    });
    setTimeout(() => {
      throw new TypeError('second, while it ends');
    }, 20);
  },
  rejection: () => void Promise.reject(new Error('not handled')),
  restart: () => {
    if (process.argv.at(-1) === 'anew') {
      process.stdout.write('began anew\n');
      process.exit(0);
    }
    process.argv.push('anew');
    process.setgid?.(65_534);
    process.setuid?.(65_534);
    ending.restart('a restore is put in place');
  },
};
acts[act]?.();
setInterval(() => {}, 1000);
