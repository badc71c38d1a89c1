import type { Logger } from 'pino';
import { say } from './stack.ts';

/** An ending in order that takes longer than this is cut off: what is acknowledged is on disk all the same. */
const endingMs = 20_000;

/**
 * Ends the process in order on Ctrl-C, and after an error that nothing caught: what is being written is finished, and
 * the exit code is 1. Returns whether it is ending.
 */
export const endInOrder = (unwind: () => Promise<void>, log: Logger): (() => boolean) => {
  let ending = false;
  const end = (why: string, exitCode: number) => {
    if (ending) return;
    ending = true;
    say(`Stopping (${why}) …`);
    setTimeout(() => process.exit(exitCode || 1), endingMs).unref();
    void unwind().then(
      () => process.exit(exitCode),
      () => process.exit(1),
    );
  };
  const unexpected = (kind: string) => (error: unknown) => {
    log.fatal({ err: error }, kind);
    end(kind, 1);
  };
  process.on('SIGINT', () => end('Ctrl-C', 0));
  process.on('SIGTERM', () => end('terminated', 0));
  process.on('uncaughtException', unexpected('an error that nothing caught'));
  process.on('unhandledRejection', unexpected('a rejection that nothing handled'));
  return () => ending;
};
