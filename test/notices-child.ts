import pino from 'pino';
import { connect, connectPool } from '#database/connect.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { createNotices } from '#server/notices/worker.ts';
import { testVault } from './vault.ts';

/** A sender of notices in a separate process, so that a test can kill it. */
const [databaseUrl = ''] = process.argv.slice(2);
const db = connect(connectPool(databaseUrl, 4));
const notices = createNotices({
  db,
  bus: createBus(() => {}),
  clock: systemClock,
  log: pino({ level: 'silent' }),
  vault: testVault,
});
await notices.start();
process.send?.('started');
