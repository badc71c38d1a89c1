const gapsKept = 7;
const gapsNeeded = 3;
/** No device is set to report more rarely than once an hour. */
const longestMs = 3_600_000;
/** Fast reports after an event do not change what was learnt before this has passed. */
const unlearnMs = 3_600_000;

/** The time between the last readings of a line of which none is missing in between. */
export class Gaps {
  readonly #gaps: number[] = [];
  #next = 0;

  /** Takes one gap; the median of the last ones, null while there are too few. */
  take(gap: number): number | null {
    this.#gaps[this.#next] = gap;
    this.#next = (this.#next + 1) % gapsKept;
    if (this.#gaps.length < gapsNeeded) return null;
    return this.#gaps.toSorted((a, b) => a - b)[this.#gaps.length >> 1]!;
  }
}

/**
 * How often a device really reports, where it does so more rarely than it is set to. Learnt from three readings on,
 * forgotten only after an hour of more frequent ones.
 */
export class Interval {
  /** Null while the device keeps to what it is set to. */
  learntSeconds: number | null;
  /** When a gap last confirmed what was learnt. */
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(learntSeconds: number | null) {
    this.learntSeconds = learntSeconds;
  }

  /** Takes a gap that ends at `at`; true when `learntSeconds` changed. */
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
