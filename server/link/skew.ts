const window = 20;
const ignoredMs = 5_000;
/** Number of messages that must agree with the fastest one before the clock is accepted. */
const agreeing = 3;
const agreeMs = 1_000;
/** Messages that arrive this soon after a connection may have waited on the way. */
export const settleMs = 30_000;
const alarmMs = 60_000;
/** Below this skew the clock counts as right again. */
const rightMs = 50_000;
const onDelayMs = 300_000;
const offDelayMs = 60_000;

interface ClockSample {
  boot: number;
  seq: number;
  /** Device time. */
  t: number;
  receivedAt: number;
}
export interface ClockChange {
  wrong: boolean;
  /** Receive time minus device time, ms. */
  skew: number;
}

/**
 * The skew of a device clock: the minimum of receive time minus device time over the last 20 live messages,
 * because a delay on the way is only ever positive. Domain reference §5.4.
 */
export class Skew {
  #samples: number[] = [];
  #next = 0;
  #last: ClockSample | null = null;
  #provesFrom: number;
  /** The first message after a connection restarts the order. */
  #connected = true;
  /** The last reported state of finding 803; null: not known since the start of the server. */
  #reported: boolean | null = null;
  /** Since when the clock differs from the reported state. */
  #differsSince: number | null = null;
  /**
   * Whether enough messages have agreed about the clock since the start of the server and since the clock was
   * last set back.
   */
  #isKnown = false;
  /**
   * The minimum since the connection, or since the clock was set back, of messages that prove nothing yet.
   */
  #leastUnproved = Number.POSITIVE_INFINITY;
  /**
   * The last known value from before the connection or the start of the server, until a message gives a
   * better one.
   */
  #kept: number | null;
  /**
   * Receive time minus device time of the newest live message since the connection, or of a later answer if that
   * is more; null: there was none.
   */
  #newest: number | null = null;
  /** What `behind` was before the connection or the start of the server. */
  #keptBehind: number;
  /** Added to the device's time; 0 while the clock is right within 5 s. */
  correction: number;
  /** Too few messages have arrived since the clock was set back to know by how much. */
  isStepped = false;
  /** The device connected anew, or restarted, and no live message has arrived since. */
  isAwaited = false;
  /** The server's clock was set, and no live message has arrived since. */
  isUnknown: boolean;
  /** Messages that arrived before the server's clock was set forward have times of the clock as it was. */
  #timedFrom = Number.NEGATIVE_INFINITY;

  constructor(
    persisted: number,
    loadedAt: number,
    estimate = persisted,
    isUnknown = false,
    behind: number = estimate,
  ) {
    this.correction = persisted;
    this.#kept = estimate;
    this.#keptBehind = behind;
    this.#provesFrom = loadedAt + settleMs;
    this.isUnknown = isUnknown;
    this.isStepped = isUnknown;
  }

  /**
   * The server's clock was set by `ms` and now shows `now`; or the computer slept. Until the next message the
   * estimate is the one by which a device does not take a message for expired.
   */
  serverStepped(ms: number, now: number): void {
    const earliest = this.estimate + Math.min(ms, 0);
    this.#keptBehind = this.behind + ms;
    this.#forget();
    this.#kept = earliest;
    this.isUnknown = true;
    if (ms > 0) this.#timedFrom = now - ms;
  }

  connected(at: number): void {
    this.#provesFrom = Math.max(this.#provesFrom, at + settleMs);
    this.#connected = true;
    this.#kept = this.estimate;
    this.#leastUnproved = Number.POSITIVE_INFINITY;
    this.#keptBehind = this.behind;
    this.#newest = null;
  }

  /** The device may have restarted, and its clock may have stood still. Decision 0556. */
  restarted(): void {
    this.isAwaited = true;
  }

  /** The boot of the newest sample; null: there was none. */
  get boot(): number | null {
    return this.#last?.boot ?? null;
  }

  /**
   * An answer of the device shows its clock, too. It may have waited in the device: it proves nothing else, and
   * only makes messages expire earlier.
   */
  answered(t: number, receivedAt: number): void {
    const behind = Math.max(this.behind, receivedAt - t);
    if (this.#newest === null) this.#keptBehind = behind;
    else this.#newest = behind;
  }

  /**
   * The most by which the clock may be behind: by it no message is obeyed too late. A delay on the way makes it
   * larger, so that a message expires early. Only the newest message counts, because the clock may have been set
   * back before it, by less than the time between two messages. Decision 0556.
   */
  get behind(): number {
    return this.#newest ?? this.#keptBehind;
  }

  /**
   * The correction for expiries, known from the first message on: a clock that is ahead is certainly at least
   * that far ahead, because a delay only hides it. A clock that seems behind may be right and its messages
   * late. After a step the least difference counts in both directions: by it no message is obeyed too late.
   */
  get estimate(): number {
    if (this.isStepped && this.#leastUnproved !== Number.POSITIVE_INFINITY) return this.#leastUnproved;
    if (this.#leastUnproved === Number.POSITIVE_INFINITY) return this.#kept ?? this.correction;
    return this.#leastUnproved < Math.min(this.correction, 0) - ignoredMs
      ? this.#leastUnproved
      : this.correction;
  }

  /**
   * Adds the time of one live message; returns the change of finding 803, if any. Before `provesFrom`
   * messages may have waited for the link.
   */
  take(sample: ClockSample, provesFrom: number): ClockChange | null {
    const last = this.#last;
    const isNext =
      last === null || sample.boot > last.boot || (sample.boot === last.boot && sample.seq > last.seq);
    if (!isNext && !this.#connected) return null; // repeated or late messages prove nothing
    if (isNext && last !== null && sample.t < last.t - ignoredMs) this.#forget();
    this.#last = sample;
    this.#connected = false;
    if (sample.receivedAt < this.#timedFrom) return null;
    this.isUnknown = false;
    this.isAwaited = false;
    this.#newest = sample.receivedAt - sample.t;
    this.#leastUnproved = Math.min(this.#leastUnproved, sample.receivedAt - sample.t);
    if (sample.receivedAt < Math.max(provesFrom, this.#provesFrom)) return null;
    this.#samples[this.#next] = sample.receivedAt - sample.t;
    this.#next = (this.#next + 1) % window;
    this.#decide();
    return this.#report(sample.receivedAt);
  }

  /** The clock was set back: earlier messages say nothing about it now. */
  #forget(): void {
    this.#samples = [];
    this.#next = 0;
    this.isStepped = true;
    this.#isKnown = false;
    this.#kept = null;
    this.#leastUnproved = Number.POSITIVE_INFINITY;
    this.#newest = null;
  }

  #decide(): void {
    let least = Number.POSITIVE_INFINITY;
    for (const sample of this.#samples) if (sample < least) least = sample;
    let agree = 0;
    for (const sample of this.#samples) if (sample - least <= agreeMs) agree += 1;
    if (agree < agreeing) return;
    this.isStepped = false;
    this.#isKnown = true;
    this.#kept = null;
    this.#leastUnproved = Number.POSITIVE_INFINITY;
    this.correction = Math.abs(least) > ignoredMs ? least : 0;
  }

  /** 803 has its own on-delay and off-delay. */
  #report(now: number): ClockChange | null {
    const size = Math.abs(this.correction);
    const wrong = size > (this.#reported === true ? rightMs : alarmMs);
    if (wrong === this.#reported || !this.#isKnown) {
      this.#differsSince = null;
      return null;
    }
    this.#differsSince ??= now;
    if (now - this.#differsSince < (wrong ? onDelayMs : offDelayMs)) return null;
    this.#reported = wrong;
    this.#differsSince = null;
    return { wrong, skew: this.correction };
  }
}
