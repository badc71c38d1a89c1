import type pg from 'pg';
import { packOld } from './partition-packing.ts';
import { dropOld, makeAhead } from './partitions.ts';

const everyMs = 6 * 3_600_000;

interface Timer {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

/** Makes partitions ahead, drops old ones and packs those of days that are over, at start and every six hours. */
export const partitionUpkeep = (
  pool: pg.Pool,
  clock: Timer,
  retentionDays: number,
  onError: (error: unknown) => void,
) => {
  const stopping = new AbortController();
  let cancel = () => {};
  let round = Promise.resolve();
  const tidy = async () => {
    try {
      await dropOld(pool, retentionDays, clock.now());
      await packOld(pool, clock.now(), stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) onError(error);
    }
  };
  const later = () => {
    cancel = clock.after(everyMs, () => {
      round = makeAhead(pool, clock.now()).catch(onError).then(tidy);
      later();
    });
  };
  return {
    /** Resolves when the partitions of today are there. */
    async start() {
      await makeAhead(pool, clock.now());
      round = tidy();
      later();
    },
    async stop() {
      cancel();
      stopping.abort();
      await round;
    },
  };
};
