import type { Writable } from 'node:stream';
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { currentRequestId } from './request-id.ts';

/**
 * PostgreSQL is away, starts, refuses connections or asks for another try: a fault of the moment, neither of the caller
 * nor of our code.
 */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Error &&
  ('code' in error && typeof error.code === 'string'
    ? /^(08|40|53|55P03|57P0)/.test(error.code) ||
      ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(error.code)
    : /connection terminated|timeout exceeded when trying to connect/i.test(error.message));

/** An error with its stack; a database that is away in one short line, since every part that needs it logs one. */
const described = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (!isDatabaseAway(error)) return pino.stdSerializers.err(error);
  return 'code' in error ? `${error.message} (${String(error.code)})` : error.message;
};

/** In every line that a call causes, however deep: its id, which its answer and the operation log carry too. */
const ofCall = () => {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { requestId };
};

/** What waits for a reader of the log who is slow or has stopped reading. */
const longestBacklog = 1_000_000;

/**
 * Writes lines to the standard output and never waits for its reader: pino's own way tries again and again, and the
 * process does nothing else meanwhile, not even end. What does not fit is dropped and counted. A reader who is gone is
 * no failure either.
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
