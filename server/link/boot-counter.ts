/**
 * Number of messages of a lower boot or sequence, and the time between them, before the server accepts that the
 * device has restarted its count.
 */
const messagesNeeded = 3;
const spanNeededMs = 60_000;
const mostRemembered = 256;

/**
 * Decides whether a device's boot counter began again at a lower number (factory reset, exchanged hardware), or its
 * sequence without another boot number (a memory that takes no writes), or whether older messages merely arrive late.
 * Decisions 0050 and 0521.
 */
export class BootCounter {
  #announced: number | null = null;
  #lower: { boot: number; seqs: number[]; since: number } | null = null;

  /** The device reported its boot when it connected. */
  announce(boot: number): void {
    this.#announced = boot;
  }

  /**
   * Adds one live message; true if the device has restarted its count from this boot. `age`: whether it was measured
   * after all known readings, before them, or does not say.
   */
  restarts(
    newest: { boot: number; seq: number } | null,
    { boot, seq }: { boot: number; seq: number },
    receivedAt: number,
    age: 'newer' | 'older' | null,
  ): boolean {
    const isAgain = newest !== null && boot === newest.boot && seq <= newest.seq;
    if (isAgain && age === null) return false;
    if (newest === null || (boot >= newest.boot && !(isAgain && age === 'newer'))) {
      this.#announced = null;
      this.#lower = null;
      return false;
    }
    const lower = this.#lower ?? { boot, seqs: [], since: receivedAt };
    this.#lower = lower;
    if (boot > lower.boot) Object.assign(lower, { boot, seqs: [] });
    if (boot === lower.boot && seq > (lower.seqs.at(-1) ?? -1) && lower.seqs.length < mostRemembered)
      lower.seqs.push(seq);
    // Each connection announces the boot, also one that goes on.
    if (this.#announced === boot && !isAgain) return true;
    return lower.seqs.length >= messagesNeeded && receivedAt - lower.since >= spanNeededMs;
  }

  /** The messages received since the counter began again. */
  get taken(): readonly number[] {
    return this.#lower?.seqs ?? [];
  }
}
