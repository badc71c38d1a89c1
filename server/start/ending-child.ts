import pino from 'pino';
import { endInOrder } from './ending.ts';

/** A process that fails as its argument says, for the test of how it ends. */
const failures: Record<string, () => void> = {
  exception: () => {
    setImmediate(() => {
      throw new TypeError('first');
    });
    setTimeout(() => {
      throw new TypeError('second, while it ends');
    }, 20);
  },
  rejection: () => void Promise.reject(new Error('not handled')),
};
const log = pino({ level: 'fatal' }, pino.destination({ fd: 2, sync: true }));
endInOrder(async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.stdout.write('the group is written\n');
}, log);
failures[process.argv[2] ?? '']?.();
setInterval(() => {}, 1000);
