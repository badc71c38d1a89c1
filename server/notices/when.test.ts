import { describe, expect, it } from 'vitest';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { passes, raise, change, ledger, outcomes, add, webhook, subscribe, device, deviceWithContacts } =
  house;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('silence, window and switch', () => {
  it('suppresses repeats of a rule, device and type, but not a rise of the level or another line’s first alarm of severity 1', async () => {
    await webhook({ silence_minutes: 10 });
    const one = await device({ lines: 2 });
    await raise(one, { level: 1, severity: 2, code: 102 });
    await passes(1000);
    await house.world.db
      .updateTable('alarms')
      .set({ cleared_at: new Date(house.world.clock.now()) })
      .execute();
    const again = await raise(one, { level: 1, severity: 2, code: 102 });
    await passes(1000);
    expect(await outcomes(again)).toEqual(['raised webhook suppressed silence']);
    await house.world.db.updateTable('alarms').set({ level: 2 }).where('id', '=', again).execute();
    change(one, again, 'escalated');
    await passes(1000);
    expect(await outcomes(again)).toContain('escalated webhook accepted');
    await passes(11 * minute);
    await house.world.db
      .updateTable('alarms')
      .set({ cleared_at: new Date(house.world.clock.now()) })
      .execute();
    const later = await raise(one, { level: 1, severity: 2, code: 102 });
    await passes(1000);
    expect(await outcomes(later)).toEqual(['raised webhook accepted']);
  });
  it('does not suppress the work order of a higher level that follows a handled early warning, also if another line has notified', async () => {
    await webhook({ silence_minutes: 60 });
    for (const [code, severity] of [
      [402, 1],
      [101, 2],
    ] as const) {
      const one = await device({ lines: 2 });
      const warning = await raise(one, { level: 1, severity: severity + 1, code });
      await passes(1000);
      await house.operator.call('/device_warning/handle', { id: warning, content: 'seen to' });
      await house.clear(warning);
      const elsewhere = await raise({ ...one, lines: one.lines.toReversed() }, { level: 2, severity, code });
      await passes(20 * minute);
      expect(await outcomes(elsewhere)).toContain('raised webhook accepted');
      const higher = await raise(one, { level: 2, severity, code });
      await passes(1000);
      expect(await outcomes(higher)).toEqual(['raised webhook accepted']);
      await house.clear(higher);
      const again = await raise(one, { level: 2, severity, code });
      await passes(1000);
      expect(await outcomes(again)).toEqual(['raised webhook suppressed silence']);
    }
  });
  it('collects alarms outside the window in one digest, sent when the window opens, without alarms handled meanwhile', async () => {
    const night = Math.ceil(house.world.clock.now() / day) * day + 15 * hour; // 23:00 in Shanghai
    house.world.clock.set(night);
    await house.signIn();
    await webhook({ window_from: '08:00', window_to: '20:00' });
    const ids = [
      await raise(await device(), { severity: 3 }),
      await raise(await device(), { severity: 3 }),
      await raise(await device(), { severity: 3 }),
    ];
    const urgent = await raise(await device(), { severity: 1 });
    await passes(1000);
    expect(house.service.heard).toHaveLength(1);
    expect(await outcomes(urgent)).toEqual(['raised webhook accepted']);
    expect(await outcomes(ids[0]!)).toEqual(['digest webhook queued window']);
    await house.operator.call('/device_warning/handle', { id: ids[2], content: 'seen to' });
    await house.operator.call('/device_warning/handle', { id: urgent, content: 'seen to' });
    house.service.heard.length = 0;
    house.world.clock.set(night + 9 * hour + 1000);
    await house.notices.idle();
    await passes(6000);
    const bodies = house.service.heard.map((request) => JSON.parse(request.body));
    expect(bodies.filter((body) => body.kind === 'digest').map((body) => body.alarms)).toEqual([2]);
    expect(await outcomes(ids[2]!)).toContain('digest webhook suppressed handled');
  });
  it('a digest that the database refuses holds back no other notice', async () => {
    const night = Math.ceil(house.world.clock.now() / day) * day + 15 * hour; // 23:00 in Shanghai
    house.world.clock.set(night);
    await house.signIn();
    await webhook({ window_from: '08:00', window_to: '20:00' });
    await webhook({ window_from: '08:00', window_to: '21:00' });
    await raise(await device(), { severity: 3 });
    await raise(await device(), { severity: 3 });
    await passes(1000);
    const { pool } = house.world;
    await pool.query(`
      create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end';
      create trigger refuse before update on deliveries for each row when
        (new.reason = 'grouped' and new.notice_id % 2 = 0) execute function refuse()`);
    house.world.clock.set(night + 9 * hour + 1000);
    await house.notices.idle();
    await passes(6000);
    await pool.query('drop function refuse cascade');
    const bodies = house.service.heard.map((request) => JSON.parse(request.body));
    expect(bodies.map(({ kind, alarms }) => [kind, alarms])).toContainEqual(['digest', 2]);
  });
  it('reports an alarm later if it was still part of an outage when its digest was due', async () => {
    const night = Math.ceil(house.world.clock.now() / day) * day + 15 * hour; // 23:00 in Shanghai
    house.world.clock.set(night);
    await house.signIn();
    await webhook({ window_from: '08:00', window_to: '20:00' });
    const one = await device();
    const id = await raise(one, { severity: 3 });
    await passes(1000);
    const held = (suppressed_by: number | null) =>
      house.world.db.updateTable('alarms').set({ suppressed_by }).where('id', '=', id).execute();
    await held(1);
    house.world.clock.set(night + 9 * hour + 1000);
    await house.notices.idle();
    await passes(6000);
    expect(house.service.heard).toEqual([]);
    await held(null);
    house.world.clock.set(night + 11 * hour);
    change(one, id, 'raised');
    await passes(1000);
    await passes(6000);
    expect(await outcomes(id)).toEqual(['digest webhook suppressed consequence', 'digest webhook accepted']);
    await passes(6000);
    expect(house.service.heard).toHaveLength(1);
  });
  it('records that a rule is switched off as the reason why nothing is sent', async () => {
    await webhook({ enabled: false });
    const id = await raise(await device());
    await passes(1000);
    expect(await outcomes(id)).toEqual(['raised webhook suppressed disabled']);
  });
  it('sends a backlog’s alarm only if it is critical, and marks it', async () => {
    await webhook();
    const low = await raise(await device(), { late: true, severity: 3 });
    const high = await raise(await device(), { late: true, severity: 1 });
    await passes(1000);
    expect(await outcomes(low)).toEqual(['raised webhook suppressed late']);
    expect(await outcomes(high)).toEqual(['raised webhook accepted']);
    expect(JSON.parse(house.service.heard[0]!.body)).toMatchObject({ late: true });
  });
  it.each([true, false])(
    'sends an alarm of a backlog once live data confirms it, with its event: %s',
    async (isHeard) => {
      await webhook();
      const one = await device();
      const id = await raise(one, { late: true, severity: 2 });
      await passes(minute);
      expect(await outcomes(id)).toEqual(['raised webhook suppressed late']);
      await house.world.db.updateTable('alarms').set({ late: false }).where('id', '=', id).execute();
      if (isHeard) change(one, id, 'raised');
      await passes(6000);
      await passes(6000);
      expect(await outcomes(id)).toEqual(['raised webhook suppressed late', 'raised webhook accepted']);
    },
  );
  it('sends an alarm that was hidden as a consequence before its message left, once it is shown again', async () => {
    await webhook();
    const one = await device();
    house.service.answer(() => ({ status: 503 }));
    const id = await raise(one, { severity: 2 });
    await passes(1000);
    const held = (suppressed_by: number | null) =>
      house.world.db.updateTable('alarms').set({ suppressed_by }).where('id', '=', id).execute();
    await held(1);
    house.service.answer(() => ({ status: 201 }));
    await passes(20_000);
    await held(null);
    change(one, id, 'raised');
    await passes(1000);
    expect(await outcomes(id)).toEqual(['raised webhook suppressed consequence', 'raised webhook accepted']);
  });
});

describe('a storm', () => {
  it('a storm of two thousand alarms sends the thousand of severity 1 and 2 in groups, and one push each for the others', async () => {
    await webhook();
    await subscribe(house.operator, '/push/desk');
    await add(house.operator, {
      channel: 'app',
      user_ids: [house.operator.userId],
      project_ids: [house.project.id],
    });
    const devices = await Promise.all(Array.from({ length: 20 }, () => device()));
    const ids: number[] = [];
    for (let second = 0; second < 10; second += 1) {
      const { rows } = await house.world.pool.query<{ id: number; line_id: number; device_id: number }>(
        `insert into alarms (line_id, id, device_id, project_id, code, phase, level, severity, source, work_order, raised_at,
           received_at, last_at, cleared_at, value_type)
         select line, nextval('alarm_ids'), device, $3, 101, 0, 2, 1 + (n % 4), 'server', 'W', $4, $4, $4, $4, 1
         from unnest($1::int[], $2::int[]) with ordinality as d (line, device, k), generate_series(1, 10) n
         returning id, line_id, device_id`,
        [
          devices.map((one) => one.lines[0]!.id),
          devices.map((one) => one.id),
          house.project.id,
          new Date(house.world.clock.now()),
        ],
      );
      ids.push(...rows.map((row) => row.id));
      house.world.bus.emit(
        'alarms.changed',
        rows.map((row) => ({
          lineId: row.line_id,
          alarmId: row.id,
          deviceId: row.device_id,
          projectId: house.project.id,
          partId: null,
          code: 101,
          level: 2 as const,
          severity: 1,
          kind: 'raised' as const,
          quiet: false,
        })),
      );
      await passes(1000);
    }
    await passes(5000);
    expect(ids).toHaveLength(2000);
    // All alarms end at once and their all-clears follow, so only messages about raised alarms are counted.
    const hooks = house.service.heard.filter(
      ({ path, body }) => path === '/hook' && JSON.parse(body).kind === 'raised',
    );
    const named = hooks.flatMap(
      ({ body }) => JSON.parse(body).list as { severity: number; alarm_id: number }[],
    );
    const grave = named.filter(({ severity }) => severity <= 2);
    expect(new Set(grave.map(({ alarm_id }) => alarm_id)).size).toBe(1000);
    expect(named).toHaveLength(1000);
    expect(hooks).toHaveLength(10);
    const { rows: pushes } = await house.world.pool.query<{ n: number }>(
      `select count(*)::int as n from deliveries where channel = 'app' and state = 'accepted' and kind = 'raised'`,
    );
    expect(pushes).toEqual([{ n: 10 * Math.ceil(100 / 12) }]);
    const { rows } = await house.world.pool.query<{ channel: string; n: number }>(
      'select channel, count(distinct alarm_id) as n from deliveries where alarm_id = any($1) group by 1 order by 1',
      [ids],
    );
    expect(rows).toEqual([
      { channel: 'app', n: 2000 },
      { channel: 'webhook', n: 2000 },
    ]);
    // How all-clears are grouped depends on when the sender claims them, so only raised alarms are counted.
    const { rows: read } = await house.world.pool.query<{ alarms: number; n: number }>(
      `select (data ->> 'alarms')::int as alarms, count(*)::int as n from messages
       where key = 'alarm.raised' group by 1 order by 1`,
    );
    expect(read).toEqual([
      { alarms: 4, n: 10 },
      { alarms: 12, n: 80 },
    ]);
  });
});

describe('until a user acts', () => {
  it('severity 1 goes to contact 2 after 5 min, the region after 15, the platform after 60, and repeats every 30', async () => {
    const regional = await makeUser(house.world.db, { role: 2, region_id: 440000 });
    await makeUser(house.world.db, { role: 2, region_id: 310000 });
    const one = await deviceWithContacts();
    await webhook();
    const id = await raise(one, { severity: 1 });
    await passes(1000);
    const listed = async (ms: number) => {
      await passes(ms);
      return (await ledger(id)).map((row) => row.recipient);
    };
    expect(await listed(4 * minute)).toHaveLength(1);
    expect(await listed(70_000)).toContainEqual(expect.stringContaining('(Second, 13900000002)'));
    expect(await listed(10 * minute)).toContain(regional.nickname);
    expect((await listed(15 * minute)).filter((name) => name.startsWith('127.0.0.1'))).toHaveLength(2);
    const all = await listed(30 * minute);
    expect(all.filter((name) => name.startsWith('127.0.0.1'))).toHaveLength(3);
    expect(all).toHaveLength(6);
    await house.operator.call('/device_warning/handle', { id, content: 'seen to' });
    const count = (await ledger(id)).length;
    await passes(2 * 3_600_000);
    expect((await ledger(id)).length).toBe(count);
  });
  it('the chain begins anew when an early warning becomes an alarm', async () => {
    const regional = await makeUser(house.world.db, { role: 2, region_id: 440000 });
    const one = await deviceWithContacts();
    const id = await raise(one, { level: 1, severity: 2, code: 402 });
    await passes(1000);
    await passes(31 * minute);
    const listed = async () => (await ledger(id)).map((row) => row.recipient);
    const before = await listed();
    expect(before).toEqual([expect.stringContaining('(Second, 13900000002)')]);
    await house.world.db.updateTable('alarms').set({ level: 2, severity: 1 }).where('id', '=', id).execute();
    change(one, id, 'escalated');
    await passes(1000);
    expect(await listed()).toEqual(before);
    await passes(5 * minute);
    expect(await listed()).toHaveLength(2);
    await passes(10 * minute);
    expect(await listed()).toContain(regional.nickname);
  });
  it('until a user acts, each reminder goes to the next contact, and the log names a contact without an account as not reached', async () => {
    const one = await deviceWithContacts();
    const id = await raise(one, { severity: 4 });
    await passes(1000);
    expect((await house.operator.call('/device_warning/toPush', { id })).data.done).toBe(1);
    await passes(1000);
    expect((await ledger(id)).map((row) => `${row.recipient} ${row.reason}`)).toEqual([
      'First (13900000001) no_account',
      expect.stringContaining('(Second, 13900000002) no_subscription'),
    ]);
    expect((await house.operator.call('/device_warning/toPush', { id })).data.skipped).toBe(1);
    expect((await house.operator.call('/system_message/getMessageType')).data.list).toContainEqual(
      expect.objectContaining({ type: 'urge', unread: 1 }),
    );
  });
  it('a shelved alarm notifies no user until its shelving ends or its level rises', async () => {
    await webhook();
    const shelve = (id: number) =>
      house.operator.call('/device_warning/shelve', {
        ids: [id],
        minutes: 120,
        reason: 'contractor on site',
      });
    const one = await device();
    const id = await raise(one, { severity: 1, level: 1 });
    await passes(1000);
    expect((await shelve(id)).data.done).toBe(1);
    await passes(90 * minute);
    expect(await outcomes(id)).toEqual(['raised webhook accepted']);
    await passes(31 * minute);
    const after = await outcomes(id);
    expect(after.length).toBeGreaterThan(1);
    expect((await shelve(id)).data.done).toBe(1);
    await passes(40 * minute);
    expect(await outcomes(id)).toEqual(after);
    await house.operator.call('/device_warning/unshelve', { ids: [id] });
    await passes(1000);
    const back = await outcomes(id);
    expect(back.length).toBeGreaterThan(after.length);
    expect((await shelve(id)).data.done).toBe(1);
    await house.world.db.updateTable('alarms').set({ level: 2 }).where('id', '=', id).execute();
    change(one, id, 'escalated');
    await passes(1000);
    expect(await outcomes(id)).toContain('escalated webhook accepted');
  });
  it('sends an alarm that was shelved before its notice was planned, when it returns', async () => {
    await webhook();
    const id = await raise(await device(), { severity: 2 });
    await house.operator.call('/device_warning/shelve', { ids: [id], minutes: 30, reason: 'known fault' });
    await passes(minute);
    expect(await outcomes(id)).toEqual(['raised webhook suppressed shelved']);
    await passes(30 * minute);
    expect(await outcomes(id)).toContain('raised webhook accepted');
  });
  it('the reminders of an alarm continue when its shelving ends, also if it was shelved again for a shorter time', async () => {
    const id = await raise(await deviceWithContacts(), { severity: 1 });
    const shelve = (minutes: number) =>
      house.operator.call('/device_warning/shelve', { ids: [id], minutes, reason: 'known fault' });
    await passes(1000);
    await shelve(480);
    await passes(6 * minute);
    expect(await ledger(id)).toEqual([]);
    await shelve(10);
    await passes(11 * minute);
    expect((await ledger(id)).map((row) => row.recipient)).toContainEqual(
      expect.stringContaining('(Second, 13900000002)'),
    );
  });
  it('says why nothing was sent of an alarm that was handled while it was shelved', async () => {
    await webhook();
    const id = await raise(await device(), { severity: 2 });
    await house.operator.call('/device_warning/shelve', { ids: [id], minutes: 30, reason: 'known fault' });
    await passes(minute);
    await house.operator.call('/device_warning/handle', { id, content: 'seen to' });
    for (let times = 0; times < 3; times += 1) await passes(31 * minute);
    expect(await outcomes(id)).toEqual([
      'raised webhook suppressed shelved',
      'raised webhook suppressed handled',
    ]);
  });
  it('says why nothing was sent of an alarm that was handled at once', async () => {
    await webhook();
    const id = await raise(await device(), { severity: 1 });
    await house.operator.call('/device_warning/handle', { id, content: 'seen to' });
    for (let times = 0; times < 3; times += 1) await passes(6000);
    expect(await outcomes(id)).toEqual(['raised webhook suppressed handled']);
  });
  it('finds alarms whose event was lost and plans their notices', async () => {
    await webhook();
    const one = await device();
    const id = await makeAlarm(house.world.pool, one, { at: house.world.clock.now() });
    await passes(6000);
    expect(await outcomes(id)).toEqual(['raised webhook accepted']);
  });
});

it('holds nothing back for what was sent before the server clock was set back', async () => {
  await webhook({ silence_minutes: 60 });
  const one = await device({ lines: 2 });
  await raise(one, { level: 1, severity: 2, code: 102 });
  await passes(1000);
  await house.world.db
    .updateTable('alarms')
    .set({ cleared_at: new Date(house.world.clock.now()) })
    .execute();
  house.world.clock.step(-2 * hour);
  const again = await raise(one, { level: 1, severity: 2, code: 102 });
  await passes(1000);
  expect(await outcomes(again)).toEqual(['raised webhook accepted']);
  house.world.clock.step(2 * hour);
});
