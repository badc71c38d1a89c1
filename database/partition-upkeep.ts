import type pg from 'pg';
import { packOld } from './partition-packing.ts';
import { dropOld, makeAhead } from './partitions.ts';

/** Makes partitions ahead, drops old ones and packs the indexes of past days. */
export const tidyPartitions = async (
  pool: pg.Pool,
  retentionDays: number,
  now: number,
  signal: AbortSignal,
): Promise<{ made: number; removed: number; changed: number }> => {
  const made = await makeAhead(pool, now);
  const removed = await dropOld(pool, retentionDays, now);
  return { made, removed, changed: await packOld(pool, now, signal) };
};
