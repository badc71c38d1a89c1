import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { connectPool } from './connect.ts';

it('asks the database to find out within half a minute that a machine vanished, whose locks others wait for', async () => {
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
