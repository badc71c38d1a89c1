import type pg from 'pg';

const lookEveryMs = 10;
const underWaySql = `
  select distinct virtualtransaction as id from pg_locks
  where database = (select oid from pg_database where datname = current_database())
    and relation = $1::regclass and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()`;

/**
 * Waits until the transactions that write to a table now have ended, so that everything they wrote is
 * visible. False: one of them is still under way after `patienceMs`.
 */
export const writersEnded = async (
  client: Pick<pg.ClientBase, 'query'>,
  table: 'line_latest' | 'readings',
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<boolean> => {
  const read = async () =>
    (await client.query<{ id: string }>(underWaySql, [table])).rows.map((row) => row.id);
  const end = performance.now() + patienceMs;
  for (let writers = await read(); writers.length > 0; ) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    const now = new Set(await read());
    writers = writers.filter((id) => now.has(id));
  }
  return true;
};
