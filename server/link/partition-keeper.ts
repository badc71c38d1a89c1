import type pg from 'pg';
import { dayOf, makeDays, partitionDays } from '#database/partitions.ts';

/** Knows which days of readings have a partition, and creates one when a backlog needs it. */
export class PartitionKeeper {
  readonly #pool: pg.Pool;
  #known = new Set<number>();
  #last = Number.NaN;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async start(): Promise<void> {
    this.#known = await partitionDays(this.#pool, 'readings');
  }

  async ensure(rows: readonly { at: number }[]): Promise<void> {
    const missing = new Set<number>();
    for (const { at } of rows) {
      const day = dayOf(at);
      if (day === this.#last) continue;
      if (this.#known.has(day)) this.#last = day;
      else missing.add(day);
    }
    if (missing.size === 0) return;
    await makeDays(this.#pool, 'readings', missing);
    this.#known = await partitionDays(this.#pool, 'readings');
  }
}
