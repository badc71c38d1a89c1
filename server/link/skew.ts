const window = 20;
const ignoredMs = 5_000;
const alarmMs = 60_000;
/** Below this the clock counts as right again. */
const settledMs = 50_000;

/** The skew of a device's clock: the median of receive time minus device time over the last 20 live messages. */
export class Skew {
  #samples: number[] = [];
  #next = 0;
  #off = 0;
  /** Added to the device's time; 0 while the clock is right to 5 s. */
  correction: number;
  alarming: boolean;

  constructor(persisted: number) {
    this.correction = persisted;
    this.alarming = Math.abs(persisted) > alarmMs;
  }

  /** Takes one sample; true when the clock became unfit for use or fit again (finding 803). */
  sample(difference: number): boolean {
    const replaced = this.#samples[this.#next];
    if (replaced !== undefined && isOff(replaced)) this.#off -= 1;
    this.#samples[this.#next] = difference;
    this.#next = (this.#next + 1) % window;
    if (isOff(difference)) this.#off += 1;
    const count = this.#samples.length;
    if (this.#off * 2 < count) this.correction = 0;
    else {
      const sorted = this.#samples.toSorted((a, b) => a - b);
      const middle = sorted[count >> 1]!;
      const median = count % 2 ? middle : Math.round((middle + sorted[(count >> 1) - 1]!) / 2);
      this.correction = isOff(median) ? median : 0;
    }
    const size = Math.abs(this.correction);
    const alarming = this.alarming ? size > settledMs : size > alarmMs;
    const changed = alarming !== this.alarming;
    this.alarming = alarming;
    return changed;
  }
}

const isOff = (difference: number) => difference > ignoredMs || difference < -ignoredMs;
