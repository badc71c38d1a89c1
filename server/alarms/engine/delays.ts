/**
 * When a measured value becomes an alarm and when the alarm ends: pure decisions over samples by device time.
 */

/** Since when a value has been beyond its limits or back within them; device time in ms, NaN if it is not. */
export interface Watch {
  early: number;
  alarm: number;
  normal: number;
  /**
   * A device ended its own alarm: the server raises none until a value is within the limits, or the values
   * contradict the device for several on-delays.
   */
  blocked: boolean;
}
export interface Timing {
  onMs: number;
  offMs: number;
  /** The first sample is sufficient. */
  atOnce: boolean;
}
/** 'early' and 'alarm': the value newly reached that level; 'still': it is beyond a limit as before. */
export type Verdict = 'nothing' | 'early' | 'alarm' | 'still' | 'normal';

export const freshWatch = (): Watch => ({
  early: Number.NaN,
  alarm: Number.NaN,
  normal: Number.NaN,
  blocked: false,
});

// Devices send slightly before or after their interval: the two samples that span a delay may be closer by
// this much.
const toleranceMs = (delayMs: number) => Math.min(2000, delayMs / 20);
const lasted = (since: number, at: number, delayMs: number) => at - since >= delayMs - toleranceMs(delayMs);

/** Values must be beyond their limit for this many on-delays, and twice, before they overrule a device's end. */
const overrulingDelays = 3;

/** Whether a delay has begun and is not over at this time. */
export const isRunning = (since: number, at: number, delayMs: number): boolean =>
  !Number.isNaN(since) && !lasted(since, at, delayMs);

/**
 * Adds one sample to the watch and returns its meaning (domain reference §3.1, §3.2 rule 1). `level`: the
 * level whose limit the sample exceeds, 0 for none. `normal`: it is also past the deadband. `activeLevel`:
 * the level of the active alarm, 0 for none. Samples come in the order of the device. A delay counts from the
 * first sample that shows the violation to a later one that still shows it (two-sample rule). Two consecutive
 * samples complete it however far apart they are: a device that reports once an hour alarms too. After the clock was
 * set back, a running delay counts from the first sample since.
 */
export const step = (
  watch: Watch,
  timing: Timing,
  at: number,
  level: 0 | 1 | 2,
  normal: boolean,
  activeLevel: 0 | 1 | 2,
): Verdict => {
  startAgain(watch, at);
  if (level === 0) {
    watch.early = Number.NaN;
    watch.alarm = Number.NaN;
    watch.blocked = false;
    if (!normal) {
      watch.normal = Number.NaN;
      return 'nothing';
    }
    if (Number.isNaN(watch.normal)) watch.normal = at;
    return activeLevel > 0 && lasted(watch.normal, at, timing.offMs) ? 'normal' : 'nothing';
  }
  watch.normal = Number.NaN;
  if (Number.isNaN(watch.early)) watch.early = at;
  if (level === 1) watch.alarm = Number.NaN;
  else if (Number.isNaN(watch.alarm)) watch.alarm = at;
  if (watch.blocked && (at === watch.early || !lasted(watch.early, at, overrulingDelays * timing.onMs)))
    return 'nothing';
  watch.blocked = false;
  const onMs = timing.atOnce ? 0 : timing.onMs;
  const reached = lasted(watch.alarm, at, onMs) ? 2 : lasted(watch.early, at, onMs) ? 1 : 0;
  if (reached > activeLevel) return reached === 2 ? 'alarm' : 'early';
  return activeLevel > 0 ? 'still' : 'nothing';
};

/** The clock was set back since: a delay never lasts longer for that. */
const startAgain = (watch: Watch, at: number): void => {
  if (watch.early > at) watch.early = at;
  if (watch.alarm > at) watch.alarm = at;
  if (watch.normal > at) watch.normal = at;
};

/** No delay is running: the watch may be removed. */
export const isIdle = (watch: Watch): boolean =>
  !watch.blocked && Number.isNaN(watch.early) && Number.isNaN(watch.alarm);

/**
 * From the third consecutive activation of a condition on, each within this time of the previous end, all are
 * one chattering alarm.
 */
const chatteringWindowMs = 3_600_000;
const chatteringCount = 3;
/**
 * For this time since its last activation an alarm counts as chattering: its off-delay is multiplied by four.
 */
export const chatteringHoldMs = 3_600_000;
const chatteringFactor = 4;
/** Minimum time that chattering alarms without an off-delay stay active. */
const leastHoldMs = 300_000;

export interface Chatter {
  /** Consecutive activations, each within an hour of the end of the previous one. */
  activations: number;
  /** When the last activation ended; NaN before the first end. */
  endedAt: number;
  chatteringUntil: number;
}
export const freshChatter = (): Chatter => ({ activations: 0, endedAt: Number.NaN, chatteringUntil: 0 });

/**
 * Counts an activation. From the third consecutive activation of a key on, its alarm is chattering (domain
 * reference §3.2 rule 3).
 */
export const countActivation = (chatter: Chatter, at: number): void => {
  chatter.activations = at - chatter.endedAt <= chatteringWindowMs ? chatter.activations + 1 : 1;
  if (chatter.activations >= chatteringCount) chatter.chatteringUntil = at + chatteringHoldMs;
};
/** Whether earlier activations no longer matter. */
export const isSettled = ({ endedAt, chatteringUntil }: Chatter, at: number): boolean =>
  at >= chatteringUntil && !(at - endedAt <= chatteringWindowMs);
/** How long values must be normal, or the source silent, before a chattering alarm ends. */
export const holdMs = (offMs: number): number => (offMs > 0 ? chatteringFactor * offMs : leastHoldMs);
