import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { freshDatabase } from '#test/database.ts';
import { eventually } from '#test/wait.ts';
import { connect, connectPool } from './connect.ts';

it('lets PostgreSQL detect within half a minute that a client machine with locks has vanished', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const pool = connectPool(`postgresql://somebody@127.0.0.1:${port}/any`);
  const refused = pool.query('select 1').catch(() => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [startup] = (await once(socket, 'data')) as [Buffer];
  const asked = (name: string) => Number(new RegExp(`tcp_keepalives_${name}=(\\d+)`).exec(`${startup}`)?.[1]);
  expect(asked('idle') + asked('interval') * asked('count')).toBeLessThanOrEqual(30);
  socket.destroy();
  await refused;
  await pool.end();
  server.close();
});

it('a connection that the database cuts inside a transaction fails, and the next one works', async () => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 2);
  const db = connect(pool);
  const cut = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    // The connection reports the loss even while no query runs.
    await eventually(
      async () =>
        (await pool.query('select from pg_stat_activity where pid = $1', [rows[0]!.pid])).rowCount === 0,
    );
    await new Promise((resolve) => setImmediate(resolve));
    await sql`select 1`.execute(trx);
  });
  await expect(cut).rejects.toThrow();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await db.destroy();
  await database.drop();
});
