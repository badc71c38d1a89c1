import type { Logger } from 'pino';
import type { Clock } from './clock.ts';

interface Rounds {
  /** Runs the first round at once, or at `at`. */
  start(at?: number): void;
  /** Runs a round, because there may be work now. */
  wake(): void;
  /** Runs a round at that time, unless one runs earlier. */
  wakeAt(at: number): void;
  isBusy(): boolean;
  /** Resolves when no round is running. */
  settled(): Promise<void>;
  /** Resolves when the running round has ended; no other follows. */
  stop(): Promise<void>;
}
const retryMs = 1000;

export interface RoundReport {
  startedAt: number;
  endedAt: number;
  /** Absent: the round succeeded. */
  error?: unknown;
  /** When the next round runs, unless it is woken earlier. */
  nextAt: number | null;
}

/**
 * Work that comes due by the clock. `round` does the due work and returns when the next round is due (ms,
 * null: not before `longestMs`); rounds never overlap. A failed round is retried after a second and not
 * earlier: wakes in between do not count, because the usual cause is a database that is down.
 */
export const createRounds = ({
  name,
  clock,
  log,
  longestMs = 60_000,
  round,
  onRound,
}: {
  name: string;
  clock: Clock;
  log: Logger;
  longestMs?: number;
  round: () => Promise<number | null>;
  onRound?: ((report: RoundReport) => void) | undefined;
}): Rounds => {
  let running: Promise<void> = Promise.resolve();
  let busy = false;
  let woken = false;
  let pausing = false;
  let stopped = true;
  let cancel = () => {};
  let sleepsUntil = Number.POSITIVE_INFINITY;
  /** Requested during a round. */
  let wantedAt = Number.POSITIVE_INFINITY;

  const sleepUntil = (at: number): void => {
    cancel();
    if (stopped) return;
    sleepsUntil = at;
    cancel = clock.after(Math.min(at - clock.now(), longestMs), () => {
      pausing = false;
      wake();
    });
  };
  const work = async (): Promise<void> => {
    let nextAt: number | null = null;
    do {
      woken = false;
      wantedAt = Number.POSITIVE_INFINITY;
      const startedAt = clock.now();
      try {
        nextAt = await round();
      } catch (error) {
        log.error({ err: error }, `${name}: a round failed`);
        nextAt = clock.now() + retryMs;
        onRound?.({ startedAt, endedAt: clock.now(), error, nextAt });
        busy = false;
        pausing = true;
        sleepUntil(nextAt);
        return;
      }
      onRound?.({ startedAt, endedAt: clock.now(), nextAt });
    } while (woken && !stopped);
    busy = false;
    const at = Math.min(nextAt ?? Number.POSITIVE_INFINITY, wantedAt);
    if (woken || at <= clock.now()) wake();
    else sleepUntil(at);
  };
  const wake = (): void => {
    if (stopped || pausing) return;
    if (busy) {
      woken = true;
      return;
    }
    cancel();
    busy = true;
    running = work();
  };
  return {
    start(at) {
      stopped = false;
      pausing = false;
      if (at === undefined) wake();
      else sleepUntil(at);
    },
    wake,
    wakeAt(at) {
      if (stopped || pausing) return;
      if (busy) wantedAt = Math.min(wantedAt, at);
      else if (at <= clock.now()) wake();
      else if (at < sleepsUntil) sleepUntil(at);
    },
    isBusy: () => busy,
    async settled() {
      while (busy) await running;
    },
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
};
