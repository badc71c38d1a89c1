import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { alarmRoutes } from '#server/alarms/alarms.routes.ts';
import { forget } from '#server/core/retention.ts';
import { messageRoutes } from '#server/messages/messages.routes.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Reply, type StandIn, standIn } from '#test/stand-in.ts';
import { testVault } from '#test/vault.ts';
import { becomes, eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { noticeRoutes } from './notices.routes.ts';
import { createNotices, type Notices } from './worker.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
let world: World;
let notices: Notices;
let slow: StandIn;
let quick: StandIn;
let admin: Client;
let project: { id: number };
let device: Awaited<ReturnType<typeof makeDevice>>;

const sender = (requestLimitMs = 1000) =>
  createNotices({
    db: world.db,
    bus: world.bus,
    clock: world.clock,
    log: pino({ level: 'silent' }),
    vault: testVault,
    requestLimitMs,
  });
beforeAll(async () => {
  slow = await standIn();
  quick = await standIn();
  world = await createWorld((serve) => {
    noticeRoutes(serve, { notices: { kick: () => notices.kick() }, vault: testVault });
    alarmRoutes(serve);
    messageRoutes(serve);
  });
  project = await makeProject(world.db);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  await admin.call('/device_warning/set_notice_settings', {
    app_id: '',
    template_id: '',
    base_url: quick.url,
    private_targets: true,
    language: 'en-US',
  });
});
afterAll(async () => {
  await notices.stop();
  await world.close();
  await slow.close();
  await quick.close();
});
beforeEach(async () => {
  await notices?.stop();
  for (const table of ['deliveries', 'alarm_notices', 'notices', 'messages', 'alarms'] as const)
    await world.db.deleteFrom(table).execute();
  for (const service of [slow, quick]) {
    service.heard.length = 0;
    service.answer(() => ({ status: 200 }));
  }
  device = await makeDevice(world.db, { project_id: project.id });
  admin = await world.as(admin.userId);
  notices = sender();
  await notices.start();
});

const webhook = async (to: StandIn, way = '/hook') => {
  const rule = { channel: 'webhook', webhook_url: `${to.url}${way}`, webhook_secret: 'key' };
  const answer = await admin.call('/device_warning/add_warning_timing', rule);
  expect(answer.code).toBe(200);
};
const raise = async (code = 101) => {
  const at = world.clock.now();
  const id = await makeAlarm(world.pool, device, { at, code });
  await world.db.updateTable('alarms').set({ severity: 2 }).where('id', '=', id).execute();
  world.bus.emit('alarms.changed', [
    {
      lineId: device.lines[0]!.id,
      alarmId: id,
      deviceId: device.id,
      projectId: project.id,
      partId: null,
      code,
      level: 2,
      severity: 2,
      kind: 'raised',
      quiet: false,
    },
  ]);
  return id;
};
const outcomes = async (alarmId: number) =>
  (
    await world.pool.query<{ line: string }>(
      `select concat_ws(' ', state, reason) as line from deliveries where alarm_id = $1 order by id`,
      [alarmId],
    )
  ).rows.map((row) => row.line);

it('a webhook that answers late delays no other receiver', async () => {
  // The receiver answers when the test says so: a time limit would pass at any moment on a busy machine.
  await notices.stop();
  notices = sender(minute);
  await notices.start();
  const waiting: (() => void)[] = [];
  slow.answer(() => new Promise((done) => waiting.push(() => done('drop'))));
  await webhook(slow);
  await webhook(quick);
  const id = await raise();
  world.clock.advance(1000);
  await eventually(async () => waiting.length === 1 && (await outcomes(id)).includes('accepted'));
  const second = await raise(102);
  world.clock.advance(1000);
  await eventually(async () => (await outcomes(second)).includes('accepted'));
  expect((await outcomes(id)).sort()).toEqual(['accepted', 'sent']);
  expect((await outcomes(second)).sort()).toEqual(['accepted', 'queued']);
  slow.answer(() => ({ status: 200 }));
  for (const end of waiting) end();
  await eventually(async () => (await outcomes(second)).every((line) => line === 'accepted'));
  await becomes(async () => (await outcomes(id)).sort().join(), 'accepted,queued timeout');
});

it('calls a webhook that never answers again with the same delivery id', async () => {
  slow.answer(() => 'hang');
  await webhook(slow);
  await webhook(quick);
  const id = await raise();
  world.clock.advance(1000);
  await becomes(async () => (await outcomes(id)).sort().join(), 'accepted,queued timeout');
  const second = await raise(102);
  world.clock.advance(1000);
  await becomes(async () => (await outcomes(second)).sort().join(), 'accepted,queued timeout');
  slow.answer(() => ({ status: 200 }));
  world.clock.advance(20_000);
  await eventually(async () =>
    [...(await outcomes(id)), ...(await outcomes(second))].every((line) => line === 'accepted'),
  );
  const ids = slow.heard.map(({ headers }) => headers['x-ampwatch-delivery']);
  expect([ids.length, new Set(ids).size]).toEqual([4, 2]);
  expect(quick.heard).toHaveLength(2);
});

it.each([
  [429, '600', 10 * minute],
  [503, 'Fri, 20 Nov 2026 02:10:00 GMT', 10 * minute],
  [503, '86400', 60 * minute],
  [503, '1', 15_000],
  [503, 'soon', 15_000],
])(
  'after status %d with Retry-After %s a webhook is called again in %d ms',
  async (status, header, waitMs) => {
    world.clock.set(Date.parse('2026-11-20T02:00:00Z'));
    admin = await world.as(admin.userId);
    quick.answer(() => ({ status, headers: { 'retry-after': header } }));
    await webhook(quick);
    const id = await raise();
    world.clock.advance(1000);
    await becomes(async () => /^queued (busy|unreachable)$/.test((await outcomes(id)).join()), true);
    const { rows } = await world.pool.query<{ wait: number }>(
      `select extract(epoch from due_at - sent_at) * 1000 as wait from deliveries where alarm_id = $1`,
      [id],
    );
    expect(Math.abs(Number(rows[0]!.wait) - waitMs)).toBeLessThanOrEqual(1000);
  },
);

it.each([
  [408, 'queued timeout'],
  [425, 'queued busy'],
  [429, 'queued busy'],
  [500, 'queued unreachable'],
  [502, 'queued unreachable'],
  [503, 'queued unreachable'],
  [504, 'queued unreachable'],
  [302, 'failed refused'],
  [400, 'failed refused'],
  [401, 'failed refused'],
  [404, 'failed refused'],
  [422, 'failed refused'],
])('after status %d a webhook is %s', async (status, expected) => {
  quick.answer(() => ({ status }));
  await webhook(quick);
  const id = await raise();
  world.clock.advance(1000);
  await becomes(async () => (await outcomes(id)).join(), expected);
  quick.answer(() => ({ status: 200 }));
  world.clock.advance(15_000);
  await notices.idle();
  expect(await outcomes(id)).toEqual([expected.startsWith('failed') ? expected : 'accepted']);
});

it('tries again after a refused connection, a reset one and a failed TLS handshake', async () => {
  slow.answer(() => 'drop');
  await webhook(slow);
  await webhook({ ...slow, url: slow.url.replace('http:', 'https:') });
  await webhook({ ...slow, url: 'http://127.0.0.1:1' });
  const id = await raise();
  world.clock.advance(1000);
  await becomes(
    async () => (await outcomes(id)).sort().join(),
    'queued timeout,queued unreachable,queued unreachable',
  );
});

it('gives up after seven attempts', async () => {
  quick.answer(() => 'drop');
  await webhook(quick);
  const id = await raise();
  for (let passed = 0; passed < 180; passed += 1) {
    world.clock.advance(minute);
    await notices.idle();
  }
  expect((await outcomes(id))[0]).toBe('failed timeout');
  const [first] = quick.heard.map(({ headers }) => headers['x-ampwatch-delivery']);
  expect(quick.heard.filter(({ headers }) => headers['x-ampwatch-delivery'] === first)).toHaveLength(7);
});

it('delivers every alarm of severity 1 and 2 although the sender is killed with sixteen under way', async () => {
  await notices.stop();
  const late: (() => void)[] = [];
  const kinds = ['hang', 'drop', 'late', 'fine'] as const;
  // Receivers are distinguished by their path.
  const misbehave: Reply = ({ path }) => {
    if (path === '/hang') return 'hang';
    if (path === '/drop') return 'drop';
    if (path === '/late') return new Promise((done) => late.push(() => done({ status: 200 })));
    return { status: 200 };
  };
  slow.answer(misbehave);
  for (let n = 0; n < 24; n += 1) await webhook(slow, `/${kinds[n % 4]}`);
  const ids = [await raise(), await raise(102), await raise(301)];
  await world.db.updateTable('alarms').set({ severity: 1 }).where('id', '=', ids[2]!).execute();
  await world.db.updateTable('alarms').set({ received_at: new Date(), raised_at: new Date() }).execute();
  const child = spawn(
    process.execPath,
    [path.resolve(import.meta.dirname, '../../test/notices-child.ts'), world.databaseUrl],
    { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
  );
  const ended = once(child, 'exit');
  await once(child, 'message');
  const inFlight = async () =>
    Number((await world.pool.query(`select count(*) as n from deliveries where state = 'sent'`)).rows[0].n);
  await eventually(async () => (await inFlight()) >= 12);
  child.kill('SIGKILL');
  await ended;
  expect(await inFlight()).toBeGreaterThanOrEqual(12);
  for (const answer of late) answer();

  slow.answer(() => ({ status: 200 }));
  world.clock.set(Date.now() + 3 * minute);
  notices = sender();
  await notices.start();
  await eventually(async () => {
    world.clock.advance(5000);
    await notices.idle();
    return (
      (await world.pool.query(`select from deliveries where state in ('queued', 'sent')`)).rowCount === 0
    );
  });
  // Each of the 24 rules has named each of the three alarms in a request that the receiver answered.
  const rows = await world.pool.query(
    `select d.alarm_id, count(distinct d.target)::int as n from deliveries d left join deliveries lead on lead.id = d.lead_id
     where d.kind = 'raised' and 'accepted' in (d.state, lead.state) group by 1 order by 1`,
  );
  expect(rows.rows).toEqual(ids.map((alarm_id) => ({ alarm_id, n: 24 })));
  const bodies = slow.heard.map(({ body }) => JSON.parse(body));
  for (const body of bodies)
    expect(
      new Set(
        bodies
          .filter((other) => other.delivery_id === body.delivery_id)
          .map((other) => other.list[0].alarm_id),
      ).size,
    ).toBe(1);
  expect(bodies.some(({ attempt }) => attempt > 1)).toBe(true);
});

it('alarms that rose or appeared while no process listened are still notified, once', async () => {
  await webhook(quick);
  const id = await makeAlarm(world.pool, device, { at: world.clock.now(), code: 101, level: 1 });
  const held = await makeAlarm(world.pool, device, {
    at: world.clock.now() - 3 * 60 * minute,
    code: 703,
    suppressed: true,
  });
  await world.db.updateTable('alarms').set({ severity: 2 }).execute();
  const look = async () => {
    world.clock.advance(5000);
    await notices.idle();
  };
  await look();
  await becomes(async () => (await outcomes(id)).join(), 'accepted');
  expect(await outcomes(held)).toEqual([]);
  await world.pool.query(
    `with rose as (update alarms set level = 2 where id = $1), free as (
       update alarms set suppressed_by = null where id = $2 returning line_id, id)
     insert into alarm_history (line_id, alarm_id, seq, at, kind) select line_id, id, 2, $3, 'released' from free`,
    [id, held, new Date(world.clock.now())],
  );
  await eventually(async () => {
    await look();
    return (await outcomes(id)).length === 2 && (await outcomes(held)).length === 1;
  });
  for (let times = 0; times < 3; times += 1) await look();
  expect(await outcomes(id)).toHaveLength(2);
  expect(await outcomes(held)).toHaveLength(1);
});

it('retention deletes old deliveries, plans of handled alarms and messages, and nothing that is still needed', async () => {
  await webhook(quick);
  const id = await raise();
  const open = await raise(102);
  world.clock.advance(1000);
  await notices.idle();
  await admin.call('/device_warning/handle', { id, content: 'seen to' });
  const count = async (table: string) =>
    Number((await world.pool.query(`select count(*) as n from ${table}`)).rows[0].n);
  await world.pool.query(
    `insert into messages (user_id, type, key, at, read_at)
     select $1, 'system', 'notice.test', $2::timestamptz - days * interval '1 day', case when days = 100 then now() end
     from unnest(array[1, 100, 101, 400]) days`,
    [admin.userId, new Date(world.clock.now())],
  );
  await world.db.updateTable('alarm_notices').set({ next_at: null }).execute();
  await forget(world.db, 'ledgers', world.clock.now());
  expect([await count('deliveries'), await count('alarm_notices'), await count('messages')]).toEqual([
    2, 2, 2,
  ]);
  await forget(world.db, 'ledgers', world.clock.now() + 2 * day);
  // Its end is still to be announced.
  expect(await count('alarm_notices')).toBe(2);
  await world.db
    .updateTable('alarms')
    .set({ cleared_at: new Date(world.clock.now()) })
    .where('id', '=', id)
    .execute();
  await forget(world.db, 'ledgers', world.clock.now() + 2 * day);
  expect((await world.pool.query('select alarm_id from alarm_notices')).rows).toEqual([{ alarm_id: open }]);
  expect(await count('deliveries')).toBe(2);
  await forget(world.db, 'ledgers', world.clock.now() + 401 * day);
  expect(await count('deliveries')).toBe(0);
});
