import { flushCompileCache } from 'node:module';
import pino from 'pino';
import { connect, connectPool } from '#database/connect.ts';
import { createOwner } from '#database/owner.ts';
import { makeAhead } from '#database/partitions.ts';
import { openVault } from '#server/backups/vault.ts';
import { createControl } from '#server/control/commands.ts';
import { createBridge } from '#server/core/bridge.ts';
import { createBus } from '#server/core/bus.ts';
import { readConfig } from '#server/core/config.ts';
import { createLive } from '#server/core/live.ts';
import { createVault } from '#server/core/vault.ts';
import { jobLive } from '#server/device-jobs/live.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import { liveListen } from '#server/live/listen.ts';
import { createNotices } from '#server/notices/worker.ts';
import { createBatches } from '#server/one-key/batches.ts';
import { openDatabase, prepareDatabase } from '#server/start/database.ts';
import { beginInstallation } from '#server/start/first.ts';
import { installationKey } from '#server/start/installation-key.ts';
import { beginJobs, createSchedule } from '#server/start/jobs.ts';
import { beginSurvey, openLink } from '#server/start/link.ts';
import { begin, type NodeParts } from '#server/start/node.ts';
import { sealSecrets } from '#server/start/seal-secrets.ts';
import { createStack } from '#server/start/stack.ts';
import { openWeb } from '#server/start/web.ts';
import { tagLive } from '#server/tags/live.ts';
import { timerLive } from '#server/timers/live.ts';
import { fakeClock } from './clock.ts';

/**
 * The whole product as a separate process, as `server/main.ts` starts it, except for the clock: the parent
 * process advances it by messages, and can kill this process at any moment.
 */
export type Order =
  | { id: number; advance: number }
  /** Sets the wall clock by so many ms; no time passes. */
  | { id: number; step: number }
  | { id: number; stop: true };
export type Reply =
  | { ready: true; url: string; mqttPort: number }
  | { id: number; now: number }
  | { failed: string };

const start = Number(process.env['PRODUCT_NOW']);
const clock = fakeClock(start);
const config = readConfig(process.env);
const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
const stack = createStack(log);
const reply = (message: Reply): void => {
  process.send?.(message);
};
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

const open = async () => {
  const database = await openDatabase(config);
  await prepareDatabase(database, { dataDir: config.dataDir, now: clock.now() });
  const { url: databaseUrl, ownerUrl } = database;
  const pool = connectPool(databaseUrl, 12);
  const db = connect(pool);
  stack.add('connections', () => db.destroy());
  const onError = (error: unknown) => log.error({ err: error }, 'listener failed');
  const bus = createBus(onError);
  const owner = createOwner(ownerUrl);
  const parts: NodeParts = { config, log, clock, stack, pool, db, bus, owner };
  const vault = createVault(await installationKey(config.dataDir, 'vault.key'));
  await makeAhead(pool, clock.now());
  await sealSecrets(db, vault);
  const first = await beginInstallation(parts);
  const bridge = createBridge({ databaseUrl, bus, clock, log });
  await begin(stack, 'bridge', bridge);
  const link = await openLink(parts, databaseUrl, undefined);
  const control = createControl({
    db,
    bus,
    clock,
    link: link.deviceLink,
    raiseFinding: (finding) => link.record(finding),
    log,
  });
  await begin(stack, 'control', control);
  await beginSurvey(parts, link);
  const maintenance = { databaseUrl, dataDir: config.dataDir, vault: openVault(config.dataDir) };
  const schedule = createSchedule(parts, maintenance);
  await beginJobs(parts, link.deviceLink, control, schedule);
  const notices = createNotices({ db, bus, clock, log, vault, publicUrl: config.publicUrl });
  await begin(stack, 'notices', notices);
  await begin(stack, 'scheduled work', schedule);
  const live = createLive();
  stack.add('live', liveListen({ db, bus, live, clock, want: bridge.want }));
  timerLive({ bus, live });
  tagLive({ bus, live });
  jobLive({ db, bus, live, clock });
  const batches = createBatches({ db, bus, clock, control, log });
  await begin(stack, 'batches', batches);
  const url = await openWeb(parts, {
    databaseUrl,
    live,
    vault,
    tls: undefined,
    control,
    batches,
    notices,
    maintenance,
    firmware: { dataDir: config.dataDir, addressOf: addressesBelow('http://localhost') },
    demo: false,
    demoRun: () => null,
    linkReady: () => true,
    linkStats: () => ({}),
  });
  await first?.shown();
  flushCompileCache(); // a killed process keeps nothing for the next start
  reply({ ready: true, url, mqttPort: link.port ?? 0 });
  return pool;
};

const pool = await open().catch((error: unknown) => {
  reply({ failed: String(error instanceof Error ? error.stack : error) });
  process.exit(1);
});

const inUse = () => pool.totalCount - pool.idleCount;
/** Connections that leases and locks hold while the process lives. */
let held = 12;

/** Waits until no query has been running for some turns of the event loop. */
const settle = async (): Promise<void> => {
  let quiet = 0;
  for (let turn = 0; turn < 300 && quiet < 6; turn += 1) {
    await nextTurn();
    held = Math.min(held, inUse());
    const busy = pool.waitingCount > 0 || inUse() > held;
    quiet = busy ? 0 : quiet + 1;
    if (busy) await new Promise((resolve) => setTimeout(resolve, 1));
  }
};

process.on('message', (order: Order) => {
  void (async () => {
    if ('stop' in order) {
      await stack.unwind();
      process.exit(0);
    }
    if ('step' in order) clock.step(order.step);
    else if (order.advance > 0) clock.advance(order.advance);
    await settle();
    reply({ id: order.id, now: clock.now() });
  })();
});
process.on('disconnect', () => process.exit(0));
