/**
 * Deadlines in slots of one second, at most one per key. Moving a deadline is cheap, because it is only
 * checked when due.
 */
export class Wheel<Key> {
  readonly #slots = new Map<number, Set<Key>>();
  readonly #slotOf = new Map<Key, number>();
  #done = 0;

  get size(): number {
    return this.#slotOf.size;
  }

  has(key: Key): boolean {
    return this.#slotOf.has(key);
  }

  put(key: Key, at: number): void {
    this.remove(key);
    const slot = Math.max(Math.ceil(at / 1000), this.#done + 1);
    this.#slotOf.set(key, slot);
    const keys = this.#slots.get(slot);
    if (keys) keys.add(key);
    else this.#slots.set(slot, new Set([key]));
  }

  remove(key: Key): void {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return;
    this.#slotOf.delete(key);
    this.#slots.get(slot)?.delete(key);
  }

  /** Removes and returns all keys that are due at `now`. */
  due(now: number): Key[] {
    const last = Math.floor(now / 1000);
    const due: Key[] = [];
    if (this.#done === 0 || last - this.#done > 3600) this.#done = Math.min(last, ...this.#slots.keys()) - 1;
    for (let slot = this.#done + 1; slot <= last; slot += 1) {
      for (const key of this.#slots.get(slot) ?? []) {
        due.push(key);
        this.#slotOf.delete(key);
      }
      this.#slots.delete(slot);
    }
    this.#done = Math.max(this.#done, last);
    return due;
  }
}
