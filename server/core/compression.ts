import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const compressed = promisify(gzip);
/** Smaller answers hardly gain. Secrets that an answer may show are in small ones, so their length says nothing. */
const leastBytes = 16 * 1024;
/** Most of what the highest level saves, at a fifth of its time; off the main thread. */
const level = 4;

const takesGzip = (accepted: string | undefined): boolean =>
  accepted !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);

/** Large answers of calls travel compressed to callers who read it. Files of the console are compressed once, by its build. */
export const addCompression = (app: FastifyInstance): void => {
  app.addHook('onSend', async (request, reply, payload) => {
    const isLarge = typeof payload === 'string' && payload.length >= leastBytes;
    if (!isLarge || request.method !== 'POST' || !takesGzip(request.headers['accept-encoding']))
      return payload;
    reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding');
    return compressed(payload, { level });
  });
};
