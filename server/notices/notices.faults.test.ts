import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { alarmRoutes } from '#server/alarms/alarms.routes.ts';
import { messageRoutes } from '#server/messages/messages.routes.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type StandIn, standIn } from '#test/stand-in.ts';
import { type Client, createWorld, eventually, type World } from '#test/world.ts';
import { createNotices, type Notices } from './notices.part.ts';
import { noticeRoutes } from './notices.routes.ts';
import { ledgerDays, tidyNotices } from './notices.upkeep.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
let world: World;
let notices: Notices;
let slow: StandIn;
let quick: StandIn;
let admin: Client;
let project: { id: number };
let device: Awaited<ReturnType<typeof makeDevice>>;

const sender = () =>
  createNotices({
    db: world.db,
    bus: world.bus,
    clock: world.clock,
    log: pino({ level: 'silent' }),
    requestLimitMs: 1000,
  });
beforeAll(async () => {
  slow = await standIn();
  quick = await standIn();
  world = await createWorld((serve) => {
    noticeRoutes(serve, { notices: { kick: () => notices.kick() } });
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

const webhook = async (to: StandIn) => {
  const rule = { channel: 'webhook', webhook_url: `${to.url}/hook`, webhook_secret: 'key' };
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
const told = async (alarmId: number) =>
  (
    await world.pool.query<{ line: string }>(
      `select concat_ws(' ', state, reason) as line from deliveries where alarm_id = $1 order by id`,
      [alarmId],
    )
  ).rows.map((row) => row.line);

it('a webhook that hangs holds up nobody else, is told as timed out at its limit, and is not called again', async () => {
  slow.answer(() => 'hang');
  await webhook(slow);
  await webhook(quick);
  const id = await raise();
  world.clock.advance(1000);
  await eventually(async () => slow.heard.length === 1 && (await told(id)).includes('accepted'));
  const second = await raise(102);
  world.clock.advance(1000);
  await eventually(async () => (await told(second)).includes('accepted'));
  expect(await told(id)).toContain('sent');
  await notices.idle();
  expect((await told(id)).sort()).toEqual(['accepted', 'failed timeout']);
  expect((await told(second)).sort()).toEqual(['accepted', 'failed timeout']);
  for (let passed = 0; passed < 20; passed += 1) world.clock.advance(minute);
  await notices.idle();
  expect(slow.heard).toHaveLength(2);
  expect(quick.heard).toHaveLength(2);
});

it('a sender that is killed in the middle leaves it to the next one, which sends nothing twice and forgets nothing', async () => {
  await notices.stop();
  slow.answer(() => 'hang');
  await webhook(slow);
  await webhook(quick);
  const id = await raise();
  const later = await raise(102);
  // The second alarm waits behind the first one for the same address.
  await world.db.updateTable('alarms').set({ received_at: new Date(), raised_at: new Date() }).execute();
  const child = spawn(
    process.execPath,
    [path.resolve(import.meta.dirname, '../../test/notices-child.ts'), world.databaseUrl],
    { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
  );
  const ended = once(child, 'exit');
  await once(child, 'message');
  await eventually(async () => slow.heard.length === 1);
  await eventually(async () => [...(await told(id)), ...(await told(later))].includes('accepted'));
  child.kill('SIGKILL');
  await ended;
  const both = [...(await told(id)), ...(await told(later))];
  expect(both).toContain('sent');

  slow.answer(() => ({ status: 200 }));
  world.clock.set(Date.now() + 3 * minute);
  notices = sender();
  await notices.start();
  await notices.idle();
  await eventually(async () =>
    [...(await told(id)), ...(await told(later))].every((line) => !/^(sent|queued)/.test(line)),
  );
  const deliveries = [...slow.heard, ...quick.heard].map(
    ({ headers }) => `${headers.host} ${String(headers['x-ampwatch-delivery'])}`,
  );
  expect(new Set(deliveries).size).toBe(deliveries.length);
  const lines = [...(await told(id)), ...(await told(later))];
  expect(lines.filter((line) => line === 'failed interrupted')).toHaveLength(1);
});

it('what rose or came to light while nobody listened is told all the same, and once', async () => {
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
  await eventually(async () => (await told(id)).join() === 'accepted');
  expect(await told(held)).toEqual([]);
  await world.pool.query(
    `with rose as (update alarms set level = 2 where id = $1), free as (
       update alarms set suppressed_by = null where id = $2 returning line_id, id)
     insert into alarm_history (line_id, alarm_id, seq, at, kind) select line_id, id, 2, $3, 'released' from free`,
    [id, held, new Date(world.clock.now())],
  );
  await eventually(async () => {
    await look();
    return (await told(id)).length === 2 && (await told(held)).length === 1;
  });
  for (let times = 0; times < 3; times += 1) await look();
  expect(await told(id)).toHaveLength(2);
  expect(await told(held)).toHaveLength(1);
});

it('retention takes away old lines of the ledger, plans of handled alarms and messages, and nothing that is needed', async () => {
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
  await tidyNotices(world.db, world.clock.now(), 90);
  expect([await count('deliveries'), await count('alarm_notices'), await count('messages')]).toEqual([
    2, 2, 2,
  ]);
  await tidyNotices(world.db, world.clock.now() + 2 * day, 90);
  expect((await world.pool.query('select alarm_id from alarm_notices')).rows).toEqual([{ alarm_id: open }]);
  expect(await count('deliveries')).toBe(2);
  await tidyNotices(world.db, world.clock.now() + (ledgerDays + 1) * day, 90);
  expect(await count('deliveries')).toBe(0);
});
