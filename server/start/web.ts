import type { AddressInfo } from 'node:net';
import { buildApp } from '#server/app.ts';
import { serveConsole } from '#server/core/console.ts';
import { contentPolicyOf } from '#server/core/content-policy.ts';
import { type Answered, serveHealth } from '#server/core/health.ts';
import type { Live } from '#server/core/live.ts';
import { presentMap } from '#server/core/map.ts';
import { createStrangers } from '#server/core/strangers.ts';
import { version } from '#server/core/version.ts';
import { bindFeatures, type FeatureParts } from '#server/features.ts';
import { productSamples } from '#server/health/metrics.ts';
import { backupPlan } from './backup-plan.ts';
import type { NodeParts } from './node.ts';
import { portTaken } from './ports.ts';
import type { Tls } from './tls.ts';

const numbersOf = (stats: object): Record<string, number> =>
  Object.fromEntries(Object.entries(stats).map(([name, value]) => [name, Number(value)]));

interface WebParts
  extends Omit<FeatureParts, 'map' | 'captcha' | 'secureCookie' | 'publicUrl' | 'live' | 'clock'> {
  live: Live;
  tls: Tls | undefined;
  /** Whether this node can reach devices. */
  linkReady: () => boolean;
  linkStats: () => object;
}

/** API, console and live stream. Returns their address. */
export const openWeb = async (
  { config, log, clock, stack, pool, db, bus }: NodeParts,
  { live, tls, linkReady, linkStats, ...features }: WebParts,
): Promise<string> => {
  const onlyHttps = tls !== undefined || (config.publicUrl?.startsWith('https:') ?? false);
  const strangers = createStrangers(log);
  let answered: (answer: Answered) => void = () => {};
  const app = await buildApp(
    {
      strangers,
      onAnswered: (answer) => answered(answer),
      onlyHttps,
      db,
      pool,
      bus,
      clock,
      live,
      log,
      version,
      ...(tls ? { tls } : {}),
      trustProxy: config.trustProxy,
    },
    (serve, instance) =>
      bindFeatures(serve, instance, {
        ...features,
        captcha: config.captcha,
        map: config.map,
        publicUrl: config.publicUrl ?? null,
        secureCookie: onlyHttps,
        live,
        clock,
      }),
  );
  serveHealth(app, {
    pool,
    linkReady,
    counts: () => ({ ...numbersOf(linkStats()), ...strangers.counts(), live_streams: live.size() }),
    samples: async () => productSamples(db, clock.now(), await backupPlan(db)),
    onAnswered: (observe) => {
      answered = observe;
    },
    metricsToken: config.metricsToken,
  });
  await serveConsole(app, async () =>
    // If the database does not answer, only the map in the server's variables is used.
    contentPolicyOf(await presentMap(db, config.map).catch(() => config.map)),
  );
  await app
    .listen({ port: config.http.port, host: config.http.host })
    .catch((error: unknown) => portTaken(error, 'PORT', config.http.port));
  stack.add('http', async () => {
    live.stop();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const host = config.http.host === '0.0.0.0' ? 'localhost' : config.http.host;
  return config.publicUrl ?? `${tls ? 'https' : 'http'}://${host}:${port}`;
};
