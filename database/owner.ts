import type pg from 'pg';
import { connectPool } from './connect.ts';

/** Runs work that only the owner of the tables may do, such as dropping partitions or restoring a backup. */
export interface Owner {
  /** Gives `work` connections of the owner. */
  use<Result>(work: (pool: pg.Pool) => Promise<Result>): Promise<Result>;
}
const atOnce = 3;

export const createOwner = (url: string): Owner => ({
  async use(work) {
    const pool = connectPool(url, atOnce);
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  },
});
