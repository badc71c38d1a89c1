import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { connect, connectPool } from '#database/connect.ts';
import { createOwner } from '#database/owner.ts';
import { makeAhead } from '#database/partitions.ts';
import { reasonOf, StartError } from '#database/start-error.ts';
import { furnishEstate, isDemo, renewDemoPassword, runDemo } from '#demo/start.ts';
import { finishRestore } from '#server/backups/finish.ts';
import { openVault } from '#server/backups/vault.ts';
import { createMaintenance } from '#server/backups/worker.ts';
import { type Control, createControl } from '#server/control/commands.ts';
import type { Demo } from '#server/demo/simulation.ts';
import { jobLive } from '#server/device-jobs/live.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import type { AddressOf } from '#server/firmware/firmware.store.ts';
import { rolloutLive } from '#server/firmware/live.ts';
import { createRollouts } from '#server/firmware/worker.ts';
import { createNodeReport } from '#server/health/report.ts';
import { liveListen } from '#server/live/listen.ts';
import { createNotices, type Notices } from '#server/notices/worker.ts';
import { createBatches } from '#server/one-key/batches.ts';
import { tagLive } from '#server/tags/live.ts';
import { timerLive } from '#server/timers/live.ts';
import { createBridge } from './core/bridge.ts';
import { createBus } from './core/bus.ts';
import { systemClock } from './core/clock.ts';
import { type Config, readConfig } from './core/config.ts';
import { createLive, type Live } from './core/live.ts';
import { createLog, unblocked } from './core/log.ts';
import { createVault } from './core/vault.ts';
import { version } from './core/version.ts';
import { oneTimeLink } from './session/links.ts';
import { announce, warningsOf } from './start/announce.ts';
import { needsRoot } from './start/begin-anew.ts';
import { openDatabase, prepareDatabase } from './start/database.ts';

import { endInOrder } from './start/ending.ts';
import { beginInstallation } from './start/first.ts';
import { installationKey } from './start/installation-key.ts';
import { beginJobs, beginTrends, createSchedule } from './start/jobs.ts';
import { beginSurvey, openLink, openOutbound } from './start/link.ts';
import { begin, type NodeParts } from './start/node.ts';
import { sealSecrets } from './start/seal-secrets.ts';
import { createStack, say } from './start/stack.ts';
import { readTls } from './start/tls.ts';
import { dropRoot } from './start/unprivileged.ts';
import { openWeb } from './start/web.ts';

/**
 * Starts the parts that ROLE names from the environment and prints the address. Throws StartError with one
 * sentence.
 */
export const main = async (): Promise<void> => {
  const began = Date.now();
  const config = readConfig(process.env);
  const log = processLog(config.logLevel);
  const clock = systemClock;
  const stack = createStack(log);
  const ending = endInOrder(stack, log, { obstacle: () => needsRoot(config) });
  const does = (role: 'web' | 'link' | 'jobs') => config.role === 'all' || config.role === role;

  try {
    // A folder of root is given to PostgreSQL's user later, who must be able to enter it before that.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    await mkdir(config.dataDir, { recursive: true, mode }).catch((error: unknown) => {
      throw new StartError(
        `DATA_DIR ${config.dataDir} cannot be made (${reasonOf(error)}): choose a folder that this user may write.`,
      );
    });
    const database = await openDatabase(config);
    stack.add('database', database.stop);
    await prepareDatabase(database, { dataDir: config.dataDir, now: clock.now() });
    const pool = connectPool(database.url, 12);
    const db = connect(pool);
    stack.add('connections', () => db.destroy());
    const bus = createBus((error) => log.error({ err: error }, 'listener failed'));
    const owner = createOwner(database.ownerUrl);
    const parts: NodeParts = { config, log, clock, stack, pool, db, bus, owner };
    const maintenance = {
      databaseUrl: database.ownerUrl,
      dataDir: config.dataDir,
      vault: openVault(config.dataDir),
    };
    await finishRestore({ ...maintenance, db, version, now: clock.now, log, onProgress: say });
    bus.on('maintenance.swapping', () => ending.restart('a restore is put in place'));

    const vault = createVault(await installationKey(config.dataDir, 'vault.key'));
    await makeAhead(pool, clock.now());
    const first = await beginInstallation(parts);
    const furnishes = first?.isEmpty === true && config.demo !== false && config.role === 'all';
    const madePassword = furnishes ? await furnishEstate(parts) : null;
    if (config.role !== 'link') await sealSecrets(db, vault);
    const demoWanted = await isDemo(parts);
    const demoPassword = madePassword ?? (first && demoWanted ? await renewDemoPassword(parts) : null);

    const bridge = createBridge({ databaseUrl: database.url, bus, clock, log });
    await begin(stack, 'bridge', bridge);
    const tls = await readTls(config);
    const link = does('link') ? await openLink(parts, database.url, tls) : null;
    const outbound = link ?? openOutbound(parts);
    const control: Control = createControl({
      db,
      bus,
      clock,
      link: outbound.deviceLink,
      raiseFinding: link ? (finding) => link.record(finding) : null,
      log,
    });
    if (link) {
      await begin(stack, 'control', control);
      await beginSurvey(parts, link);
    } else stack.add('control', () => control.stop());
    let url: string | null = null;
    const { port, host } = config.http;
    const firmware = {
      dataDir: config.dataDir,
      addressOf: (version: Parameters<AddressOf>[0]) =>
        addressesBelow(url ?? config.publicUrl ?? `${tls ? 'https' : 'http'}://${host}:${port}`)(version),
    };
    const schedule = does('jobs') ? createSchedule(parts, maintenance) : null;
    if (link) await beginTrends(parts, link, schedule);
    if (schedule) await beginJobs(parts, outbound.deviceLink, control, schedule);
    const notices: Notices = createNotices({
      db,
      bus,
      clock,
      log,
      vault,
      publicUrl: config.publicUrl,
      onRound: schedule?.watch('notices', () => notices.kick()),
    });
    if (schedule) {
      await begin(stack, 'notices', notices);
      const rollouts = createRollouts({
        ...parts,
        control,
        addressOf: firmware.addressOf,
        onRound: schedule.watch('firmware', () => rollouts.wake()),
      });
      await begin(stack, 'firmware', rollouts);
      await begin(stack, 'maintenance', createMaintenance({ ...parts, ...maintenance, version }));
      await begin(stack, 'scheduled work', schedule);
    }

    let demo: Demo | null = null;
    let streams: Live | null = null;
    if (does('web')) {
      const live = createLive();
      streams = live;
      stack.add('live', liveListen({ db, bus, live, clock, want: bridge.want }));
      timerLive({ bus, live });
      tagLive({ bus, live });
      jobLive({ db, bus, live, clock });
      rolloutLive({ db, bus, live, clock });
      const batches = createBatches({ db, bus, clock, control, log });
      await begin(stack, 'batches', batches);
      url = await openWeb(parts, {
        databaseUrl: database.url,
        live,
        tls,
        vault,
        control,
        batches,
        notices,
        maintenance,
        firmware,
        demo: demoWanted,
        demoRun: () => demo,
        linkReady: () => !ending.isStopping() && outbound.ready(),
        linkStats: () => link?.stats() ?? {},
      });
    }
    await begin(
      stack,
      'node report',
      createNodeReport({
        ...{ db, clock, log, role: config.role, version, pool, dataDir: config.dataDir },
        linkReady: () => !ending.isStopping() && outbound.ready(),
        linkCounts: () => link?.stats() ?? null,
        liveStreams: () => streams?.size() ?? null,
      }),
    );
    const folders = [config.dataDir, ...(database.place ? [database.place.folder] : [])];
    await dropRoot({ folders: [...new Set(folders)], user: database.place?.owner, log });
    const mqttPort = link?.port ?? 0;
    if (demoWanted) demo = await runDemo(parts, config.mqttUrl ?? `mqtt://127.0.0.1:${mqttPort}`);
    announce({
      role: config.role,
      url,
      seconds: (Date.now() - began) / 1000,
      mqttPort,
      adminPassword: first?.madePassword ?? null,
      demoPassword,
      link: first && url ? await oneTimeLink(db, url, clock.now()) : null,
      warnings: warningsOf(config),
    });
    await first?.shown();
  } catch (error) {
    ending.limit(1);
    await stack.unwind();
    throw error;
  }
};

const processLog = (level: Config['logLevel']): Logger =>
  process.stdout.isTTY
    ? createLog({ level: level ?? 'warn', transport: { target: 'pino-pretty' } })
    : createLog({ level: level ?? 'info' }, unblocked(process.stdout));
