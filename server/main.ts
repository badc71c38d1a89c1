import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import pino, { type Logger } from 'pino';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { partitionUpkeep } from '#database/partition-upkeep.ts';
import { furnishBase } from '#database/seed/base.ts';
import { furnishDemo } from '#database/seed/estate.ts';
import { reasonOf, StartError } from '#database/start-error.ts';
import { listenForAlarms } from './alarms/alarms.listen.ts';
import { createAlarmRecorder } from './alarms/alarms.record.ts';
import { createSurvey } from './alarms/alarms.survey.ts';
import { buildApp } from './app.ts';
import { createControl } from './control/control.commands.ts';
import { createConfigSender } from './control/control.config.ts';
import { createBridge } from './core/bridge.ts';
import { createBus } from './core/bus.ts';
import { systemClock } from './core/clock.ts';
import { type Config, readConfig } from './core/config.ts';
import { serveConsole } from './core/console.ts';
import { serveHealth } from './core/health.ts';
import { oneTimeLink } from './core/links.ts';
import { createLive } from './core/live.ts';
import { appendOperation } from './core/operation-log.ts';
import { type Demo, startDemo } from './demo/demo.process.ts';
import { createSettingsSender } from './device-settings/settings.send.ts';
import { bindFeatures } from './features.ts';
import { startLink } from './link/link.ts';
import { liveListen } from './live/live.listen.ts';
import { listenForMessages } from './messages/messages.listen.ts';
import { createNotices } from './notices/notices.part.ts';
import { createBatches } from './one-key/one-key.batches.ts';
import { createRollups } from './rollups/rollups.part.ts';
import { tagLive } from './tags/tags.live.ts';
import { createTagReviews } from './tags/tags.reviews.ts';
import { createTimerCopies } from './timers/timers.copies.ts';
import { timerLive } from './timers/timers.live.ts';
import { createTimers } from './timers/timers.schedule.ts';

const retentionDays = 90;
const say = (sentence: string) => process.stdout.write(`${sentence}\n`);

/** A secret of this installation, made on first use, readable by its owner alone. */
const installationKey = async (dataDir: string, name: string): Promise<Buffer> => {
  const file = join(dataDir, name);
  const known = await readFile(file).catch(() => null);
  if (known) return known;
  const made = randomBytes(32);
  await writeFile(file, made, { mode: 0o600 });
  return made;
};

/** What is begun, in order; ended in the opposite order. */
const createStack = (log: Logger) => {
  const begun: { name: string; stop: () => unknown }[] = [];
  return {
    add: (name: string, stop: () => unknown) => begun.push({ name, stop }),
    async unwind() {
      for (const { name, stop } of begun.reverse()) {
        try {
          await stop();
        } catch (error) {
          log.error({ err: error, part: name }, 'part did not stop cleanly');
        }
      }
    },
  };
};

const openDatabase = async (config: Config): Promise<{ url: string; stop: () => Promise<void> }> => {
  if (config.databaseUrl === undefined) {
    say('Starting PostgreSQL …');
    return startEmbeddedPostgres({ dataDir: config.dataDir, onProgress: say });
  }
  const pool = connectPool(config.databaseUrl, 1);
  try {
    await pool.query('select 1');
  } catch (error) {
    throw new StartError(
      `The database of DATABASE_URL does not answer (${reasonOf(error)}): check the address, the password and that PostgreSQL runs there.`,
    );
  } finally {
    await pool.end();
  }
  return { url: config.databaseUrl, stop: async () => {} };
};

const portTaken = (error: unknown, variable: string, port: number): never => {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'EADDRINUSE')
    throw new StartError(
      `Port ${port} is in use by another program: stop it, or start with ${variable}=${port + 1}.`,
    );
  if (code === 'EACCES')
    throw new StartError(`Port ${port} may not be opened by this user: start with ${variable} above 1023.`);
  throw error;
};

/** Starts the whole server from the environment and prints where it is. Throws StartError with one sentence. */
export const main = async (): Promise<void> => {
  const began = Date.now();
  const config = readConfig(process.env);
  const log = pino(
    process.stdout.isTTY
      ? { level: process.env['LOG_LEVEL'] ?? 'warn', transport: { target: 'pino-pretty' } }
      : { level: process.env['LOG_LEVEL'] ?? 'info' },
  );
  const clock = systemClock;
  const stack = createStack(log);
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return;
    stopping = true;
    say(`Stopping (${why}) …`);
    void stack.unwind().then(() => process.exit(0));
  };
  process.on('SIGINT', () => stop('Ctrl-C'));
  process.on('SIGTERM', () => stop('terminated'));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

  try {
    await mkdir(config.dataDir, { recursive: true }).catch((error: unknown) => {
      throw new StartError(
        `DATA_DIR ${config.dataDir} cannot be made (${reasonOf(error)}): choose a folder that this user may write.`,
      );
    });
    const database = await openDatabase(config);
    stack.add('database', database.stop);
    await migrate(database.url);
    const pool = connectPool(database.url, 12);
    const db = connect(pool);
    stack.add('connections', () => db.destroy());
    const partitions = partitionUpkeep(pool, clock, retentionDays, (error) =>
      log.error({ err: error }, 'partitions'),
    );
    await partitions.start();
    stack.add('partitions', () => partitions.stop());

    const base = await furnishBase(db, new Date(clock.now()), config.adminPassword);
    let demoPassword: string | null = null;
    const secretOf = async () => {
      const demoKey = await installationKey(config.dataDir, 'demo.key');
      return (number: string) => createHmac('sha256', demoKey).update(number).digest('base64url');
    };
    if (base.fresh && config.demo !== false) {
      demoPassword = `demo${randomBytes(4).toString('hex')}1`;
      say('Furnishing the demo estate …');
      await furnishDemo(db, pool, {
        now: clock.now(),
        seed: 7,
        secretOf: await secretOf(),
        passwordHash: await hash(demoPassword),
        appendOperation,
        onProgress: say,
      });
      await db
        .insertInto('settings')
        .values({ key: 'demo', value: 'true', updated_at: new Date(clock.now()) })
        .execute();
    }
    const furnished = await db
      .selectFrom('settings')
      .select('key')
      .where('key', '=', 'demo')
      .executeTakeFirst();
    const demoWanted = furnished !== undefined && config.demo !== false;

    const bus = createBus((error) => log.error({ err: error }, 'listener failed'));
    const bridge = createBridge({ databaseUrl: database.url, bus, clock, log });
    await bridge.start();
    stack.add('bridge', () => bridge.stop());
    const live = createLive();
    liveListen({ db, bus, live, clock });

    const recorder = createAlarmRecorder();
    await recorder.load(pool);
    const stopAlarms = listenForAlarms({
      bus,
      pool,
      clock,
      recorder,
      onError: (error) => log.error({ err: error }, 'alarms'),
    });
    stack.add('alarms', stopAlarms);
    const tls = config.tls && {
      cert: await readPem(config.tls.certFile, 'TLS_CERT'),
      key: await readPem(config.tls.keyFile, 'TLS_KEY'),
    };
    const link = await startLink({
      pool,
      bus,
      clock,
      judge: recorder,
      log,
      config: {
        mqttHost: config.mqtt.host,
        mqttPort: config.mqtt.port,
        mqttUrl: config.mqttUrl,
        tls: tls && { port: config.mqtt.port === 0 ? 0 : config.mqtt.port + 7000, ...tls },
      },
    }).catch((error: unknown) => portTaken(error, 'MQTT_PORT', config.mqtt.port));
    stack.add('link', () => link.stop());
    const control = createControl({
      db,
      bus,
      clock,
      link: link.deviceLink,
      raiseFinding: (finding) => link.record(finding),
      log,
    });
    await control.start();
    stack.add('control', () => control.stop());
    const configSender = createConfigSender({ db, bus, clock, link: link.deviceLink, log });
    configSender.start();
    stack.add('configurations', () => configSender.stop());
    const settings = createSettingsSender({ db, bus, clock, sender: configSender, log });
    await settings.start();
    stack.add('settings', () => settings.stop());
    const batches = createBatches({ db, bus, clock, control, log });
    for (const [name, part] of Object.entries({
      batches,
      timers: createTimers({ db, bus, clock, control, log }),
      'timer copies': createTimerCopies({ db, bus, clock, sender: configSender, log }),
      'tag reviews': createTagReviews({ db, bus, clock, log }),
    })) {
      await part.start();
      stack.add(name, () => part.stop());
    }
    timerLive({ bus, live });
    tagLive({ bus, live });
    const rollups = createRollups({ pool, clock, log, retentionDays });
    const survey = createSurvey({
      db,
      clock,
      record: (finding) => link.record(finding),
      onError: (error) => log.error({ err: error }, 'survey of devices'),
    });
    survey.start();
    stack.add('survey', () => survey.stop());
    rollups.start();
    stack.add('rollups', () => rollups.stop());

    let demo: Demo | null = null;
    const stopMessages = listenForMessages({
      db,
      bus,
      clock,
      onError: (error) => log.error({ err: error }, 'messages'),
    });
    stack.add('messages', stopMessages);
    const notices = createNotices({ db, bus, clock, log, publicUrl: config.publicUrl });
    await notices.start();
    stack.add('notices', () => notices.stop());

    const app = await buildApp(
      {
        db,
        pool,
        bus,
        clock,
        live,
        log,
        version,
        ...(tls ? { tls } : {}),
        trustProxy:
          typeof config.trustProxy === 'number'
            ? (_address, hop) => hop < Number(config.trustProxy)
            : config.trustProxy,
      },
      (serve, instance) =>
        bindFeatures(serve, instance, {
          captcha: config.captcha,
          secureCookie: tls !== undefined || (config.publicUrl?.startsWith('https:') ?? false),
          demo: demoWanted,
          live,
          control,
          batches,
          demoRun: () => demo,
          notices,
        }),
    );
    serveHealth(app, {
      pool,
      linkReady: () => !stopping,
      counts: () => ({ ...numbersOf(link.stats()), live_streams: live.size() }),
      metricsToken: process.env['METRICS_TOKEN'],
    });
    await serveConsole(
      app,
      config.map.tileUrl ? [new URL(config.map.tileUrl.replace(/\{\w+\}/g, '0')).origin] : [],
    );
    await app
      .listen({ port: config.http.port, host: config.http.host })
      .catch((error: unknown) => portTaken(error, 'PORT', config.http.port));
    stack.add('http', async () => {
      live.stop();
      await app.close();
    });

    if (demoWanted) {
      const running = await startDemo({
        db,
        brokerUrl: config.mqttUrl ?? `mqtt://127.0.0.1:${link.port}`,
        secretOf: await secretOf(),
        log,
      });
      demo = running;
      stack.add('demo', () => running.stopAll());
    }
    const { port } = app.server.address() as AddressInfo;
    const url =
      config.publicUrl ??
      `${tls ? 'https' : 'http'}://${config.http.host === '0.0.0.0' ? 'localhost' : config.http.host}:${port}`;
    announce({
      url,
      seconds: (Date.now() - began) / 1000,
      mqttPort: link.port,
      adminPassword: base.madePassword,
      demoPassword,
      link: base.fresh ? await oneTimeLink(db, url, clock.now()) : null,
    });
  } catch (error) {
    await stack.unwind();
    throw error;
  }
};

const version = '0.1.0';
const numbersOf = (stats: object): Record<string, number> =>
  Object.fromEntries(Object.entries(stats).map(([name, value]) => [name, Number(value)]));

const readPem = (file: string, variable: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    throw new StartError(`${variable} ${file} cannot be read (${reasonOf(error)}).`);
  });

const announce = (facts: {
  url: string;
  seconds: number;
  mqttPort: number;
  adminPassword: string | null;
  demoPassword: string | null;
  link: string | null;
}) => {
  say('');
  say(`Ampwatch is ready after ${facts.seconds.toFixed(1)} s: ${facts.url}`);
  if (facts.mqttPort > 0) say(`Devices connect by MQTT to port ${facts.mqttPort}.`);
  if (facts.link) say(`Sign in once, within half an hour, without a password: ${facts.link}`);
  if (facts.adminPassword) say(`First account: admin, password ${facts.adminPassword} (shown this once).`);
  if (facts.demoPassword)
    say(`Demo accounts of the other roles share the password ${facts.demoPassword} (shown this once).`);
  say('Ctrl-C stops everything.');
};
