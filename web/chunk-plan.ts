/** A file that the bundler would write by itself: modules that exactly the same entries need. */
export interface Piece {
  file: string;
  bytes: number;
  /** Files that must be loaded before this one. */
  needs: readonly string[];
  /** A test or the page's head loads it by name, so it stays a separate file. */
  isEntry: boolean;
}
/** The files that one reader loads together. */
export interface Visit {
  entries: readonly string[];
  /** Cost of each byte. */
  weight: number;
  /** The number of bytes that costs as much as one more request. */
  price: number;
  /** Bytes above the budget cost more. A visit loads what it needs in any case. */
  budget?: number;
}
/** Cost of a byte above the budget, relative to one within it. */
const beyondBudget = 600;
/** How many unneeded bytes a visit may load if its needs are near its budget or above it. */
const slack = 2_500;
interface Group {
  pieces: readonly Piece[];
  bytes: number;
  /** The visits that load it, one bit each. */
  visits: bigint;
}

/** Every node that can be reached, including the start. */
const reach = <Node>(from: Iterable<Node>, next: (node: Node) => Iterable<Node>): Set<Node> => {
  const seen = new Set(from);
  for (const node of seen) for (const each of next(node)) seen.add(each);
  return seen;
};

/** The present groups, their dependencies, and the cost and gain of merging two of them. */
class Groups {
  readonly #of = new Map<string, Group>();
  readonly #visits: readonly Visit[];
  /** The same few sets of visits are looked up repeatedly. */
  readonly #sums = new Map<bigint, { perByte: number; perFile: number }>();
  #reached = new Map<Group, ReadonlySet<Group>>();
  /** The bytes that each visit with a budget loads at present. */
  readonly #loaded: { visit: bigint; weight: number; budget: number; bytes: number }[];

  constructor(pieces: readonly Piece[], visits: readonly Visit[]) {
    this.#visits = visits;
    const needs = new Map(pieces.map((piece) => [piece.file, piece.needs]));
    const loads = visits.map(({ entries }) => reach(entries, (file) => needs.get(file) ?? []));
    for (const piece of pieces) {
      const bits = loads.map((load, index) => (load.has(piece.file) ? 1n << BigInt(index) : 0n));
      const at = bits.reduce((all, bit) => all | bit, 0n);
      this.#of.set(piece.file, { bytes: piece.bytes, pieces: [piece], visits: at });
    }
    this.#loaded = visits.flatMap(({ weight, budget }, index) => {
      if (budget === undefined) return [];
      const visit = 1n << BigInt(index);
      const needed = [...this.#of.values()].filter((group) => (group.visits & visit) !== 0n);
      const bytes = needed.reduce((sum, group) => sum + group.bytes, 0);
      return [{ visit, weight, budget: Math.max(budget, bytes + slack), bytes }];
    });
  }

  all(): Set<Group> {
    return new Set(this.#of.values());
  }

  #needsOf(group: Group): Set<Group> {
    const all = group.pieces.flatMap(({ needs }) => needs.flatMap((file) => this.#of.get(file) ?? []));
    return new Set(all.filter((each) => each !== group));
  }

  #reachOf(group: Group): ReadonlySet<Group> {
    const known = this.#reached.get(group) ?? reach(this.#needsOf(group), (each) => this.#needsOf(each));
    this.#reached.set(group, known);
    return known;
  }

  #sumOf(visits: bigint): { perByte: number; perFile: number } {
    const known = this.#sums.get(visits);
    if (known) return known;
    const sum = { perByte: 0, perFile: 0 };
    for (const [index, { weight, price }] of this.#visits.entries())
      if (((visits >> BigInt(index)) & 1n) === 1n) {
        sum.perByte += weight;
        sum.perFile += weight * price;
      }
    this.#sums.set(visits, sum);
    return sum;
  }

  #costOf({ bytes }: Group, visits: bigint): number {
    const { perByte, perFile } = this.#sumOf(visits);
    return bytes * perByte + perFile;
  }

  #othersOf(a: Group, b: Group): Group[] {
    return [...this.#reachOf(a).union(this.#reachOf(b))].filter((each) => each !== a && each !== b);
  }

  /** The bytes that a visit loads more if both are one file. */
  #addedTo(visit: bigint, a: Group, b: Group, others: readonly Group[]): number {
    if (((a.visits | b.visits) & visit) === 0n) return 0;
    return [a, b, ...others].reduce(
      (sum, each) => ((each.visits & visit) === 0n ? sum + each.bytes : sum),
      0,
    );
  }

  /** The cost of what visits load beyond their budgets if both are one file. */
  #excessOf(a: Group, b: Group): number {
    const others = this.#othersOf(a, b);
    return this.#loaded.reduce((sum, { visit, weight, budget, bytes }) => {
      const over = (loaded: number) => Math.max(0, loaded - budget);
      return sum + beyondBudget * weight * (over(bytes + this.#addedTo(visit, a, b, others)) - over(bytes));
    }, 0);
  }

  /** The two files would need each other through a third one: the order of execution would be undefined. */
  #wouldCircle(a: Group, b: Group): boolean {
    const goesRound = (from: Group, to: Group) =>
      [...this.#needsOf(from)].some((each) => each !== to && this.#reachOf(each).has(to));
    return goesRound(a, b) || goesRound(b, a);
  }

  #joined(a: Group, b: Group): Group {
    return {
      pieces: [...a.pieces, ...b.pieces],
      bytes: a.bytes + b.bytes,
      visits: a.visits | b.visits,
    };
  }

  /**
   * What readers save if the two are one file: requests, less the dependencies that readers of only one of them then
   * load, too.
   */
  gainOf(a: Group, b: Group): number {
    const joined = this.#joined(a, b);
    let gain = this.#costOf(a, a.visits) + this.#costOf(b, b.visits) - this.#costOf(joined, joined.visits);
    if (gain <= 0) return gain;
    for (const each of this.#reachOf(a).union(this.#reachOf(b)))
      if (each !== a && each !== b) gain -= this.#costOf(each, joined.visits & ~each.visits);
    if (gain > 0) gain -= this.#excessOf(a, b);
    return gain > 0 && this.#wouldCircle(a, b) ? 0 : gain;
  }

  join(a: Group, b: Group): Group {
    const joined = this.#joined(a, b);
    const others = this.#othersOf(a, b);
    for (const load of this.#loaded) load.bytes += this.#addedTo(load.visit, a, b, others);
    for (const each of this.#reachOf(a).union(this.#reachOf(b))) each.visits |= joined.visits;
    for (const { file } of joined.pieces) this.#of.set(file, joined);
    this.#reached = new Map();
    return joined;
  }
}

/**
 * Merges small files that the same readers need, as long as the saved requests outweigh the bytes that some
 * reader loads without need. Returns for each new file the files that it contains.
 */
export const planChunks = (pieces: readonly Piece[], visits: readonly Visit[]): string[][] => {
  const groups = new Groups(pieces, visits);
  const open = new Set([...groups.all()].filter((group) => group.pieces.every(({ isEntry }) => !isEntry)));
  let pairs: { a: Group; b: Group; gain: number }[] = [];
  const compare = (a: Group, others: Iterable<Group>) => {
    for (const b of others) {
      const gain = a === b ? 0 : groups.gainOf(a, b);
      if (gain > 0) pairs.push({ a, b, gain });
    }
  };
  const done = new Set<Group>();
  for (const a of open) {
    compare(a, done);
    done.add(a);
  }
  for (;;) {
    pairs.sort((one, other) => one.gain - other.gain);
    const best = pairs.pop();
    if (!best) return [...open].map((group) => group.pieces.map(({ file }) => file));
    const { a, b } = best;
    // If an earlier merge has reduced the gain, the pair waits for its turn again.
    best.gain = groups.gainOf(a, b);
    if (best.gain <= 0) continue;
    if (best.gain < (pairs.at(-1)?.gain ?? 0)) {
      pairs.push(best);
      continue;
    }
    const joined = groups.join(a, b);
    open.delete(a);
    open.delete(b);
    pairs = pairs.filter((pair) => ![pair.a, pair.b].some((each) => each === a || each === b));
    compare(joined, open);
    open.add(joined);
  }
};
