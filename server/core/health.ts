import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** One value of `/metrics`. */
export interface Sample {
  /** The name without the product's prefix. */
  name: string;
  help: string;
  value: number;
  labels: Readonly<Record<string, string>>;
}

interface HealthDeps {
  pool: pg.Pool;
  /** Whether devices can connect. */
  linkReady: () => boolean;
  /** Counters by metric name; read at each scrape. */
  counts: () => Readonly<Record<string, number>>;
  /** Values from the database; queried at each scrape, one scrape at a time. */
  samples: () => Promise<readonly Sample[]>;
  /** Registers a function to call after each answer. */
  onAnswered: (observe: (answer: Answered) => void) => void;
  metricsToken: string | undefined;
}

export interface Answered {
  route: string;
  status: number;
  seconds: number;
}

/** The request comes from this machine itself, not through a proxy on it. */
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
  { pool, linkReady, counts, samples, onAnswered, metricsToken }: HealthDeps,
): void => {
  let asking: Promise<boolean> | null = null;
  /** One query to the database at a time, however many callers there are. */
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
  const answers = new Histogram({
    name: 'ampwatch_http_seconds',
    help: 'time to answer a call',
    labelNames: ['route', 'status'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  onAnswered(({ route, status, seconds }) =>
    answers.observe({ route, status: `${Math.floor(status / 100)}xx` }, seconds),
  );
  const gauges = new Map<string, Gauge>();
  const labelled = new Map<string, Gauge>();
  let sampling: Promise<readonly Sample[] | null> | null = null;
  /** If the database is down, the other values are still returned. */
  const takeSamples = () => {
    sampling ??= samples()
      .catch(() => null)
      .finally(() => {
        sampling = null;
      });
    return sampling;
  };
  const show = (taken: readonly Sample[]) => {
    for (const gauge of labelled.values()) gauge.reset();
    for (const { name, help, value, labels } of taken) {
      const gauge =
        labelled.get(name) ??
        new Gauge({
          name: `ampwatch_${name}`,
          help,
          labelNames: Object.keys(labels),
          registers: [registry],
        });
      labelled.set(name, gauge);
      gauge.set(labels, value);
    }
  };
  app.get('/metrics', async (request, reply) => {
    if (!isLoopback(request) && !hasToken(request, metricsToken)) return reply.status(403).send();
    for (const [name, value] of Object.entries(counts())) {
      const gauge =
        gauges.get(name) ??
        new Gauge({ name: `ampwatch_${name}`, help: name.replaceAll('_', ' '), registers: [registry] });
      gauges.set(name, gauge);
      gauge.set(value);
    }
    show((await takeSamples()) ?? []);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
};
