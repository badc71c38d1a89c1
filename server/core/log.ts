import type { Writable } from 'node:stream';
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { currentRequestId } from './request-id.ts';

/**
 * PostgreSQL is down, starting, refuses connections or asks for a retry: a temporary fault, not of the caller
 * or the product.
 */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Error &&
  ('code' in error && typeof error.code === 'string'
    ? /^(08|40|53|55P03|57P0)/.test(error.code) ||
      ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(error.code)
    : /connection terminated|timeout exceeded when trying to connect/i.test(error.message));

/**
 * An error with its stack; a missing database in one short line, because every part that needs it logs one.
 */
const described = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (!isDatabaseAway(error)) return pino.stdSerializers.err(error);
  return 'code' in error ? `${error.message} (${String(error.code)})` : error.message;
};

/** Adds the call's id to every line that the call causes; its answer and the operation log contain it too. */
const ofCall = () => {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { requestId };
};

/** Maximum backlog for a log reader that is slow or has stopped reading, in characters. */
const longestBacklog = 1_000_000;

/**
 * Writes lines to the standard output without waiting for its reader: pino's own writer retries in a loop,
 * and meanwhile the process does nothing else and cannot even end. Lines that do not fit are dropped and
 * counted. A missing reader is not an error either.
 */
export const unblocked = (output: Writable): DestinationStream => {
  let dropped = 0;
  output.on('error', () => {});
  return {
    write(line) {
      if (output.writableLength + line.length > longestBacklog) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        const gap = {
          level: 40,
          time: Date.now(),
          dropped,
          msg: 'lines of the log were dropped: nobody read it',
        };
        dropped = 0;
        output.write(`${JSON.stringify(gap)}\n`);
      }
      output.write(line);
    },
  };
};

/** The log of a process; LOG_LEVEL sets its level. */
export const createLog = (options: LoggerOptions, destination?: DestinationStream): Logger =>
  pino(
    { mixin: ofCall, ...options, serializers: { err: described, error: described } },
    ...(destination ? [destination] : []),
  );
