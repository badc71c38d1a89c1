import type pg from 'pg';
import { inTransaction } from '#server/core/in-transaction.ts';

const recount = `insert into alarm_tallies (code, level, severity, processed, n)
  select code, level, severity, processed, count(*) from counted_alarms() group by 1, 2, 3, 4`;

/**
 * Counts all alarms again, for example after rows were written without totals. Writers of alarms wait
 * meanwhile, so that the sum is exact.
 */
export const retally = async (pool: pg.Pool): Promise<void> => {
  await inTransaction(pool, async (client) => {
    await client.query('lock table alarm_tallies in access exclusive mode');
    await client.query('delete from alarm_tallies');
    await client.query(recount);
  });
};

export const retallyWhenMissing = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ missing: boolean }>(
    'select not exists (select from alarm_tallies) and exists (select from alarms) as missing',
  );
  if (rows[0]?.missing) await retally(pool);
};

/** Sums the collected changes into one row each; readers and writers continue meanwhile. */
export const mergeTallies = async (pool: pg.Pool): Promise<void> => {
  await pool.query(
    `with gathered as (delete from alarm_tallies returning *)
     insert into alarm_tallies (code, level, severity, processed, n)
     select code, level, severity, processed, sum(n) from gathered group by 1, 2, 3, 4 having sum(n) <> 0`,
  );
};
