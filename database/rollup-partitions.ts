import type pg from 'pg';

const dayMs = 86_400_000;

/**
 * Makes the partitions of `rollup_minute`, one per UTC day, for all of these instants. Inside a transaction;
 * several nodes may do it at the same time.
 */
export const ensureRollupDays = async (client: pg.ClientBase, instants: Iterable<number>): Promise<void> => {
  const days = [...new Set([...instants].map((at) => Math.floor(at / dayMs)))].map((day) =>
    new Date(day * dayMs).toISOString().slice(0, 10),
  );
  await client.query(
    `select make_partition('rollup_minute', day) from unnest($1::date[]) day
     where to_regclass('rollup_minute_' || to_char(day, 'YYYYMMDD')) is null`,
    [days],
  );
};
