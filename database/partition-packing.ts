import type pg from 'pg';
import { dayOf, nameOf, type PartitionedTable, partitionDays, partitionedTables } from './partitions.ts';

/** Comment that marks a packed index. */
const packed = 'packed';

interface IndexRow {
  name: string;
  valid: boolean;
  note: string | null;
}

/**
 * Packs the indexes of past days once: lines report in turn, so each index page splits in the middle of one
 * line's rows and stays half empty. Readers and writers continue meanwhile. One node at a time; others skip
 * the work. Returns how many indexes were packed.
 */
export const packOld = async (pool: pg.Pool, now: number, stop: AbortSignal): Promise<number> => {
  if (stop.aborted) return 0;
  let indexes = 0;
  const client = await pool.connect();
  let broken = true;
  let cancel = () => {};
  try {
    const { rows } = await client.query<{ mine: boolean; pid: number }>(
      `select pg_try_advisory_lock(hashtext('partition packing')) as mine, pg_backend_pid() as pid`,
    );
    cancel = () => void pool.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {});
    stop.addEventListener('abort', cancel);
    stop.throwIfAborted();
    if (rows[0]?.mine) {
      for (const table of partitionedTables)
        for (const day of await partitionDays(pool, table))
          if (day < dayOf(now)) indexes += await packDay(client, table, day);
      await client.query(`select pg_advisory_unlock(hashtext('partition packing'))`);
    }
    broken = false;
    return indexes;
  } finally {
    stop.removeEventListener('abort', cancel);
    client.release(broken);
  }
};

const packDay = async (client: pg.ClientBase, table: PartitionedTable, day: number): Promise<number> => {
  let indexes = 0;
  const { rows } = await client.query<IndexRow>(
    `select c.relname as name, i.indisvalid as valid, obj_description(c.oid, 'pg_class') as note
     from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass($1)`,
    [nameOf(table, day)],
  );
  // Leftovers of an interrupted packing.
  for (const { name, valid } of rows) if (!valid) await client.query(`drop index concurrently "${name}"`);
  for (const { name, valid, note } of rows) {
    if (!valid || note === packed) continue;
    await client.query(`alter index "${name}" set (fillfactor = 100)`);
    await client.query(`reindex index concurrently "${name}"`);
    await client.query(`comment on index "${name}" is '${packed}'`);
    indexes += 1;
  }
  return indexes;
};
