/**
 * How long a report of a line counts as its present state, in ms: twice the upload interval of its device.
 */
export const freshMs = (intervalSeconds: number): number => 2 * intervalSeconds * 1000;

/**
 * Whether a fact with this time is still current. An older fact proves nothing and permits nothing; the same
 * holds for a time far in the future, which a wrong clock made. Times in ms; null: never reported.
 */
export const isFresh = (at: number | null, now: number, intervalSeconds: number): boolean =>
  at !== null && Math.abs(now - at) <= freshMs(intervalSeconds);

/**
 * Whether the server has heard from a device recently, by the server's own clock. After that clock was set
 * back the time lies in the future, and the device still counts as heard from.
 */
export const heardLately = (at: number | null, now: number, intervalSeconds: number): boolean =>
  at !== null && now - at <= freshMs(intervalSeconds);
