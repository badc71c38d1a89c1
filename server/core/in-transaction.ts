import type pg from 'pg';

/** Runs `work` in a transaction of this connection: commits what it did, or rolls back and throws what it threw. */
export const transact = async <Result>(
  client: pg.ClientBase,
  work: () => Promise<Result>,
): Promise<Result> => {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection that is gone has taken the transaction with it.
    await client.query('rollback').catch(() => {});
    throw error;
  }
};

/** The same on a connection of the pool. */
export const inTransaction = async <Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect();
  try {
    return await transact(client, () => work(client));
  } finally {
    client.release();
  }
};
