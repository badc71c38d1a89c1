import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { connect, connectPool } from '#database/connect.ts';
import { createOwner } from '#database/owner.ts';
import { makeAhead } from '#database/partitions.ts';
import { reasonOf, StartError } from '#database/start-error.ts';
import { furnishEstate, isDemo, renewDemoPassword, runDemo } from '#demo/start.ts';
import { finishRestore } from '#server/backups/finish.ts';
import { type Vault as BackupVault, openVault } from '#server/backups/vault.ts';
import { createMaintenance } from '#server/backups/worker.ts';
import { type Control, createControl } from '#server/control/commands.ts';
import type { Demo } from '#server/demo/simulation.ts';
import { jobLive } from '#server/device-jobs/live.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import type { AddressOf } from '#server/firmware/firmware.store.ts';
import { rolloutLive } from '#server/firmware/live.ts';
import { createRollouts } from '#server/firmware/worker.ts';
import { createNodeReport } from '#server/health/report.ts';
import type { Link } from '#server/link/link.ts';
import type { Outbound } from '#server/link/outbound.ts';
import { liveListen } from '#server/live/listen.ts';
import { createNotices, type Notices } from '#server/notices/worker.ts';
import { createBatches } from '#server/one-key/batches.ts';
import { tagLive } from '#server/tags/live.ts';
import { timerLive } from '#server/timers/live.ts';
import { createBridge } from './core/bridge.ts';
import { createBus } from './core/bus.ts';
import { systemClock } from './core/clock.ts';
import { type Config, readConfig } from './core/config.ts';
import { createLive } from './core/live.ts';
import { createLog, unblocked } from './core/log.ts';
import { createVault, type Vault } from './core/vault.ts';
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
import { readTls, type Tls } from './start/tls.ts';
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
  try {
    await makeDataDir(config.dataDir);
    const database = await openDatabase(config);
    stack.add('database', database.stop);
    await prepareDatabase(database, { dataDir: config.dataDir, now: clock.now() });
    const parts = openParts({ config, log, clock, stack }, database);
    const maintenance = {
      databaseUrl: database.ownerUrl,
      dataDir: config.dataDir,
      vault: openVault(config.dataDir),
    };
    await finishRestore({ ...maintenance, db: parts.db, version, now: clock.now, log, onProgress: say });
    parts.bus.on('maintenance.swapping', () => ending.restart('a restore is put in place'));

    const vault = createVault(await installationKey(config.dataDir, 'vault.key'));
    const contents = await prepareContents(parts, vault);
    const bridge = createBridge({ databaseUrl: database.url, bus: parts.bus, clock, log });
    await begin(stack, 'bridge', bridge);
    const tls = await readTls(config);
    const { link, outbound, control } = await beginDevices(parts, database.url, tls);
    let url: string | null = null;
    const { port, host } = config.http;
    const firmware = {
      dataDir: config.dataDir,
      addressOf: (version: Parameters<AddressOf>[0]) =>
        addressesBelow(url ?? config.publicUrl ?? `${tls ? 'https' : 'http'}://${host}:${port}`)(version),
    };
    const notices = await beginWork(parts, { link, outbound, control, maintenance, vault, firmware });

    let demo: Demo | null = null;
    const linkReady = () => !ending.isStopping() && outbound.ready();
    const live = does(config, 'web') ? createLive() : null;
    if (live) {
      stack.add('live', liveListen({ ...parts, live, want: bridge.want }));
      for (const feature of [timerLive, tagLive, jobLive, rolloutLive]) feature({ ...parts, live });
      const batches = createBatches({ ...parts, control });
      await begin(stack, 'batches', batches);
      url = await openWeb(parts, {
        ...{ live, tls, vault, control, batches, notices, maintenance, firmware, linkReady },
        databaseUrl: database.url,
        demo: contents.demoWanted,
        demoRun: () => demo,
        linkStats: () => link?.stats() ?? {},
      });
    }
    await begin(
      stack,
      'node report',
      createNodeReport({
        ...{ ...parts, role: config.role, version, dataDir: config.dataDir, linkReady },
        linkCounts: () => link?.stats() ?? null,
        liveStreams: () => live?.size() ?? null,
      }),
    );
    const folders = [config.dataDir, ...(database.place ? [database.place.folder] : [])];
    await dropRoot({ folders: [...new Set(folders)], user: database.place?.owner, log });
    const mqttPort = link?.port ?? 0;
    if (contents.demoWanted) demo = await runDemo(parts, config.mqttUrl ?? `mqtt://127.0.0.1:${mqttPort}`);
    const { first, demoPassword } = contents;
    announce({
      ...{ role: config.role, url, mqttPort, demoPassword },
      seconds: (Date.now() - began) / 1000,
      adminPassword: first?.madePassword ?? null,
      link: first && url ? await oneTimeLink(parts.db, url, clock.now()) : null,
      warnings: warningsOf(config),
    });
    await first?.shown();
  } catch (error) {
    ending.limit(1);
    await stack.unwind();
    throw error;
  }
};

const does = ({ role }: Config, each: 'web' | 'link' | 'jobs'): boolean => role === 'all' || role === each;

const makeDataDir = async (dataDir: string): Promise<void> => {
  // A folder of root is given to PostgreSQL's user later, who must be able to enter it before that.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  await mkdir(dataDir, { recursive: true, mode }).catch((error: unknown) => {
    throw new StartError(
      `DATA_DIR ${dataDir} cannot be made (${reasonOf(error)}): choose a folder that this user may write.`,
    );
  });
};

const openParts = (
  process: Pick<NodeParts, 'config' | 'log' | 'clock' | 'stack'>,
  { url, ownerUrl }: { url: string; ownerUrl: string },
): NodeParts => {
  const pool = connectPool(url, 12);
  const db = connect(pool);
  process.stack.add('connections', () => db.destroy());
  const bus = createBus((error) => process.log.error({ err: error }, 'listener failed'));
  return { ...process, pool, db, bus, owner: createOwner(ownerUrl) };
};

/** Partitions, first rows and secrets. */
const prepareContents = async (parts: NodeParts, vault: Vault) => {
  const { config, db } = parts;
  await makeAhead(parts.pool, parts.clock.now());
  const first = await beginInstallation(parts);
  const furnishes = first?.isEmpty === true && config.demo !== false && config.role === 'all';
  const madePassword = furnishes ? await furnishEstate(parts) : null;
  if (config.role !== 'link') await sealSecrets(db, vault);
  const demoWanted = await isDemo(parts);
  const demoPassword = madePassword ?? (first && demoWanted ? await renewDemoPassword(parts) : null);
  return { first, demoWanted, demoPassword };
};

/** What receives from devices, if the node does, and what sends to them. */
const beginDevices = async (
  parts: NodeParts,
  databaseUrl: string,
  tls: Tls | undefined,
): Promise<{ link: Link | null; outbound: Outbound; control: Control }> => {
  const link = does(parts.config, 'link') ? await openLink(parts, databaseUrl, tls) : null;
  const outbound = link ?? openOutbound(parts);
  const control = createControl({
    ...parts,
    link: outbound.deviceLink,
    raiseFinding: link ? (finding) => link.record(finding) : null,
  });
  if (link) {
    await begin(parts.stack, 'control', control);
    await beginSurvey(parts, link);
  } else parts.stack.add('control', () => control.stop());
  return { link, outbound, control };
};

interface WorkParts {
  link: Link | null;
  outbound: Outbound;
  control: Control;
  maintenance: { databaseUrl: string; dataDir: string; vault: BackupVault };
  vault: Vault;
  firmware: { addressOf: AddressOf };
}
/** Scheduled and queued work. Returns the notices, which every node can send. */
const beginWork = async (
  parts: NodeParts,
  { link, outbound, control, maintenance, vault, firmware }: WorkParts,
): Promise<Notices> => {
  const { config, stack } = parts;
  const schedule = does(config, 'jobs') ? createSchedule(parts, maintenance) : null;
  if (link) await beginTrends(parts, link, schedule);
  if (schedule) await beginJobs(parts, outbound.deviceLink, control, schedule);
  const notices: Notices = createNotices({
    ...{ ...parts, vault, publicUrl: config.publicUrl },
    onRound: schedule?.watch('notices', () => notices.kick()),
  });
  if (!schedule) return notices;
  await begin(stack, 'notices', notices);
  const rollouts = createRollouts({
    ...{ ...parts, control, addressOf: firmware.addressOf },
    onRound: schedule.watch('firmware', () => rollouts.wake()),
  });
  await begin(stack, 'firmware', rollouts);
  await begin(stack, 'maintenance', createMaintenance({ ...parts, ...maintenance, version }));
  await begin(stack, 'scheduled work', schedule);
  return notices;
};

const processLog = (level: Config['logLevel']): Logger =>
  process.stdout.isTTY
    ? createLog({ level: level ?? 'warn', transport: { target: 'pino-pretty' } })
    : createLog({ level: level ?? 'info' }, unblocked(process.stdout));
