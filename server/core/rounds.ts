import type { Logger } from 'pino';
import type { Clock } from './clock.ts';

export interface Rounds {
  start(): void;
  /** There may be something to do now. */
  wake(): void;
  /** Resolves when the round under way is over; no other follows. */
  stop(): Promise<void>;
}
const retryMs = 1000;

/**
 * Work that comes due by the clock. `round` does what is due and says when to look again (ms, null: not before
 * `longestMs`); rounds never overlap, one that fails is tried again after a second.
 */
export const createRounds = ({
  name,
  clock,
  log,
  longestMs = 60_000,
  round,
}: {
  name: string;
  clock: Clock;
  log: Logger;
  longestMs?: number;
  round: () => Promise<number | null>;
}): Rounds => {
  let running: Promise<void> | null = null;
  let woken = false;
  let stopped = true;
  let cancel = () => {};

  const sleepUntil = (at: number): void => {
    cancel();
    if (!stopped) cancel = clock.after(Math.min(at - clock.now(), longestMs), wake);
  };
  const work = async (): Promise<void> => {
    let nextAt: number | null = null;
    do {
      woken = false;
      try {
        nextAt = await round();
      } catch (error) {
        log.error({ err: error }, `${name}: a round failed`);
        nextAt = clock.now() + retryMs;
        break;
      }
    } while (woken && !stopped);
    running = null;
    if (woken || (nextAt !== null && nextAt <= clock.now())) wake();
    else sleepUntil(nextAt ?? Number.POSITIVE_INFINITY);
  };
  const wake = (): void => {
    if (stopped) return;
    if (running) {
      woken = true;
      return;
    }
    cancel();
    running = work();
  };
  return {
    start() {
      stopped = false;
      wake();
    },
    wake,
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
};
