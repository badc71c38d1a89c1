import type { AckMessage } from '#contract/telemetry.ts';

const mostRemembered = 64;

/**
 * Which answers to commands have come. Answers share the counter of the device's other messages, but some devices count
 * them apart: then the same number means two messages, and neither must hide the other.
 */
export class AnswersSeen {
  /** The device counts its answers apart, as far as is known since the start of the server. */
  areCountedApart = false;
  readonly #recent = new Set<string>();

  /** Whether this very answer has not come before. */
  add({ id, st, boot, seq }: Pick<AckMessage, 'id' | 'st' | 'boot' | 'seq'>): boolean {
    const key = `${boot} ${seq} ${st} ${id}`;
    if (this.#recent.has(key)) return false;
    this.#recent.add(key);
    if (this.#recent.size > mostRemembered) this.#recent.delete(this.#recent.values().next().value!);
    return true;
  }

  /** What came may not be on disk. */
  forget(): void {
    this.#recent.clear();
  }
}
