import type { Logger } from 'pino';
import { type Stack, say } from './stack.ts';

/** EX_TEMPFAIL of sysexits.h: a restart continues. */
const againCode = 75;

/** A shutdown that takes longer than this is aborted: acknowledged data is already on disk. */
const endingMs = 20_000;

interface Ending {
  isStopping(): boolean;
  /**
   * Stops in order and restarts, as the same process with the same arguments. If it cannot, it ends with a
   * code for which its supervisor restarts it, and reports what is needed.
   */
  restart(why: string): void;
  /** From now on the process has a limited time until it ends with this code. */
  limit(exitCode: number): void;
}

/**
 * Ends the process in order on Ctrl-C, and after an uncaught error: current writes are finished, and the exit
 * code is 1.
 */
export const endInOrder = (
  stack: Pick<Stack, 'unwind' | 'ending'>,
  log: Logger,
  {
    obstacle = async () => null,
    withinMs = endingMs,
  }: {
    /** Why the process cannot restart by itself; null: it can. */
    obstacle?: () => Promise<string | null>;
    withinMs?: number;
  } = {},
): Ending => {
  let ending = false;
  const limit = (exitCode: number) => {
    setTimeout(() => {
      log.fatal({ part: stack.ending(), seconds: withinMs / 1000 }, 'did not end in time and is cut off');
      process.exit(exitCode);
    }, withinMs).unref();
  };
  const end = (why: string, exitCode: number, after: () => void = () => process.exit(exitCode)) => {
    if (ending) return;
    ending = true;
    say(`Stopping (${why}) …`);
    limit(exitCode || 1);
    void stack.unwind().then(after, () => process.exit(1));
  };
  const unexpected = (kind: string) => (error: unknown) => {
    log.fatal({ err: error }, kind);
    end(kind, 1);
  };
  process.on('SIGINT', () => end('Ctrl-C', 0));
  process.on('SIGTERM', () => end('terminated', 0));
  process.on('uncaughtException', unexpected('an error that nothing caught'));
  process.on('unhandledRejection', unexpected('a rejection that nothing handled'));
  const restart = async (why: string) => {
    const needed = await obstacle();
    if (needed === null) return end(why, 0, beginAnew);
    end(why, againCode, () => {
      say(`Start Ampwatch again as root to go on: ${needed}. Nothing is lost.`);
      process.exit(againCode);
    });
  };
  return { isStopping: () => ending, restart: (why) => void restart(why), limit };
};

/** If the system cannot replace a process (Windows), its supervisor starts it again. */
const beginAnew = (): void => {
  if (process.execve === undefined) {
    say('Start Ampwatch again to go on.');
    process.exit(0);
  }
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    process.env,
  );
};
