import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface HealthDeps {
  pool: pg.Pool;
  /** Whether the way in for devices is open. */
  linkReady: () => boolean;
  /** Counts to show, by metric name; read at each scrape. */
  counts: () => Readonly<Record<string, number>>;
  metricsToken: string | undefined;
}

/** Asked from this machine itself: what a proxy on it passes on comes from elsewhere. */
const isLoopback = ({ ip, headers }: FastifyRequest) =>
  ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(ip) &&
  !['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].some((name) => name in headers);
const hasToken = (request: FastifyRequest, token: string | undefined) => {
  const given = Buffer.from(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
  const right = Buffer.from(token ?? '');
  return token !== undefined && given.length === right.length && timingSafeEqual(given, right);
};

/** `/readyz` (database, migrations and broker are fine) and `/metrics` (from the loopback interface, or with the token). */
export const serveHealth = (
  app: FastifyInstance,
  { pool, linkReady, counts, metricsToken }: HealthDeps,
): void => {
  let asking: Promise<boolean> | null = null;
  /** One question to the database at a time, however many ask. */
  const databaseAnswers = (): Promise<boolean> => {
    asking ??= pool
      .query('select 1 from migrations limit 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = null;
      });
    return asking;
  };
  app.get('/readyz', async (_request, reply) => {
    const database = await databaseAnswers();
    const ready = database && linkReady();
    return reply
      .status(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : 'not ready', database, link: linkReady() });
  });

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauges = new Map<string, Gauge>();
  app.get('/metrics', async (request, reply) => {
    if (!isLoopback(request) && !hasToken(request, metricsToken)) return reply.status(403).send();
    for (const [name, value] of Object.entries(counts())) {
      const gauge =
        gauges.get(name) ??
        new Gauge({ name: `ampwatch_${name}`, help: name.replaceAll('_', ' '), registers: [registry] });
      gauges.set(name, gauge);
      gauge.set(value);
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
};
