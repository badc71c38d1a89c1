/** Ranges of `seq` of one boot that are stored. Below `floor` nothing is remembered. */
export interface BootRanges {
  boot: number;
  floor: number;
  /** from, to, from, to … ascending, inclusive, never touching. */
  ranges: number[];
}

const maxBoots = 4;
const maxRanges = 64;
/** A device keeps at least this many messages; an older gap can never be filled. */
const deviceBuffer = 5000;

/**
 * `next` follows the newest number; `gap` fills a gap; `old` is below the remembered numbers, so only the
 * stored rows show whether it is new.
 */
type Novelty = 'next' | 'gap' | 'duplicate' | 'old';

/**
 * Which (boot, seq) of one device are stored: the only place that decides whether a message is a duplicate,
 * without the device clock.
 */
export class Seen {
  #boots: BootRanges[];

  constructor(boots: BootRanges[] = []) {
    this.#boots = boots.toSorted((a, b) => b.boot - a.boot);
  }

  toJSON(): BootRanges[] {
    return this.#boots;
  }

  get newest(): { boot: number; seq: number } | null {
    const first = this.#boots[0];
    return first ? { boot: first.boot, seq: first.ranges.at(-1) ?? first.floor - 1 } : null;
  }

  /** The newest row of a line proves its message and, in the same boot, all between it and the last known one. */
  extend(boot: number, seq: number): void {
    const first = this.#boots[0];
    if (!first || boot > first.boot) this.add(boot, seq);
    else if (boot === first.boot) {
      const last = first.ranges.length - 1;
      if (last < 1) first.ranges = [seq, seq];
      else if (seq > first.ranges[last]!) first.ranges[last] = seq;
    }
  }

  /** Older than the memory: only the stored rows show whether it is new. */
  isForgotten(boot: number, seq: number): boolean {
    const first = this.#boots[0];
    if (first?.boot === boot) return seq < first.floor;
    const known = this.#boots.find((entry) => entry.boot === boot);
    if (known) return seq < known.floor;
    return this.#boots.length === maxBoots && boot < this.#boots[maxBoots - 1]!.boot;
  }

  /** Whether a message with this number has arrived, as far as remembered. */
  has(boot: number, seq: number): boolean {
    const { ranges } = this.#boots.find((entry) => entry.boot === boot) ?? { ranges: [] };
    for (let index = 0; index < ranges.length; index += 2)
      if (ranges[index]! <= seq && seq <= ranges[index + 1]!) return true;
    return false;
  }

  add(boot: number, seq: number): Novelty {
    const first = this.#boots[0];
    if (first && first.boot === boot) {
      const last = first.ranges.length - 1;
      if (last > 0 && first.ranges[last]! + 1 === seq) {
        first.ranges[last] = seq;
        return 'next';
      }
      return insert(first, seq);
    }
    const known = this.#boots.find((entry) => entry.boot === boot);
    if (known) return insert(known, seq);
    const oldest = this.#boots.at(-1);
    if (oldest && this.#boots.length === maxBoots && boot < oldest.boot) return 'old';
    this.#boots.push({ boot, floor: 0, ranges: [seq, seq] });
    this.#boots.sort((a, b) => b.boot - a.boot);
    this.#boots.length = Math.min(this.#boots.length, maxBoots);
    return 'gap';
  }

  /**
   * The last `seq` of a boot up to which everything that the device may still have is stored; null before
   * that.
   */
  contiguous(boot: number): number | null {
    const entry = this.#boots.find((candidate) => candidate.boot === boot);
    if (!entry) return null;
    const { ranges, floor } = entry;
    const newest = ranges.at(-1) ?? -1;
    let mark: number | null = null;
    for (let index = 0; index < ranges.length; index += 2) {
      const from = ranges[index]!;
      const whole = mark === null ? floor === 0 && from <= 1 : false;
      if (!whole && newest - from + 1 < deviceBuffer) break;
      mark = ranges[index + 1]!;
    }
    return mark;
  }
}

const insert = (entry: BootRanges, seq: number): Novelty => {
  if (seq < entry.floor) return 'old';
  const { ranges } = entry;
  let index = ranges.length - 2;
  while (index >= 0 && ranges[index]! > seq) index -= 2;
  // Now `index` is the start of the range that begins at or before `seq`, or -2.
  if (index >= 0 && ranges[index + 1]! >= seq) return 'duplicate';
  const joinsLeft = index >= 0 && ranges[index + 1]! + 1 === seq;
  const joinsRight = index + 2 < ranges.length && ranges[index + 2]! - 1 === seq;
  if (joinsLeft && joinsRight) ranges.splice(index + 1, 2);
  else if (joinsLeft) ranges[index + 1] = seq;
  else if (joinsRight) ranges[index + 2] = seq;
  else ranges.splice(index + 2, 0, seq, seq);
  if (ranges.length > maxRanges * 2) {
    entry.floor = ranges[1]! + 1;
    ranges.splice(0, 2);
  }
  return 'gap';
};
