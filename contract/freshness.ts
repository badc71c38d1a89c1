/**
 * How long a report counts as the present state of its line, in ms: twice the upload interval of the device.
 */
export const freshMs = (intervalSeconds: number): number => 2 * intervalSeconds * 1000;

/**
 * Whether a fact with this time is still current. An older fact proves nothing and permits nothing. A time
 * far in the future comes from a wrong clock and does not count either. Times in ms; null: never reported.
 */
export const isFresh = (at: number | null, now: number, intervalSeconds: number): boolean =>
  at !== null && Math.abs(now - at) <= freshMs(intervalSeconds);

/**
 * Whether the server has heard from a device recently, by the server's own clock. After that clock was set
 * back the time lies in the future, and the device still counts as heard from.
 */
export const heardLately = (at: number | null, now: number, intervalSeconds: number): boolean =>
  at !== null && now - at <= freshMs(intervalSeconds);
