import type { AckMessage } from '#contract/telemetry.ts';

const mostRemembered = 64;

/**
 * Which answers to commands have arrived. Answers share the counter of the device's other messages, but some
 * devices number them separately: then one number means two messages, and neither may hide the other.
 */
export class AnswersSeen {
  /** The device numbers its answers separately, as far as known since the start of the server. */
  areCountedApart = false;
  readonly #recent = new Set<string>();

  /** Whether this answer has not arrived before. */
  add({ id, st, boot, seq }: Pick<AckMessage, 'id' | 'st' | 'boot' | 'seq'>): boolean {
    const key = `${boot} ${seq} ${st} ${id}`;
    if (this.#recent.has(key)) return false;
    this.#recent.add(key);
    if (this.#recent.size > mostRemembered) this.#recent.delete(this.#recent.values().next().value!);
    return true;
  }

  /** Forgets the received answers, because they may not be on disk. */
  forget(): void {
    this.#recent.clear();
  }
}
