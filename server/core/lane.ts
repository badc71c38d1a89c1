/** Thrown when a lane has its maximum of waiting jobs. */
export class LaneFull extends Error {}

export type Lane = <Result>(job: () => Promise<Result>) => Promise<Result>;

/**
 * Runs at most `atOnce` jobs in parallel and lets at most `waiting` others wait, in order; more are refused.
 */
export const createLane = ({ atOnce, waiting }: { atOnce: number; waiting: number }): Lane => {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new LaneFull('lane full');
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running += 1;
    try {
      return await job();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
};
