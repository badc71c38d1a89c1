/** When a measured value becomes an alarm and when it ends: pure decisions over samples by device time. */

/** Since when a value is beyond its limits or back within them; device time in ms, NaN for 'not'. */
export interface Watch {
  early: number;
  alarm: number;
  normal: number;
  /** A device ended its own alarm: the server keeps still until it has seen a normal value itself. */
  blocked: boolean;
}
export interface Timing {
  onMs: number;
  offMs: number;
  /** Believed on the first sample that shows it. */
  atOnce: boolean;
}
/** 'early' and 'alarm': that level is reached and was not before; 'still': beyond a limit as before. */
export type Verdict = 'nothing' | 'early' | 'alarm' | 'still' | 'normal';

export const freshWatch = (): Watch => ({
  early: Number.NaN,
  alarm: Number.NaN,
  normal: Number.NaN,
  blocked: false,
});

// Devices send a little before or after their interval: the two samples that span a delay may be this much nearer.
const toleranceMs = (delayMs: number) => Math.min(2000, delayMs / 20);
const lasted = (since: number, at: number, delayMs: number) => at - since >= delayMs - toleranceMs(delayMs);

/**
 * Takes one sample into the watch and says what it means (domain reference §3.1, §3.2 rule 1).
 * `level`: the level whose limit the sample is beyond, 0 for none. `normal`: it is also past the deadband.
 * `activeLevel`: the level of the alarm that stands, 0 for none. Samples come in order of device time.
 * A delay counts from the first sample that shows the violation to a later one that still shows it (two-sample
 * rule). Two consecutive samples complete it however far apart they are: a device that reports once an hour alarms
 * too.
 */
export const step = (
  watch: Watch,
  timing: Timing,
  at: number,
  level: 0 | 1 | 2,
  normal: boolean,
  activeLevel: 0 | 1 | 2,
): Verdict => {
  if (level === 0) {
    watch.early = Number.NaN;
    watch.alarm = Number.NaN;
    if (!normal) {
      watch.normal = Number.NaN;
      return 'nothing';
    }
    watch.blocked = false;
    if (Number.isNaN(watch.normal)) watch.normal = at;
    return activeLevel > 0 && lasted(watch.normal, at, timing.offMs) ? 'normal' : 'nothing';
  }
  watch.normal = Number.NaN;
  if (Number.isNaN(watch.early)) watch.early = at;
  if (level === 1) watch.alarm = Number.NaN;
  else if (Number.isNaN(watch.alarm)) watch.alarm = at;
  if (watch.blocked) return 'nothing';
  const onMs = timing.atOnce ? 0 : timing.onMs;
  const reached = lasted(watch.alarm, at, onMs) ? 2 : lasted(watch.early, at, onMs) ? 1 : 0;
  if (reached > activeLevel) return reached === 2 ? 'alarm' : 'early';
  return activeLevel > 0 ? 'still' : 'nothing';
};

/** Nothing pending: the watch may be forgotten. */
export const isIdle = (watch: Watch): boolean =>
  !watch.blocked && Number.isNaN(watch.early) && Number.isNaN(watch.alarm);

const chatteringWindowMs = 60_000;
const chatteringCount = 3;
export const chatteringHoldMs = 3_600_000;
/** True when this activation is the third of one key within 60 s (§3.2 rule 3). */
export const isChattering = (raisedAt: readonly number[], at: number): boolean =>
  raisedAt.filter((time) => at - time <= chatteringWindowMs).length >= chatteringCount;
/** The activations that still count. */
export const recentRaises = (raisedAt: readonly number[], at: number): number[] =>
  raisedAt.filter((time) => at - time <= chatteringWindowMs).slice(-chatteringCount);
