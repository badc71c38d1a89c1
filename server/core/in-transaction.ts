import type pg from 'pg';

/** Runs `work` in a transaction of this connection: commits, or rolls back and rethrows the error. */
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
    // If the connection is lost, the transaction is too.
    await client.query('rollback').catch(() => {});
    throw error;
  }
};

/** Runs `work` in a transaction on a connection of the pool. */
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
