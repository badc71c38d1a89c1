import pino from 'pino';
import { connectPool } from '#database/connect.ts';
import { makeAhead } from '#database/partitions.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { startLink } from '#server/link/link.ts';
import { judgeOf } from './link-judge.ts';

/** The server under load: the device link with alarm rules, in a separate process. */
const [databaseUrl = ''] = process.argv.slice(2);
const pool = connectPool(databaseUrl);
const log = pino({ level: 'warn' });
const bus = createBus((error) => log.error({ error }));
await makeAhead(pool, systemClock.now());
const link = await startLink({
  pool,
  bus,
  clock: systemClock,
  judge: await judgeOf(pool),
  log,
  config: { mqttHost: '127.0.0.1', mqttPort: 0 },
});
process.on('message', (message) => {
  if (message === 'stats') {
    globalThis.gc?.();
    process.send?.({ ...link.stats(), memory: process.memoryUsage() });
  }
  if (message === 'stop') void link.stop().then(() => process.exit(0));
});
process.send?.({ port: link.port });
