import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const compressed = promisify(gzip);
/**
 * Smaller answers gain almost nothing. Answers with secrets are small, so a compressed length cannot reveal
 * them.
 */
const leastBytes = 16 * 1024;
/** Most of the compression of the highest level, in a fifth of its time; off the main thread. */
const level = 4;

const takesGzip = (accepted: string | undefined): boolean =>
  accepted !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);

/**
 * Compresses large answers for callers that accept it. Files of the console are compressed once, by its
 * build.
 */
export const addCompression = (app: FastifyInstance): void => {
  app.addHook('onSend', async (request, reply, payload) => {
    const isLarge = typeof payload === 'string' && payload.length >= leastBytes;
    if (!isLarge || request.method !== 'POST' || !takesGzip(request.headers['accept-encoding']))
      return payload;
    reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding');
    return compressed(payload, { level });
  });
};
