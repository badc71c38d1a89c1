/** A new secret while reports of the former equipment are on their way into the database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forgetOrder } from '#server/core/report-order.ts';
import { becomes, eventually } from '#test/wait.ts';
import { hashSecret } from './credentials.ts';
import { type LinkWorld, linkProbe, linkWorld, publish, tele } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());
const { connected, latestOf } = linkProbe(() => world);

const report = (boot: number, seq: number, line: object) =>
  tele(seq, world.clock.now(), { boot, ln: [{ n: 1, ...line }] });
/** Process ids of writers that wait for a row of another transaction. */
const waiting = async () => {
  const { rows } = await world.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query like '%line_latest%'`,
  );
  return rows.map(({ pid }) => pid);
};

it.each([
  ['is being written', false],
  ['is written again after a failed attempt', true],
])(
  'what former equipment reported is not taken for that of the present one if it %s when the secret changes',
  async (_, fails) => {
    const { client, number, line, device } = await connected();
    await publish(client, number, 'tele', report(500, 1, { sw: 0, trip: 0 }));
    client.on('error', () => {});
    const former = { reported: Promise.resolve() as Promise<unknown> };
    await world.db.transaction().execute(async (trx) => {
      const secret = hashSecret('other hardware');
      await trx.updateTable('devices').set({ secret_hash: secret }).where('id', '=', device.id).execute();
      await forgetOrder(trx, device.id);
      former.reported = publish(client, number, 'tele', report(500, 2, { sw: 1 })).catch(() => null);
      await eventually(async () => (await waiting()).length > 0);
      if (!fails) return;
      for (const pid of await waiting()) await world.pool.query('select pg_terminate_backend($1)', [pid]);
      await eventually(async () => (await waiting()).length === 0);
    });
    if (!fails) await becomes(async () => (await latestOf(line)).position, 1);
    world.bus.emit('device.changed', { deviceId: device.id, what: 'place' });
    // The former connection ends by itself.
    await eventually(async () => !client.connected || client.reconnecting);
    client.end(true);
    await former.reported;
    const other = await eventually(() =>
      world.device({ number, secret: 'other hardware' }).catch(() => null),
    );
    await becomes(async () => (await latestOf(line)).position_boot, -1);
    await publish(other, number, 'tele', report(1, 1, { sw: 0 }));
    expect(await latestOf(line)).toMatchObject({
      position: 0,
      position_boot: 1,
      position_seq: 1,
      trip_boot: -1,
    });
  },
);
