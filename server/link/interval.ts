const gapsKept = 7;
const gapsNeeded = 3;
/** No device is set to report more rarely than once an hour. */
const longestMs = 3_600_000;
/** Faster reports after an event do not change the learned interval before this time has passed. */
const unlearnMs = 3_600_000;

/**
 * The intervals between the last readings of a line. Intervals in which a reading is missing are left out.
 */
export class Gaps {
  readonly #gaps: number[] = [];
  #next = 0;

  /** Adds one interval; returns the median of the last ones, null while there are too few. */
  take(gap: number): number | null {
    this.#gaps[this.#next] = gap;
    this.#next = (this.#next + 1) % gapsKept;
    if (this.#gaps.length < gapsNeeded) return null;
    return this.#gaps.toSorted((a, b) => a - b)[this.#gaps.length >> 1]!;
  }
}

/**
 * The real reporting interval of a device that reports less often than configured. Learned from three
 * readings on, forgotten only after an hour of more frequent ones.
 */
export class Interval {
  /** Null while the device reports as configured. */
  learntSeconds: number | null;
  /** When an interval last confirmed the learned one. */
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(learntSeconds: number | null) {
    this.learntSeconds = learntSeconds;
  }

  /** Adds an interval that ends at `at`; true if `learntSeconds` changed. */
  take(gaps: Gaps, gap: number, at: number, knownSeconds: number): boolean {
    if (gap <= 0 || gap > longestMs * 1.1) return false;
    const median = gaps.take(gap);
    const learntMs = (this.learntSeconds ?? 0) * 1000;
    if (gap >= 0.8 * learntMs || this.#confirmedAt === Number.NEGATIVE_INFINITY) this.#confirmedAt = at;
    if (median === null) return false;
    const rises = median > 1.1 * Math.max(learntMs, knownSeconds * 1000);
    const falls =
      learntMs > 0 && median < 0.8 * learntMs && at - this.#confirmedAt > unlearnMs + 4 * learntMs;
    if (!rises && !falls) return false;
    this.learntSeconds = Math.ceil(Math.min(median, longestMs) / 1000);
    this.#confirmedAt = at;
    return true;
  }
}
