import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/wait.ts';
import { type LinkWorld, linkProbe, linkWorld, publish, tele } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());
const { connected, latestOf, readingsOf } = linkProbe(() => world);

describe('what a device reports about itself', () => {
  it('adds new lines, whose readings may follow at once', async () => {
    const { client, number, device } = await connected();
    const event = world.hears('device.info', device.id);
    const info = {
      v: 1,
      type: 3,
      model: 'SW3-40',
      fw: '1.4.2',
      hw: 'B',
      imei: '86',
      lines: [
        { n: 1, in: 40 },
        { n: 2, in: 32, ctl: true },
      ],
    };
    await Promise.all([
      publish(client, number, 'info', info, true),
      publish(client, number, 'tele', tele(1, world.clock.now(), { ln: [{ n: 2, IL: 3 }] })),
    ]);
    expect(await event).toMatchObject({ deviceId: device.id });
    const { rows } = await world.pool.query(
      `select l.n, l.rated_current, l.switchable, t.seq from lines l left join line_latest t on t.line_id = l.id
       where device_id = $1 and n > 0 order by n`,
      [device.id],
    );
    expect(rows).toMatchObject([
      { n: 1, rated_current: 40 },
      { n: 2, rated_current: 32, switchable: true, seq: 1 },
    ]);
    expect(
      (await world.pool.query('select model, firmware from devices where id = $1', [device.id])).rows,
    ).toEqual([{ model: 'SW3-40', firmware: '1.4.2' }]);
  });

  it('updates its upload interval and whether remote control is enabled', async () => {
    const { client, number, device } = await connected();
    await publish(
      client,
      number,
      'cfg',
      { v: 1, rev: 2, p: { dev: { tele_s: 300 } }, en: { net_ctrl: false } },
      true,
    );
    expect(
      (await world.pool.query('select net_ctrl, upload_seconds from devices where id = $1', [device.id]))
        .rows,
    ).toEqual([{ net_ctrl: false, upload_seconds: 300 }]);
  });

  it('a position change is stored as an event, and the reported position changes', async () => {
    const { client, number, line, device } = await connected();
    const now = world.clock.now();
    await publish(client, number, 'tele', tele(1, now));
    const heard = world.hears('position.changed', device.id);
    await publish(client, number, 'event', {
      v: 1,
      boot: 1,
      seq: 3,
      t: now,
      eid: 'a',
      kind: 'pos',
      n: 1,
      sw: 0,
      by: 'trip',
      code: 301,
    });
    expect(await heard).toMatchObject([{ lineId: line, position: 0, cause: 'trip', code: 301 }]);
    await publish(client, number, 'tele', tele(2, now + 5));
    expect(await latestOf(line)).toMatchObject({ seq: 2, position: 0, position_seq: 3 });
    expect(
      (
        await world.pool.query(
          'select position, cause, received_at from position_events where line_id = $1',
          [line],
        )
      ).rows,
    ).toEqual([{ position: 0, cause: 'trip', received_at: new Date(now) }]);
  });

  it('an answer to a command is on disk, once, when its PUBACK arrives', async () => {
    const { client, number, device } = await connected();
    const id = randomUUID();
    const done = { v: 1, id, boot: 1, seq: 2, st: 'done', n: 1, sw: 0 };
    await publish(client, number, 'ack', { v: 1, id, boot: 1, seq: 1, st: 'accepted', n: 1 });
    await publish(client, number, 'ack', done);
    const receivedAt = new Date(world.clock.now());
    world.clock.advance(1000);
    await publish(client, number, 'ack', done);
    await publish(client, number, 'ack', { ...done, seq: 3, id: 'no command of ours' });
    const { rows } = await world.pool.query(
      'select command_id, received_at, ack from command_answers where device_id = $1 order by id',
      [device.id],
    );
    expect(rows).toMatchObject([{ ack: { st: 'accepted', seq: 1 } }, { ack: done }]);
    for (const row of rows) expect(row).toMatchObject({ command_id: id, received_at: receivedAt });
  });

  it('an answer of a device that numbers its answers separately is accepted, and hides none of its reports', async () => {
    const { client, number, device, line } = await connected();
    const now = world.clock.now();
    for (const seq of [1, 2, 3]) await publish(client, number, 'tele', tele(seq, now + seq));
    const id = randomUUID();
    const answers = ['accepted', 'done'].map((st, index) => ({
      v: 1,
      id,
      boot: 1,
      seq: index + 1,
      st,
      n: 1,
    }));
    for (const each of [...answers, ...answers]) await publish(client, number, 'ack', each);
    const later = [3, 4, 5, 6].map((seq) => ({ v: 1, id: randomUUID(), boot: 1, seq, st: 'done', n: 1 }));
    for (const each of later) await publish(client, number, 'ack', each);
    for (const seq of [4, 5, 6]) await publish(client, number, 'tele', tele(seq, now + seq));
    const { rows } = await world.pool.query(
      'select ack from command_answers where device_id = $1 order by id',
      [device.id],
    );
    expect(rows.map(({ ack }) => [ack.st, ack.seq])).toEqual([
      ...[
        ['accepted', 1],
        ['done', 2],
      ],
      ...later.map(({ st, seq }) => [st, seq]),
    ]);
    expect((await readingsOf(line)).map((row) => row.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('a fault-arc detector has no line that can be switched, even if it reports one', async () => {
    const { client, number, device } = await connected({ type: 5 });
    await publish(client, number, 'info', {
      ...{ v: 1, type: 5, model: 'D', fw: '1', caps: ['open', 'close'] },
      lines: [{ n: 1, ctl: true }],
    });
    const { rows } = await world.pool.query('select switchable from lines where device_id = $1 and n = 1', [
      device.id,
    ]);
    expect(rows).toEqual([{ switchable: false }]);
  });

  it('a trip reported by an event stays until a reading of a later sequence reports that it was reset', async () => {
    const { client, number, line } = await connected();
    const now = world.clock.now();
    const ln = (trip: number) => ({ ln: [{ n: 1, sw: 0, trip, U: { a: 230 }, I: { a: 0 } }] });
    await publish(client, number, 'tele', tele(1, now, ln(0)));
    const event = { v: 1, boot: 1, seq: 3, t: now, eid: 'a', kind: 'pos', n: 1, sw: 0 };
    await publish(client, number, 'event', { ...event, by: 'trip', code: 301 });
    expect(await latestOf(line)).toMatchObject({ position: 0, trip: 301 });
    await publish(client, number, 'tele', tele(2, now + 5, ln(0)));
    expect(await latestOf(line)).toMatchObject({ seq: 2, trip: 301 });
    await publish(client, number, 'tele', tele(4, now + 20, ln(0)));
    expect(await latestOf(line)).toMatchObject({ seq: 4, trip: 0 });
    await publish(client, number, 'event', { ...event, seq: 5, t: now + 30, eid: 'b', by: 'trip' });
    expect((await latestOf(line)).trip).toBe(701);
    await publish(client, number, 'event', { ...event, seq: 6, t: now + 31, eid: 'c', by: 'manual' });
    expect((await latestOf(line)).trip).toBe(701);
  });

  it('an answer to a command reaches the bus', async () => {
    const { client, number, device } = await connected();
    const heard = world.hears('device.ack', device.id);
    await publish(client, number, 'ack', { v: 1, id: 'c1', boot: 1, seq: 1, st: 'done', n: 1, sw: 0 });
    expect(await heard).toMatchObject({ deviceId: device.id, ack: { id: 'c1', st: 'done' } });
  });
});

it('the report waits for the lock on the device, without locking its lines', async () => {
  const { client, number, device, line } = await connected();
  await publish(client, number, 'tele', tele(1, world.clock.now() - 1000));
  const holder = await world.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from devices where id = $1 for no key update', [device.id]);
    const event = Promise.all([
      publish(client, number, 'tele', tele(2, world.clock.now())),
      publish(client, number, 'cfg', { v: 1, rev: 1, p: {}, en: { net_ctrl: true } }),
    ]);
    await eventually(async () => {
      const { rows } = await world.pool.query(
        `select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))`,
        [(holder as unknown as { processID: number }).processID],
      );
      return rows.length > 0;
    });
    await holder.query('select from line_latest where line_id = $1 for update nowait', [line]);
    await holder.query('commit');
    await event;
  } finally {
    holder.release(true);
  }
  expect(await latestOf(line)).toMatchObject({ seq: 2 });
});
