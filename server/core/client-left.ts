import type { FastifyReply } from 'fastify';

/**
 * Aborts when the client disconnects before the answer is sent. A request that was read completely does not
 * report that.
 */
export const clientLeft = ({ raw }: FastifyReply): AbortSignal => {
  const leaving = new AbortController();
  if (raw.destroyed) leaving.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
};
