import { randomUUID } from 'node:crypto';
import { type IncomingMessage, maxHeaderSize } from 'node:http';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type pg from 'pg';
import type { Logger } from 'pino';
import { endpoints } from '#contract/endpoints.ts';
import { languageCookie, languageFrom } from '#contract/languages.ts';
import { limits } from '#contract/limits.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { addCompression } from './core/compression.ts';
import type { Config } from './core/config.ts';
import { Fault } from './core/fault.ts';
import type { Answered } from './core/health.ts';
import type { Live } from './core/live.ts';
import { openApi } from './core/openapi.ts';
import { readableUrl } from './core/readable-url.ts';
import { withRequestId } from './core/request-id.ts';
import { createServe, faultAnswer, isUnusable, requestIdOf, type Serve } from './core/serve.ts';
import { createStrangers, type Strangers } from './core/strangers.ts';

interface AppDeps extends CoreDeps {
  pool: pg.Pool;
  live: Live;
  trustProxy: Config['trustProxy'];
  version: string;
  tls?: { cert: Buffer; key: Buffer };
  /** Tells browsers never to request these pages without TLS again. */
  onlyHttps?: boolean;
  /** The limits of callers without a session, if another part reads their counts; else the server's own. */
  strangers?: Strangers;
  /** Called after each answer of the server. */
  onAnswered?: (answer: Answered) => void;
}

/** A call that takes longer is written to the log. */
const slowSeconds = 2;

/**
 * The policy for a page that has none of its own; data may load nothing. Scripts and styles get no policy,
 * because the policy of a service worker would forbid its own requests.
 */
const policyFor = (contentType: string): string | null => {
  if (contentType.startsWith('text/html'))
    return "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
  return contentType.startsWith('application/json') ? "default-src 'none'; frame-ancestors 'none'" : null;
};

/** Adds the headers that restrict what a browser does with an answer. */
const secure = (reply: FastifyReply, onlyHttps: AppDeps['onlyHttps']): void => {
  reply
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('x-frame-options', 'DENY');
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  if (onlyHttps) reply.header('strict-transport-security', 'max-age=31536000');
  if (!reply.hasHeader('content-security-policy')) {
    const policy = policyFor(String(reply.getHeader('content-type') ?? ''));
    if (policy) reply.header('content-security-policy', policy);
  }
};

const createFastify = ({ tls, trustProxy }: Pick<AppDeps, 'tls' | 'trustProxy'>): FastifyInstance => {
  const options = {
    bodyLimit: 1024 * 1024,
    // Fastify itself trusts no proxy when it is given a number.
    trustProxy:
      typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy,
    requestTimeout: limits.requestTimeoutMs,
    // Connections of a stopping server are closed, streams included.
    forceCloseConnections: true as const,
    // Parameters may be as long as an address can be, so that every address finds its route.
    routerOptions: { caseSensitive: true, maxParamLength: maxHeaderSize },
    rewriteUrl: ({ url = '/' }: IncomingMessage) => readableUrl(url),
  };
  // Node checks for late requests only from time to time, and would allow headers a minute.
  const late = {
    connectionsCheckingInterval: limits.requestTimeoutMs / 10,
    headersTimeout: limits.requestTimeoutMs,
  };
  return tls
    ? (Fastify({ ...options, https: { ...tls, ...late } }) as FastifyInstance)
    : Fastify({ ...options, http: late });
};

/** Each call's id, in its answer and in every log entry. */
const addRequestIds = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const requestId = requestIdOf(request);
    reply.header('x-request-id', requestId);
    withRequestId(requestId, done);
  });
  // Body events run in the context of the socket, so the context of the call is entered again.
  app.addHook('preValidation', (_request, reply, done) =>
    withRequestId(String(reply.getHeader('x-request-id')), done),
  );
};

/** Faults outside of calls: unreadable requests, unknown paths, and errors of the server. */
const addFaults = (app: FastifyInstance, log: Logger): void => {
  app.setErrorHandler((error, request, reply) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const language = languageFrom(request.cookies?.[languageCookie], request.headers['accept-language']);
    const tooLarge = code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'FST_REQ_FILE_TOO_LARGE';
    // A caller who disconnects while sending is not an error.
    const left = code === 'ECONNRESET' || code === 'ECONNABORTED';
    const known =
      tooLarge || left || code.startsWith('FST_') || error instanceof SyntaxError || isUnusable(error);
    const requestId = String(reply.getHeader('x-request-id') ?? randomUUID());
    if (!known) log.error({ err: error, requestId, path: request.url.split('?')[0] }, 'request failed');
    const fault = tooLarge ? 'request.tooLarge' : known ? 'request.malformed' : 'server.failed';
    const { status, answer } = faultAnswer(
      new Fault(fault, known ? {} : { data: { request_id: requestId } }),
      language,
    );
    return reply.status(status).send(answer);
  });
  app.setNotFoundHandler((request, reply) => {
    const language = languageFrom(request.cookies?.[languageCookie], request.headers['accept-language']);
    const { status, answer } = faultAnswer(new Fault('thing.missing'), language);
    return reply.status(status).send(answer);
  });
};

const addMeasures = (
  app: FastifyInstance,
  { log, onAnswered }: Pick<AppDeps, 'log' | 'onAnswered'>,
): void => {
  app.addHook('onResponse', async (request, reply) => {
    // All unknown paths have one label, because their number is unlimited.
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const seconds = reply.elapsedTime / 1000;
    const isStream = reply.getHeader('content-type') === 'text/event-stream';
    if (!isStream) onAnswered?.({ route, status: reply.statusCode, seconds });
    const requestId = String(reply.getHeader('x-request-id') ?? '');
    const about = { requestId, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    if (seconds > slowSeconds && !isStream) log.warn(about, 'slow call');
    else log.debug(about, 'call');
  });
};

/** The HTTP server without features: `bind` adds them. It does not listen yet. */
export const buildApp = async (
  deps: AppDeps,
  bind: (serve: Serve, app: FastifyInstance) => void,
): Promise<FastifyInstance> => {
  const app = createFastify(deps);
  await app.register(cookie);
  await app.register(formbody);
  await app.register(multipart, { limits: { fileSize: limits.imageBytes, files: 4, fields: 40 } });
  const document = openApi(endpoints, deps.version);
  await app.register(swagger, {
    mode: 'static',
    specification: { document: document as unknown as StaticDocumentSpec['document'] },
  });
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true });
  addRequestIds(app);
  addFaults(app, deps.log);
  addMeasures(app, deps);
  app.addHook('onSend', async (_request, reply) => secure(reply, deps.onlyHttps));
  addCompression(app);

  // Made once, so that callers without a session cost no more than sending it.
  const description = JSON.stringify(document);
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(description),
  );
  app.get('/healthz', () => ({ status: 'up' }));

  bind(createServe(app, { ...deps, strangers: deps.strangers ?? createStrangers(deps.log) }), app);
  return app;
};
