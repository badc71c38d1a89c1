import type { StoredReading } from '#server/core/bus.ts';
import type { MinuteSums } from './minutes.ts';

/** If readings come less often, reading them from the table costs no more than adding them up here. */
const mostSeconds = 15;
/** Limits memory: a line takes about 2 KB. */
const mostLines = 50_000;
const mostMinutes = 6;
const mostWaiting = 20_000;

interface Line {
  /** Null while a round reads the readings of the line. */
  sums: MinuteSums | null;
  /** Readings that were stored meanwhile. */
  waiting: StoredReading[];
}

/**
 * Minutes that are added up while this process stores the readings, so that rounds need not read them again. A
 * line starts from the result of a round, and is dropped in case of any doubt. A round compares the number of
 * readings with the stored ones, and reads them if they differ (decision 0395).
 */
export class RunningMinutes {
  readonly #lines = new Map<number, Line>();
  /** Dropped lines. The next round reads them, because the last one may have missed some of their readings. */
  readonly #left = new Set<number>();
  /** Dropped lines that the present round reads. */
  #taken: readonly number[] = [];
  #waiting = 0;
  /** Where the last round of this node ended. */
  #through: number | null = null;

  /** Readings that were just stored. */
  readonly take = (readings: readonly StoredReading[]): void => {
    for (const reading of readings) {
      const line = this.#lines.get(reading.lineId);
      if (line === undefined) continue;
      if (line.sums === null) this.#keep(line, reading);
      else if (!add(line.sums, reading)) this.#leave(reading.lineId);
    }
  };

  #keep(line: Line, reading: StoredReading): void {
    this.#waiting += 1;
    if (this.#waiting > mostWaiting) this.#leave(reading.lineId);
    else line.waiting.push(reading);
  }

  /** A round begins. The minutes are useless if another node, or a failed round, ran since the last one. */
  begin(since: number): void {
    if (this.#through !== since)
      for (const lineId of [...this.#taken, ...this.#lines.keys()]) this.#leave(lineId);
    this.#waiting = 0;
    this.#through = null;
  }
  /** These lines, the counted ones and the dropped ones: a round reads them all, whatever their times are. */
  withLeft(lineIds: readonly number[]): number[] {
    this.#taken = [...this.#left];
    this.#left.clear();
    return [...new Set([...lineIds, ...this.#lines.keys(), ...this.#taken])].sort((a, b) => a - b);
  }
  /** The round ended: all minutes before `through` are stored. Lines that stopped reporting are dropped. */
  end(through: number, reporting: Iterable<number>): void {
    this.#through = through;
    this.#taken = [];
    const heard = new Set(reporting);
    for (const [lineId, { sums }] of this.#lines)
      if (!heard.has(lineId) && (sums === null || sums.isHandedOut)) this.#lines.delete(lineId);
  }
  #leave(lineId: number): void {
    this.#lines.delete(lineId);
    this.#left.add(lineId);
  }

  get size(): number {
    return this.#lines.size;
  }
  sumsOf(lineId: number): MinuteSums | null {
    return this.#lines.get(lineId)?.sums ?? null;
  }
  forget(lineId: number): void {
    if (this.#lines.has(lineId)) this.#leave(lineId);
  }
  /** While the stored readings of these lines are being read, their new readings are kept until `seed`. */
  await(lines: readonly { lineId: number; uploadSeconds: number }[]): void {
    for (const { lineId, uploadSeconds } of lines) {
      this.#lines.delete(lineId);
      if (uploadSeconds <= mostSeconds && this.#lines.size < mostLines)
        this.#lines.set(lineId, { sums: null, waiting: [] });
    }
  }
  /** Starts a line with these sums: all their minutes are stored, and those before `until` are final. */
  seed(lineId: number, sums: MinuteSums, until: number): void {
    const line = this.#lines.get(lineId);
    if (!line) return;
    sums.settle(until);
    const later = line.waiting.filter(({ at }) => at > sums.lastAt);
    this.#waiting -= line.waiting.length;
    if (sums.isWholeFrom(until) && later.every((reading) => add(sums, reading)))
      this.#lines.set(lineId, { sums, waiting: [] });
    else this.#leave(lineId);
  }
}

/** Returns false if the reading is not the next one in time, or if too many minutes wait for a round. */
const add = (sums: MinuteSums, reading: StoredReading): boolean => {
  if (!reading.latest || reading.at <= sums.lastAt || sums.size > mostMinutes) return false;
  sums.take(reading);
  return true;
};
