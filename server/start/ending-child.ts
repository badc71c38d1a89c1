import { createLog, unblocked } from '#server/core/log.ts';
import { needsRoot } from './begin-anew.ts';
import { endInOrder } from './ending.ts';
import { createStack } from './stack.ts';

/** A process that fails or restarts as its arguments require, for the test of its end. */
const [act = '', key = ''] = process.argv.slice(2);
const log = createLog({ level: 'fatal' }, unblocked(process.stderr));
const stack = createStack(log);
stack.add('group', async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.stdout.write('the group is written\n');
});
const ending = endInOrder(stack, log, {
  ...(act === 'hang' ? { withinMs: 100 } : {}),
  obstacle: () =>
    needsRoot({
      http: { port: 0, host: '127.0.0.1' },
      mqtt: { port: 0, host: '127.0.0.1' },
      tls: { certFile: key, keyFile: key },
      dataDir: import.meta.dirname,
    }),
});
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
  hang: () => {
    stack.add('a part without an answer', () => new Promise(() => {}));
    process.kill(process.pid, 'SIGTERM');
  },
  // Ten times the maximum backlog of an unread log.
  unread: () => {
    const line = 'x'.repeat(1000);
    for (let n = 0; n < 10_000; n += 1) log.fatal(line);
    process.send?.('logged');
  },
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
