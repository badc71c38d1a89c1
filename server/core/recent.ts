/** The clocks of two nodes, or of a node and the database, may differ by this. */
export const clocksDifferMs = 5_000;

/**
 * Whether something happened less than `ms` ago. A time in the future is from before the clock was set back: it is not
 * recent, because nothing says how old it is, and nothing is held back for the length of the step.
 */
export const isRecent = (at: number, now: number, ms: number): boolean =>
  now - at < ms && now - at >= -clocksDifferMs;
