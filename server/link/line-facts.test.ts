import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetOrder } from '#server/core/report-order.ts';
import { becomes, eventually } from '#test/wait.ts';
import { hashSecret } from './credentials.ts';
import { type LinkWorld, linkProbe, linkWorld, publish, tele } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());
const { connected, latestOf, readingsOf } = linkProbe(() => world);

describe('the facts of a line', () => {
  const report = (seq: number, t: number, line: object, more: object = {}) => ({
    v: 1,
    boot: 1,
    seq,
    t,
    ln: [{ n: 1, ...line }],
    ...more,
  });
  const at = (ms: number) => new Date(ms);

  it('the facts of a line keep their value and time if a report lacks them, and become unknown if it contains null', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now - 3000, { sw: 1, trip: 301, lock: 2 }));
    await publish(client, number, 'tele', report(2, now - 2000, { U: { a: 230 } }));
    expect(await latestOf(line)).toMatchObject({
      ...{ seq: 2, at: at(now - 2000), position: 1, position_at: at(now - 3000), position_seq: 1 },
      ...{ trip: 301, trip_at: at(now - 3000), trip_seq: 1, lock: 2, lock_at: at(now - 3000), lock_boot: 1 },
    });
    await publish(client, number, 'tele', report(3, now - 1000, { sw: null, trip: null, lock: null }));
    expect(await latestOf(line)).toMatchObject({
      ...{ position: null, position_at: at(now - 1000), position_seq: 3 },
      ...{ trip: null, trip_at: at(now - 1000), trip_seq: 3, lock: null, lock_at: at(now - 1000) },
    });
  });

  it('the facts of a line survive a later message of the same group that lacks them', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await Promise.all([
      publish(client, number, 'tele', report(1, now, { sw: 0, trip: 301 })),
      publish(client, number, 'tele', report(2, now, { lock: 0 })),
      publish(client, number, 'tele', report(3, now, { U: { a: 230 } })),
    ]);
    expect(await latestOf(line)).toMatchObject({
      ...{ seq: 3, position: 0, position_seq: 1, trip: 301, trip_seq: 1, lock: 0, lock_seq: 2 },
    });
  });

  it('the facts of a line come from an older message that arrives late, when no newer one carried them', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now, { sw: 1, trip: 0 }));
    await publish(client, number, 'tele', report(3, now, { sw: 1 }));
    await publish(client, number, 'tele', report(2, now, { sw: 0, trip: 301 }));
    expect(await latestOf(line)).toMatchObject({
      ...{ seq: 3, position: 1, position_seq: 3, trip: 301, trip_seq: 2 },
    });
  });

  it('the facts of a line follow the sequence when the device clock is set back', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now, { sw: 0, trip: 0, I: { a: 0 } }));
    await publish(client, number, 'tele', report(2, now - 4000, { sw: 1, trip: 301, I: { a: 5.2 } }));
    const latest = await latestOf(line);
    expect(latest).toMatchObject({ seq: 2, position: 1, trip: 301, position_at: at(now - 4000) });
    expect(latest.channels[1]).toBeCloseTo(5.2);
    await publish(client, number, 'event', {
      ...{
        v: 1,
        boot: 1,
        seq: 3,
        t: now - 9000,
        eid: '1-1',
        kind: 'pos',
        n: 1,
        sw: 0,
        by: 'trip',
        code: 201,
      },
    });
    expect(await latestOf(line)).toMatchObject({
      ...{ position: 0, position_at: at(now - 9000), position_seq: 3, trip: 201, trip_seq: 3 },
    });
  });

  it('the facts of a line are not replaced by a position event of an earlier sequence', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(7, now - 5000, { sw: 1, trip: 0 }));
    await publish(client, number, 'event', {
      ...{ v: 1, boot: 1, seq: 6, t: now, eid: '1-1', kind: 'pos', n: 1, sw: 0, by: 'trip' },
    });
    expect(await latestOf(line)).toMatchObject({ position: 1, position_seq: 7, trip: 0 });
  });

  it('a reading of an older boot replaces no fact, whatever its time, also after a restart', async () => {
    const { client, number, line, device } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(1, now - 9000, { sw: 1, trip: 301 }, { boot: 2 }));
    await publish(client, number, 'tele', report(99, now, { sw: 0, trip: 0 }));
    expect(await latestOf(line)).toMatchObject({ boot: 2, seq: 1, position: 1, trip: 301 });
    client.end(true);
    await world.restart();
    const again = await world.device(device);
    await publish(again, number, 'tele', report(100, now, { sw: 0, trip: 0 }));
    expect(await latestOf(line)).toMatchObject({ boot: 2, seq: 1, position: 1, trip: 301 });
  });

  it('the facts of a line follow a boot counter that began again, once the device reports its boot when it connects', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(9, now, { sw: 1, trip: 301 }, { boot: 500 }));
    await publish(client, number, 'presence', { v: 1, on: true, boot: 1 }, true);
    await publish(client, number, 'tele', report(1, now, { sw: 0 }));
    expect(await latestOf(line)).toMatchObject({
      ...{ boot: 1, seq: 1, position: 0, position_boot: 1, trip: 301, trip_at: at(now), trip_boot: -1 },
    });
    await world.restart();
    await becomes(async () => (await latestOf(line)).boot, 1);
  });

  it('after a device got a new secret, other hardware with the same boot number replaces the facts of its line', async () => {
    const { client, number, line, device } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', report(900, now - 60_000, { sw: 1, trip: 301 }));
    const secret = hashSecret('other hardware');
    await world.db.transaction().execute(async (trx) => {
      await trx.updateTable('devices').set({ secret_hash: secret }).where('id', '=', device.id).execute();
      await forgetOrder(trx, device.id);
    });
    world.bus.emit('device.changed', { deviceId: device.id, what: 'place' });
    client.end(true);
    const other = await eventually(() =>
      world.device({ number, secret: 'other hardware' }).catch(() => null),
    );
    await publish(other, number, 'tele', report(1, now, { sw: 0 }));
    expect(await latestOf(line)).toMatchObject({
      seq: 1,
      position: 0,
      position_seq: 1,
      trip: 301,
      trip_seq: -1,
    });
    await publish(other, number, 'tele', report(1, now, { sw: 0 }));
    expect(await readingsOf(line)).toHaveLength(2);
  });

  it('the facts of a line follow a device that counts from 0 again with the same boot number, after a minute', async () => {
    const { client, number, line, device } = await connected();
    const start = world.clock.now();
    for (let seq = 0; seq < 8; seq += 1)
      await publish(client, number, 'tele', report(seq, start - 8 + seq, { sw: 1, trip: 0 }));
    for (let seq = 0; seq < 4; seq += 1) {
      world.clock.advance(30_000);
      await publish(client, number, 'tele', report(seq, world.clock.now(), { sw: 0, trip: 301 }));
      expect(await latestOf(line)).toMatchObject(seq < 2 ? { seq: 7, trip: 0 } : { seq, trip: 301 });
    }
    client.end(true);
    await world.restart();
    const again = await world.device(device);
    await publish(again, number, 'tele', report(3, world.clock.now(), { sw: 1 })); // a duplicate
    await publish(again, number, 'tele', report(4, world.clock.now(), { sw: 0 }));
    expect(await latestOf(line)).toMatchObject({ seq: 4, position: 0 });
  });
  it('the facts of a line are not replaced by old readings that a device sends again for minutes', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    const sent = [1, 2, 3, 4, 5, 6].map((seq) => report(seq, now - (10 - seq) * 1000, { sw: 1 }));
    for (const each of sent) await publish(client, number, 'tele', each);
    await publish(client, number, 'tele', report(7, now, { sw: 0 }));
    for (const each of sent) {
      world.clock.advance(30_000);
      await publish(client, number, 'tele', each);
    }
    expect(await latestOf(line)).toMatchObject({ seq: 7, position: 0 });
  });
  it('the facts of a line follow a lower boot number after a minute without messages of the higher one', async () => {
    const { client, number, line, device } = await connected();
    await publish(client, number, 'tele', report(9, world.clock.now(), { sw: 1 }, { boot: 500 }));
    for (let seq = 1; seq <= 3; seq += 1) {
      await publish(client, number, 'tele', report(seq, world.clock.now(), { sw: 0 }, { boot: 3 }));
      expect(await latestOf(line)).toMatchObject({ boot: seq < 3 ? 500 : 3 });
      world.clock.advance(30_000);
    }
    client.end(true);
    await world.restart();
    const again = await world.device(device);
    await publish(again, number, 'tele', report(2, world.clock.now(), { sw: 1 }, { boot: 3 })); // a duplicate
    await publish(again, number, 'tele', report(4, world.clock.now(), { sw: 0 }, { boot: 3 }));
    expect(await latestOf(line)).toMatchObject({ boot: 3, seq: 4, position: 0 });
    expect((await readingsOf(line)).map((row) => [row.boot, row.seq])).toHaveLength(5);
  });
});

describe('a report that comes late', () => {
  const factsOf = (lineId: number) =>
    world.db
      .selectFrom('line_latest')
      .select(['position', 'trip', 'lock'])
      .where('line_id', '=', lineId)
      .executeTakeFirstOrThrow();
  it('a late report forbids closing by its trip and lock if it is the newest, and never permits closing', async () => {
    const { client, number, device } = await connected();
    const line = device.lines[0]!.id;
    const now = world.clock.now();
    const send = (seq: number, facts: object, late = true) => {
      const message = tele(seq, now - 10_000 + seq * 1000, late ? { bf: 1 } : {});
      Object.assign(message.ln[0]!, facts);
      return publish(client, number, 'tele', message);
    };
    await send(1, { sw: 0, trip: 0, lock: 0 }, false);
    await send(3, { sw: 1, trip: 301, lock: 2 });
    expect(await factsOf(line)).toEqual({ position: 0, trip: 301, lock: 2 });
    await send(2, { sw: 0, trip: 205, lock: 1 });
    await send(4, { sw: 0, trip: 0, lock: 0 });
    expect(await factsOf(line)).toEqual({ position: 0, trip: 301, lock: 2 });
    await send(5, { sw: 0, trip: 0, lock: 0 }, false);
    expect(await factsOf(line)).toEqual({ position: 0, trip: 0, lock: 0 });
  });
});
