/** The only source of time in the server, so that tests can advance it. */
export interface Clock {
  now(): number;
  /** Milliseconds that only pass: whoever sets the wall clock does not move them. */
  steady(): number;
  /** Calls `run` once after `ms`; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
