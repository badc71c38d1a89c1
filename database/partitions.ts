import type pg from 'pg';

const dayMs = 86_400_000;
const aheadDays = 3;
export const partitionedTables = ['readings', 'rollup_minute'] as const;
export type PartitionedTable = (typeof partitionedTables)[number];

const dayText = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
export const nameOf = (table: PartitionedTable, day: number) =>
  `${table}_${dayText(day).replaceAll('-', '')}`;

/** Days since 1970 in UTC. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/**
 * Makes the missing partitions of these UTC days, each in its own statement. Returns how many were missing.
 */
export const makeDays = async (
  pool: pg.Pool,
  table: PartitionedTable,
  days: Iterable<number>,
): Promise<number> => {
  const there = await partitionDays(pool, table);
  const missing = [...days].filter((day) => !there.has(day));
  for (const day of missing) await pool.query('select make_partition($1, $2)', [table, dayText(day)]);
  return missing.length;
};

/** The days for which the table has a partition. */
export const partitionDays = async (pool: pg.Pool, table: PartitionedTable): Promise<Set<number>> => {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass`,
    [table],
  );
  const days = rows.map(({ name }) => {
    const digits = name.slice(-8);
    return dayOf(Date.parse(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}T00:00:00Z`));
  });
  return new Set(days);
};

/** Makes the partitions of today and the following days, for every partitioned table. */
export const makeAhead = async (pool: pg.Pool, now: number): Promise<number> => {
  const days = Array.from({ length: aheadDays + 2 }, (_, index) => dayOf(now) - 1 + index);
  let made = 0;
  for (const table of partitionedTables) made += await makeDays(pool, table, days);
  return made;
};

/**
 * Drops the partitions that lie completely before the last `retentionDays` days. Skips a table in use; the
 * next run retries.
 */
export const dropOld = async (pool: pg.Pool, retentionDays: number, now: number): Promise<number> => {
  let dropped = 0;
  const first = dayOf(now) - retentionDays;
  for (const table of partitionedTables) {
    for (const day of await partitionDays(pool, table)) {
      if (day >= first) continue;
      const client = await pool.connect();
      try {
        await client.query(`begin; set local lock_timeout = '2s'`);
        await client.query(`drop table if exists ${nameOf(table, day)}`);
        await client.query('commit');
        client.release();
        dropped += 1;
      } catch (error) {
        client.release(true);
        throw error;
      }
    }
  }
  return dropped;
};
