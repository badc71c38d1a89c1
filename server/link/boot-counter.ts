/**
 * Number of messages of a lower boot, and the time between them, before the server accepts that the device
 * has restarted its count.
 */
const messagesNeeded = 3;
const spanNeededMs = 60_000;
const mostRemembered = 256;

/**
 * Decides whether a device's boot counter began again at a lower number (factory reset, exchanged hardware),
 * or whether messages of an older boot merely arrive late. Decision 0050.
 */
export class BootCounter {
  #announced: number | null = null;
  #lower: { boot: number; seqs: number[]; since: number } | null = null;

  /** The device reported its boot when it connected. */
  announce(boot: number): void {
    this.#announced = boot;
  }

  /** Adds one live message; true if the device has restarted its count from this boot. */
  restarts(newest: number | undefined, boot: number, seq: number, receivedAt: number): boolean {
    if (newest === undefined || boot >= newest) {
      this.#announced = null;
      this.#lower = null;
      return false;
    }
    const lower = this.#lower ?? { boot, seqs: [], since: receivedAt };
    this.#lower = lower;
    if (boot > lower.boot) Object.assign(lower, { boot, seqs: [] });
    if (boot === lower.boot && seq > (lower.seqs.at(-1) ?? -1) && lower.seqs.length < mostRemembered)
      lower.seqs.push(seq);
    if (this.#announced === boot) return true;
    return lower.seqs.length >= messagesNeeded && receivedAt - lower.since >= spanNeededMs;
  }

  /** The messages received since the counter began again. */
  get taken(): readonly number[] {
    return this.#lower?.seqs ?? [];
  }
}
