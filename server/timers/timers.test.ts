import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '#database/connect.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { makeSwitch, observe, type Switch } from '#test/switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { becomes, eventually } from '#test/wait.ts';
import type { Client } from '#test/world.ts';
import { claimDue } from './claim.ts';

let world: SwitchingWorld;
let project: number;
let annaId: number;
let anna: Client;
let device: Switch;
beforeAll(async () => {
  world = await createSwitchingWorld();
  project = (await makeProject(world.db)).id;
  annaId = (await makeUser(world.db, { role: 3, username: 'anna', projects: [{ id: project }] })).id;
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.deleteFrom('timers').execute();
  anna = await world.as(annaId);
  device = await makeSwitch(world, project);
});

const minuteMs = 60_000;
const zoneMs = 8 * 3_600_000; // Asia/Shanghai
const local = (at: number) => new Date(at + zoneMs).toISOString();
/** Fields of a timer that comes due at the next full minute after `minutes`. */
const comingIn = (minutes: number) => {
  const at = Math.ceil(world.clock.now() / minuteMs) * minuteMs + minutes * minuteMs;
  return {
    at,
    weekday: `w${((new Date(at + zoneMs).getUTCDay() + 6) % 7) + 1}`,
    type: 'once',
    date: local(at).slice(0, 10),
    time: local(at).slice(11, 16),
  };
};
const add = async (given: object, by = anna) => {
  const answer = await by.call('/device_timing/add_device_timing', { line_id: device.line.id, ...given });
  expect(answer, answer.msg).toMatchObject({ status: 200 });
  return answer.data;
};
const reports = async (which = device) => {
  const now = world.clock.now();
  await world.db
    .updateTable('device_state')
    .set({ online: true, last_seen: new Date(now) })
    .where('device_id', '=', which.id)
    .execute();
  for (const line of which.lines) await observe(world.db, line.id, now);
};
/** Advances the clock while the devices keep reporting. */
const comes = async (at: number) => {
  const before = world.clock.now();
  await world.db
    .updateTable('device_state')
    .set({ last_seen: new Date(at) })
    .where('device_id', '=', device.id)
    .execute();
  for (const line of device.lines) await observe(world.db, line.id, at);
  world.clock.advance(at - before);
};
const ran = (timerId: number) => world.hears('timer.ran', (run) => run.timerId === timerId);
const runsOf = (timerId: number) =>
  world.db.selectFrom('timer_runs').selectAll().where('timer_id', '=', timerId).orderBy('due_at').execute();

const everyDay = { w1: 1, w2: 1, w3: 1, w4: 1, w5: 1, w6: 1, w7: 1 };

describe('the calls', () => {
  test('a timer can be added, shown with its next run, filtered and read', async () => {
    const { at, time } = comingIn(5);
    const timer = await add({ time, type: 'weekly', w5: 1, action: 'open' });
    expect(timer).toMatchObject({
      line_id: device.line.id,
      w5: true,
      w6: false,
      next_at: new Date(at).toISOString(),
      time_zone: 'Asia/Shanghai',
      author: expect.any(String),
      sync: null,
      done: false,
      revision: 1,
    });
    for (const [filters, total] of [
      [{ device_id: device.id }, 1],
      [{ line_id: device.line.id, action: 'open' }, 1],
      [{ project_id: project, action: 'close' }, 0],
      [{ project_id: project, run_by: 'device' }, 0],
    ] as const) {
      const { data } = await anna.call('/device_timing/get_list', { ...filters, sort: 'next_at', limit: 5 });
      expect(data.total).toBe(total);
    }
    const read = await world.app.inject({
      url: `/device_timing/edit_device_titming?timer_id=${timer.timer_id}`,
      headers: { authorization: anna.token },
    });
    expect(read.json().data).toMatchObject({ timer_id: timer.timer_id });
    const lines = await anna.call('/device_timing/get_device_line', { device_id: device.id });
    expect(lines.data).toMatchObject({ held_most: 0, lines: [{ line_id: device.line.id, timers: 1 }] });
  });

  test('a timer lists the tags on its line, its device and its project, however many newer tags there are', async () => {
    const timer = await add({ type: 'weekly', time: '10:00', w5: 1, action: 'open' });
    const [{ id: lineId }, { id: otherLine }] = [device.line, (await makeSwitch(world, project)).line];
    const set = (on: { line_id: number } | { device_id: number } | { project_id: number }, reason: string) =>
      world.db
        .insertInto('lockout_tags')
        .values({ ...on, reason, owner_id: annaId, set_at: new Date(world.clock.now()) })
        .execute();
    await set({ line_id: lineId }, 'own line');
    await set({ device_id: device.id }, 'own device');
    await set({ project_id: project }, 'own project');
    const elsewhere = (await makeProject(world.db)).id;
    await world.pool.query(
      `insert into lockout_tags (line_id, reason, owner_id, set_at)
       select $1, 'other line ' || n, $2, $3::timestamptz + n * interval '1 second' from generate_series(1, 250) n`,
      [otherLine, annaId, new Date(world.clock.now())],
    );
    await set({ project_id: elsewhere }, 'other project');
    const { data } = await anna.call('/device_timing/get_list', { device_id: device.id });
    const reasons = data.list[0].tags.map(({ reason }: { reason: string }) => reason);
    expect(reasons.toSorted()).toEqual(['own device', 'own line', 'own project']);
    expect(data.list[0]).toMatchObject({
      timer_id: timer.timer_id,
      tags: [{ owner: expect.any(String) }, {}, {}],
    });
    await world.db.deleteFrom('lockout_tags').execute();
    const { data: after } = await anna.call('/device_timing/get_list', { device_id: device.id });
    expect(after.list[0].tags).toEqual([]);
  });

  test.each([
    ['zh-CN', '请至少选择一天（星期几）'],
    ['en-US', 'Choose at least one weekday'],
    ['ru-RU', 'Выберите хотя бы один день недели'],
  ])('errors are marked at their fields: %s', async (language, sentence) => {
    const wrong = (given: object) =>
      anna.call(
        '/device_timing/add_device_timing',
        { line_id: device.line.id, time: '08:00', action: 'open', ...given },
        { 'accept-language': language },
      );
    expect(await wrong({ type: 'weekly' })).toMatchObject({ status: 422, data: { w1: sentence } });
    expect((await wrong({ type: 'once' })).data).toHaveProperty('date');
    expect((await wrong({ type: 'once', date: '2026-11-19' })).data).toHaveProperty('date');
    expect((await wrong({ type: 'once', date: '2026-02-30' })).data).toHaveProperty('date');
    expect((await wrong({ type: 'weekly', w1: 1, time: '24:00' })).data).toHaveProperty('time');
    expect((await wrong({ type: 'weekly', w1: 1, run_by: 'device' })).data).toHaveProperty('run_by');
  });

  test('the second of two editors sees the present values', async () => {
    const timer = await add({ ...comingIn(60), action: 'open', at: undefined, weekday: undefined });
    const edit = (revision: number, time: string) =>
      anna.call('/device_timing/edit_device_titming', {
        timer_id: timer.timer_id,
        revision,
        type: 'weekly',
        w1: true,
        time,
        action: 'close',
      });
    expect(await edit(1, '07:00')).toMatchObject({ status: 200, data: { time: '07:00', revision: 2 } });
    expect(await edit(1, '09:00')).toMatchObject({ status: 409, data: { time: '07:00', revision: 2 } });
  });

  test('a timer of another project is unknown, and a user without the permission to switch cannot add one', async () => {
    const timer = await add({ ...comingIn(60), action: 'open', at: undefined, weekday: undefined });
    const other = await makeProject(world.db);
    const stranger = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: other.id }] })).id);
    const rule = { type: 'weekly', w1: true, time: '08:00', action: 'open' };
    for (const [path, body] of [
      ['/device_timing/edit_device_titming', { timer_id: timer.timer_id, revision: 1, ...rule }],
      ['/device_timing/add_device_timing', { line_id: device.line.id, ...rule }],
      ['/device_timing/get_device_line', { device_id: device.id }],
    ] as const)
      expect((await stranger.call(path, body)).status).toBe(404);
    for (const path of ['/device_timing/get_list', '/device_timing/get_runs', '/device_timing/preview']) {
      const { data } = await stranger.call(path, { device_id: device.id });
      expect(data.list ?? data.runs).toEqual([]);
    }
    const removed = await stranger.call('/device_timing/delete_device_timing', {
      timer_ids: [timer.timer_id],
    });
    expect(removed.data.results).toMatchObject([{ result: 'denied' }]);
    const planner = await world.as(
      (await makeUser(world.db, { role: 77, letters: 'C', projects: [{ id: project }] })).id,
    );
    expect(
      (await planner.call('/device_timing/add_device_timing', { line_id: device.line.id, ...rule })).status,
    ).toBe(403);
    const gone = await anna.call('/device_timing/delete_device_timing', { timer_ids: [timer.timer_id] });
    expect(gone.data.results).toMatchObject([{ result: 'done' }]);
  });

  test('the coming week is previewed, with conflicts marked', async () => {
    await add({ type: 'weekly', w1: 1, w3: 1, time: '08:00', action: 'close' });
    await add({ type: 'weekly', w3: 1, time: '08:00', action: 'open' });
    const { data } = await anna.call('/device_timing/preview', { line_id: device.line.id });
    expect(
      data.runs.map((run: Record<string, unknown>) => [
        run['date'],
        run['action'],
        run['conflict'],
        run['wins'],
      ]),
    ).toEqual([
      ['2026-11-23', 'close', false, false],
      ['2026-11-25', 'close', true, false],
      ['2026-11-25', 'open', true, true],
    ]);
  });
});

describe('when a timer comes due', () => {
  test('a timer that comes due switches through the guard for its author, and moves on by a week', async () => {
    const { at, weekday, time } = comingIn(3);
    const timer = await add({ time, type: 'weekly', [weekday]: 1, action: 'close' });
    await comes(at - 1);
    expect(await runsOf(timer.timer_id)).toEqual([]);
    await comes(at);
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'fired', dueAt: at, projectId: project });
    const [run] = await runsOf(timer.timer_id);
    const command = await world.db
      .selectFrom('commands')
      .selectAll()
      .where('id', '=', run!.command_id)
      .executeTakeFirstOrThrow();
    expect(command).toMatchObject({
      verb: 'close',
      cause: 'timer',
      operator: 'anna',
      line_id: device.line.id,
    });
    await eventually(async () => world.link.publishedTo(device).some((one) => one.command.id === command.id));
    const { data } = await anna.call('/device_timing/get_list', { line_id: device.line.id });
    expect(data.list[0]).toMatchObject({
      next_at: new Date(at + 7 * 86_400_000).toISOString(),
      last_run: { outcome: 'fired', command_id: command.id },
    });
    const logged = await world.db
      .selectFrom('operation_log')
      .select(['key', 'outcome', 'channel', 'operator'])
      .where('device_id', '=', device.id)
      .where('key', '=', 'timer.fire')
      .execute();
    expect(logged).toEqual([{ key: 'timer.fire', outcome: 'done', channel: 'timer', operator: 'anna' }]);
  });

  test('a once timer ends as done', async () => {
    const { at, weekday: _day, ...when } = comingIn(3);
    const timer = await add({ ...when, action: 'open' });
    await comes(at);
    await ran(timer.timer_id);
    const { data } = await anna.call('/device_timing/get_list', { line_id: device.line.id });
    expect(data.list[0]).toMatchObject({ done: true, next_at: null });
  });

  test('a run shows the state of its command, and a run without a command shows none', async () => {
    const { at, weekday: _day, ...when } = comingIn(2);
    const fired = await add({ ...when, action: 'open' });
    await comes(at);
    await ran(fired.timer_id);
    const next = comingIn(2);
    const missed = await add({ ...next, at: undefined, weekday: undefined, action: 'close' });
    await comes(next.at + 120_001);
    await ran(missed.timer_id);
    // The command may expire between the two calls, so both are repeated until they agree.
    const [late, sent] = await eventually(async () => {
      const { data } = await anna.call('/device_timing/get_runs', { line_id: device.line.id });
      const { command_id, command_state } = data.list[1];
      const command = await anna.call('/device_do/get_command', { command_id });
      return command.data.state === command_state && data.list;
    });
    expect(late).toMatchObject({ outcome: 'missed', command_state: null });
    expect(sent).toMatchObject({ outcome: 'fired' });
  });

  test('each run of a timer happens once with many nodes', async () => {
    const others = await Promise.all([0, 1, 2].map(() => makeSwitch(world, project)));
    const { at, weekday: _day, ...when } = comingIn(2);
    const timers = await Promise.all(
      others.map((other) => add({ ...when, line_id: other.line.id, action: 'open' })),
    );
    const nodes = [0, 1, 2].map(() => world.anotherTimers());
    for (const node of nodes) await node.start();
    world.clock.advance(at - world.clock.now() - 1);
    for (const other of others) await reports(other);
    world.clock.advance(1);
    for (const timer of timers) await ran(timer.timer_id);
    for (const node of nodes) await node.stop();
    for (const timer of timers) {
      expect(await runsOf(timer.timer_id)).toMatchObject([{ outcome: 'fired' }]);
      expect(world.heard('timer.ran').filter((run) => run.timerId === timer.timer_id)).toHaveLength(1);
    }
    for (const other of others) {
      const commands = await world.db
        .selectFrom('commands')
        .where('device_id', '=', other.id)
        .selectAll()
        .execute();
      expect(commands).toHaveLength(1);
    }
  });

  test('a timer fires up to 120 s late; later it is missed and reported', async () => {
    const { at, weekday: _day, ...when } = comingIn(2);
    const late = await add({ ...when, action: 'open' });
    await comes(at + 120_000);
    expect(await ran(late.timer_id)).toMatchObject({ outcome: 'fired' });

    const next = comingIn(2);
    const missed = await add({ ...next, at: undefined, weekday: undefined, action: 'close' });
    await comes(next.at + 120_001);
    expect(await ran(missed.timer_id)).toMatchObject({ outcome: 'missed', reason: 'timer.late' });
    const { data } = await anna.call(
      '/device_timing/get_runs',
      { line_id: device.line.id },
      { 'accept-language': 'en-US' },
    );
    expect(data.list[0]).toMatchObject({
      outcome: 'missed',
      message: 'Its time had passed: not carried out',
    });
  });

  test('after a server was down, each run of that time is reported as missed once, and none is carried out late', async () => {
    const { at, time } = comingIn(2);
    const timer = await add({ time, type: 'weekly', ...everyDay, action: 'close' });
    await comes(at + 3 * 86_400_000 + 600_000);
    await ran(timer.timer_id);
    expect((await runsOf(timer.timer_id)).map((run) => run.outcome)).toEqual(Array(4).fill('missed'));
    expect(world.link.publishedTo(device)).toEqual([]);
  });

  describe('when the clock was ahead and is set back', () => {
    /** A round begins now instead of within a minute. */
    const looks = () => world.bus.emit('timer.changed', { deviceId: device.id });
    const become = (timerId: number, expected: (string | null)[]) =>
      becomes(async () => (await runsOf(timerId)).map(({ outcome, reason }) => reason ?? outcome), expected);

    test('runs that were missed because of it happen at their time', async () => {
      device = await makeSwitch(world, project, 2);
      const { at, weekday: _day, ...once } = comingIn(5);
      const timers = await Promise.all([
        add({ ...once, action: 'close' }),
        add({ time: once.time, type: 'weekly', ...everyDay, action: 'close', line_id: device.lines[1]!.id }),
      ]);
      world.clock.step(2 * 86_400_000);
      looks();
      await become(timers[0]!.timer_id, ['timer.late']);
      await become(timers[1]!.timer_id, ['timer.late', 'timer.late']);
      world.clock.step(-2 * 86_400_000);
      looks();
      const coming = () =>
        world.db
          .selectFrom('timers')
          .select(['next_at', 'done_at'])
          .where('device_id', '=', device.id)
          .execute();
      await becomes(coming, Array(2).fill({ next_at: new Date(at), done_at: null }));
      await comes(at);
      await become(timers[0]!.timer_id, ['fired']);
      await become(timers[1]!.timer_id, ['fired', 'timer.late']);
      await eventually(async () => world.link.publishedTo(device).length === 2);
    });

    test('a timer that was added then does not wait for the time that the clock showed', async () => {
      const { at, time } = comingIn(5);
      world.clock.step(30 * 86_400_000);
      anna = await world.as(annaId);
      const timer = await add({ time, type: 'weekly', ...everyDay, action: 'open' });
      world.clock.step(-30 * 86_400_000);
      looks();
      await becomes(async () => {
        const { data } = await anna.call('/device_timing/get_list', {
          line_id: device.line.id,
          sort: 'next_at',
        });
        return data.list[0].next_at;
      }, new Date(at).toISOString());
      await comes(at);
      await become(timer.timer_id, ['fired']);
    });

    test('a run that fired does not happen again, and the preview leaves it out', async () => {
      const { at, time } = comingIn(2);
      const timer = await add({ time, type: 'weekly', ...everyDay, action: 'open' });
      await comes(at);
      await become(timer.timer_id, ['fired']);
      world.clock.step(-3_600_000);
      looks();
      const tomorrow = new Date(at + 86_400_000).toISOString();
      const { data } = await anna.call('/device_timing/preview', { line_id: device.line.id });
      expect(data.runs[0].at).toBe(tomorrow);
      const { data: shown } = await anna.call('/device_timing/get_list', { line_id: device.line.id });
      expect(shown.list[0].next_at).toBe(tomorrow);
      await comes(at);
      await eventually(async () => {
        const { next_at } = await world.db
          .selectFrom('timers')
          .select('next_at')
          .where('id', '=', timer.timer_id)
          .executeTakeFirstOrThrow();
        return next_at?.toISOString() === tomorrow;
      });
      await become(timer.timer_id, ['fired']);
      expect(world.link.publishedTo(device)).toHaveLength(1);
    });
  });

  test('a run is missed while its device is away', async () => {
    const { at, weekday: _day, ...when } = comingIn(2);
    const timer = await add({ ...when, action: 'close' });
    await world.db
      .updateTable('device_state')
      .set({ online: false })
      .where('device_id', '=', device.id)
      .execute();
    world.clock.advance(at - world.clock.now());
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'missed', reason: 'control.offline' });
  });

  test('a run that the guard refuses is skipped with its reason', async () => {
    const { at, weekday: _day, ...when } = comingIn(2);
    const timer = await add({ ...when, action: 'close' });
    const tag = await anna.call('/lockout_tag/add_tag', { device_id: device.id, reason: 'Busbar work' });
    expect(tag.status).toBe(200);
    await comes(at);
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'skipped', reason: 'control.tagged' });
    const { data } = await anna.call(
      '/device_timing/get_list',
      { line_id: device.line.id },
      { 'accept-language': 'en-US' },
    );
    expect(data.list[0].last_run.message).toBe('A lock-out tag forbids this: Busbar work (anna)');
    const [logged] = await world.db
      .selectFrom('operation_log')
      .select(['outcome', 'parameters'])
      .where('device_id', '=', device.id)
      .where('key', '=', 'timer.fire')
      .execute();
    expect(logged).toMatchObject({ outcome: 'refused', parameters: { fault: 'control.tagged' } });
  });

  test.each([
    ['disabled', { enabled: false }],
    ['without the project', null],
  ])('a timer of an author who is %s does not fire, and its run has the reason', async (_, change) => {
    const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
    const { at, weekday: _day, ...when } = comingIn(2);
    const timer = await add({ ...when, action: 'close' }, await world.as(user.id));
    if (change) await world.db.updateTable('users').set(change).where('id', '=', user.id).execute();
    else await world.db.deleteFrom('user_projects').where('user_id', '=', user.id).execute();
    await comes(at);
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'skipped', reason: 'timer.author' });
  });

  test.each([1, 3])('a timer does not open a critical line, for any author (role %i)', async (role) => {
    const user = await makeUser(world.db, { role, projects: [{ id: project }] });
    await world.db.updateTable('lines').set({ critical: true }).where('id', '=', device.line.id).execute();
    const { at, weekday: _day, ...when } = comingIn(2);
    const timer = await add({ ...when, action: 'open' }, await world.as(user.id));
    await comes(at);
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'skipped', reason: 'control.critical_line' });
    expect(world.link.publishedTo(device)).toEqual([]);
  });

  test('open wins over close in the same minute on the same line', async () => {
    const { at, weekday: _day, ...when } = comingIn(2);
    const close = await add({ ...when, action: 'close' });
    const open = await add({ ...when, action: 'open' });
    await comes(at);
    expect(await ran(close.timer_id)).toMatchObject({ outcome: 'skipped', reason: 'timer.openWins' });
    expect(await ran(open.timer_id)).toMatchObject({ outcome: 'fired' });
  });

  test('a closing timer that fires late does not close a line that was opened after its time', async () => {
    const { at, weekday: _day, ...when } = comingIn(2);
    const timer = await add({ ...when, action: 'close' });
    // The node that has the timer is slow.
    const slow = await world.pool.connect();
    await slow.query('begin');
    await slow.query('select from timers where id = $1 for update', [timer.timer_id]);
    await comes(at + 30_000);
    const open = { device_id: device.id, line_id: device.line.id, action: 'open' };
    expect(await anna.call('/device_do/device_do', open)).toMatchObject({ status: 200 });
    const run = ran(timer.timer_id);
    await slow.query('rollback');
    slow.release();
    await comes(at + 40_000);
    // A round that was under way looks again a moment later.
    const outcomes = async () => {
      world.clock.advance(20);
      return (await runsOf(timer.timer_id)).map(({ outcome }) => outcome);
    };
    await becomes(outcomes, ['skipped']);
    expect(await run).toMatchObject({ outcome: 'skipped', reason: 'control.superseded' });
    await becomes(async () => world.link.publishedTo(device).map(({ command }) => command.cmd), ['open']);
  });

  /** A user opens the line; returns when the command has ended. */
  const opensByHand = async () => {
    const open = { device_id: device.id, line_id: device.line.id, action: 'open' };
    expect(await anna.call('/device_do/device_do', open)).toMatchObject({ status: 200 });
    await eventually(async () => world.link.publishedTo(device).length === 1);
    for (let shown = 0; shown < 9; shown += 1) await comes(world.clock.now() + 4_000);
    await eventually(async () => {
      const opened = world.db.selectFrom('commands').select('ended_at').where('device_id', '=', device.id);
      return (await opened.executeTakeFirst())?.ended_at;
    });
  };
  test('a closing run that waits does not follow an open that was asked for after the clock was set back', async () => {
    const { at, weekday: _day, ...when } = comingIn(3);
    const timer = await add({ ...when, action: 'close' });
    // A node claims the run, then the clock is set back by minutes; the others see the run after the open.
    await world.db.transaction().execute(async (trx) => {
      const node = { transaction: () => ({ execute: (work: (db: Db) => unknown) => work(trx) }) };
      await claimDue(node as unknown as Db, at);
      await opensByHand();
    });
    await comes(world.clock.now() + 4_000);
    const node = world.anotherTimers();
    await node.start();
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'skipped', reason: 'control.superseded' });
    await node.stop();
    expect(world.link.publishedTo(device).map(({ command }) => command.cmd)).toEqual(['open']);
  });

  test('a closing run that waits is carried out although an open came before it was claimed', async () => {
    const { at, weekday: _day, ...when } = comingIn(3);
    const timer = await add({ ...when, action: 'close' });
    await opensByHand();
    await claimDue(world.db, at);
    await comes(at);
    const node = world.anotherTimers();
    await node.start();
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'fired' });
    await node.stop();
  });

  test('after a crash between due time and firing, another node carries the run out, once', async () => {
    const { at, weekday: _day, ...when } = comingIn(2);
    const timer = await add({ ...when, action: 'open' });
    await claimDue(world.db, at);
    expect(await runsOf(timer.timer_id)).toMatchObject([{ outcome: 'due' }]);
    await comes(at);
    const node = world.anotherTimers();
    await node.start();
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'fired' });
    await node.stop();
    expect(await runsOf(timer.timer_id)).toMatchObject([{ outcome: 'fired' }]);
  });

  test.each([
    ['another time', { time: '23:59' }],
    ['the opposite action', { action: 'open' }],
    ['the device itself', { run_by: 'device' }],
  ])(
    'a due run of a timer that was then changed to %s is not carried out after a crash',
    async (_to, change) => {
      await world.db
        .updateTable('devices')
        .set({ caps: ['open', 'close', 'timer2'] })
        .where('id', '=', device.id)
        .execute();
      const { at, weekday, time } = comingIn(2);
      const given = { type: 'weekly', [weekday]: true, time, action: 'close' };
      const timer = await add(given);
      // Rows that a dying node wrote; the other nodes see them only after the change.
      const dying = await world.pool.connect();
      await dying.query('begin');
      await dying.query(
        `insert into timer_runs (timer_id, due_at, device_id, line_id, action, author_id, outcome, at)
       select id, $2, device_id, line_id, action, author_id, 'due', $2 from timers where id = $1`,
        [timer.timer_id, new Date(at)],
      );
      const changed = await anna.call('/device_timing/edit_device_titming', {
        timer_id: timer.timer_id,
        revision: timer.revision,
        ...given,
        ...change,
      });
      expect(changed.status).toBe(200);
      await dying.query('commit');
      dying.release();
      const node = world.anotherTimers();
      await node.start();
      expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'skipped', reason: 'timer.gone' });
      await node.stop();
    },
  );

  test('a run that fails is reported as missed, and the other timers fire once', async () => {
    const others = await Promise.all([0, 1, 2].map(() => makeSwitch(world, project)));
    const { at, weekday: _day, ...when } = comingIn(2);
    const timers = await Promise.all(
      others.map((other) => add({ ...when, line_id: other.line.id, action: 'open' })),
    );
    const bad = others[1]!;
    await sql`create function refuse_command() returns trigger language plpgsql as
      $$ begin raise exception 'no room'; end $$`.execute(world.db);
    await sql
      .raw(`create trigger refuse_command before insert on commands for each row
        when (new.device_id = ${bad.id}) execute function refuse_command()`)
      .execute(world.db);
    try {
      world.clock.advance(at - world.clock.now() - 1);
      for (const other of others) await reports(other);
      world.clock.advance(1);
      for (const timer of timers) await ran(timer.timer_id);
    } finally {
      await sql`drop function refuse_command cascade`.execute(world.db);
    }
    await world.control.settled();
    expect(
      others.flatMap((other) => world.link.publishedTo(other).map((one) => one.deviceNumber)).sort(),
    ).toEqual([others[0]!.number, others[2]!.number].sort());
    const runs = world.heard('timer.ran').filter((run) => timers.some((one) => one.timer_id === run.timerId));
    expect(runs.map((run) => [run.deviceId === bad.id, run.outcome, run.reason])).toEqual(
      expect.arrayContaining([
        [true, 'missed', 'server.failed'],
        [false, 'fired', null],
        [false, 'fired', null],
      ]),
    );
    expect(runs).toHaveLength(3);
    const logged = await world.db
      .selectFrom('operation_log')
      .select(['device_id', 'outcome'])
      .where('key', '=', 'timer.fire')
      .where(
        'device_id',
        'in',
        others.map((other) => other.id),
      )
      .execute();
    expect(logged.map((row) => [row.device_id === bad.id, row.outcome]).sort()).toEqual([
      [false, 'done'],
      [false, 'done'],
      [true, 'refused'],
    ]);
  });

  test('a run is missed, with its reason, while the device is bound to no project', async () => {
    const { at, time } = comingIn(2);
    const timer = await add({ time, type: 'weekly', ...everyDay, action: 'close' });
    const bind = (project_id: number | null) =>
      world.db.updateTable('devices').set({ project_id }).where('id', '=', device.id).execute();
    await bind(null);
    world.bus.emit('device.changed', { deviceId: device.id, what: 'place' });
    await comes(at);
    expect(await ran(timer.timer_id)).toMatchObject({ outcome: 'missed', reason: 'control.unbound' });
    expect(await runsOf(timer.timer_id)).toMatchObject([{ outcome: 'missed', reason: 'control.unbound' }]);
    await bind(project);
    await comes(at + 86_400_000);
    await becomes(async () => (await runsOf(timer.timer_id))[1]?.outcome, 'fired');
  });

  test('a closing timer of a device that moved is not carried out, and says so, until it is saved there', async () => {
    const { at, time } = comingIn(2);
    const rule = { time, type: 'weekly', ...everyDay };
    const closing = await add({ ...rule, action: 'close' });
    const other = await makeProject(world.db);
    await world.db
      .insertInto('user_projects')
      .values({ user_id: anna.userId, project_id: other.id, part_ids: [] })
      .execute();
    await world.db.updateTable('devices').set({ project_id: other.id }).where('id', '=', device.id).execute();
    await comes(at);
    expect(await ran(closing.timer_id)).toMatchObject({ outcome: 'skipped', reason: 'control.moved' });
    const one = async () =>
      (
        await anna.call(
          '/device_timing/get_list',
          { line_id: device.line.id },
          { 'accept-language': 'en-US' },
        )
      ).data.list[0];
    const rests =
      'The device has moved to another project: this closing timer rests until you save it again here';
    const inPreview = async (): Promise<unknown[]> => {
      const { data } = await anna.call(
        '/device_timing/preview',
        { line_id: device.line.id },
        { 'accept-language': 'en-US' },
      );
      return data.runs.map((run: { rests: unknown }) => run.rests);
    };
    const { sync_message, revision } = await one();
    expect(sync_message).toBe(rests);
    expect(new Set(await inPreview())).toEqual(new Set([rests]));
    const saved = await anna.call('/device_timing/edit_device_titming', {
      ...{ timer_id: closing.timer_id, revision, ...rule, action: 'close' },
    });
    expect(saved.status).toBe(200);
    expect((await one()).sync_message).toBeNull();
    expect(new Set(await inPreview())).toEqual(new Set([null]));
    await comes(at + 86_400_000);
    await becomes(async () => (await runsOf(closing.timer_id))[1]?.outcome, 'fired');
  });

  test('a device that is unbound in another zone keeps the local times of its timers, and their runs are missed', async () => {
    const berlin = await makeProject(world.db);
    await world.db
      .updateTable('projects')
      .set({ time_zone: 'Europe/Berlin' })
      .where('id', '=', berlin.id)
      .execute();
    const owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: berlin.id }] })).id);
    const there = await makeSwitch(world, berlin.id);
    const { at } = comingIn(3);
    const time = new Date(at).toLocaleTimeString('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    });
    const timer = await add(
      { line_id: there.line.id, time, type: 'weekly', ...everyDay, action: 'open' },
      owner,
    );
    await world.db.updateTable('devices').set({ project_id: null }).where('id', '=', there.id).execute();
    world.bus.emit('device.changed', { deviceId: there.id, what: 'place' });
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    const { data: shown } = await admin.call('/device_timing/preview', { device_id: there.id });
    expect(shown.time_zone).toBe('Europe/Berlin');
    expect(shown.runs[0]).toMatchObject({ at: new Date(at).toISOString(), time });
    const { data: listed } = await admin.call('/device_timing/get_list', { device_id: there.id });
    expect(listed.list[0]).toMatchObject({ next_at: new Date(at).toISOString(), time_zone: 'Europe/Berlin' });
    await comes(at);
    expect(await ran(timer.timer_id)).toMatchObject({
      outcome: 'missed',
      reason: 'control.unbound',
      dueAt: at,
    });
  });

  test('a run that comes due while the device moves to another zone is missed', async () => {
    const { at, time } = comingIn(2);
    const timer = await add({ time, type: 'weekly', ...everyDay, action: 'close' });
    const berlin = await makeProject(world.db);
    await world.db
      .updateTable('projects')
      .set({ time_zone: 'Europe/Berlin' })
      .where('id', '=', berlin.id)
      .execute();
    await world.db
      .updateTable('devices')
      .set({ project_id: berlin.id })
      .where('id', '=', device.id)
      .execute();
    await claimDue(world.db, at);
    expect(await runsOf(timer.timer_id)).toMatchObject([{ outcome: 'missed', reason: 'timer.moved' }]);
  });

  test('a timer of a deleted device ends, and its last run is missed', async () => {
    const { at, time } = comingIn(2);
    const timer = await add({ time, type: 'weekly', ...everyDay, action: 'close' });
    await world.db
      .updateTable('devices')
      .set({ deleted_at: new Date(world.clock.now()), project_id: null })
      .where('id', '=', device.id)
      .execute();
    world.clock.set(at);
    await eventually(async () => {
      const row = await world.db
        .selectFrom('timers')
        .select('done_at')
        .where('id', '=', timer.timer_id)
        .executeTakeFirst();
      return row?.done_at;
    });
    const [run] = await eventually(async () => {
      const runs = await runsOf(timer.timer_id);
      return runs[0]?.outcome !== 'due' && runs;
    });
    expect(run).toMatchObject({ outcome: 'missed', reason: 'device.missing' });
  });

  test('a timer of a deleted device is shown to no user', async () => {
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    const { at: _at, weekday: _day, ...when } = comingIn(5);
    const { timer_id } = await add({ ...when, action: 'open' });
    await admin.call('/device/del_device', { device_ids: [device.id] });
    const { data } = await admin.call('/device_timing/get_list', { device_id: device.id });
    expect(data).toMatchObject({ total: 0, list: [] });
    const { data: coming } = await admin.call('/device_timing/preview', { device_id: device.id });
    expect(coming.runs).toEqual([]);
    const lines = await admin.call('/device_timing/get_device_line', { device_id: device.id });
    expect(lines.status).toBe(404);
    const removed = await admin.call('/device_timing/delete_device_timing', { timer_ids: [timer_id] });
    expect(removed.data.results).toEqual([{ id: timer_id, result: 'denied' }]);
  });

  test('a timer follows its project into another zone', async () => {
    const moved = await makeProject(world.db);
    const owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: moved.id }] })).id);
    const there = await makeSwitch(world, moved.id);
    const timer = await add(
      { line_id: there.line.id, type: 'weekly', w6: 1, time: '08:00', action: 'open' },
      owner,
    );
    await world.db
      .updateTable('projects')
      .set({ time_zone: 'Europe/Berlin' })
      .where('id', '=', moved.id)
      .execute();
    world.bus.emit('device.changed', { deviceId: there.id, what: 'place' });
    await eventually(async () => {
      const row = await world.db
        .selectFrom('timers')
        .select('next_at')
        .where('id', '=', timer.timer_id)
        .executeTakeFirst();
      return row?.next_at?.toISOString() === '2026-11-28T07:00:00.000Z' || row?.next_at?.getUTCHours() === 7;
    });
  });
});
