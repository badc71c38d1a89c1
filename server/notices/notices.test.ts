import { createECDH, randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { alarmRoutes } from '#server/alarms/alarms.routes.ts';
import { messageRoutes } from '#server/messages/messages.routes.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type StandIn, standIn } from '#test/stand-in.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { createNotices, type Notices } from './notices.part.ts';
import { noticeRoutes } from './notices.routes.ts';
import { signatureOf } from './notices.webhook.ts';

let world: World;
let notices: Notices;
let service: StandIn;
let wechat: StandIn;
let admin: Client;
let operator: Client;
let stranger: Client;
let project: { id: number };
let other: { id: number };
const users: number[] = [];
const signIn = async () => {
  [admin, operator, stranger] = (await Promise.all(users.map((id) => world.as(id)))) as [
    Client,
    Client,
    Client,
  ];
};
type Device = Awaited<ReturnType<typeof makeDevice>>;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

beforeAll(async () => {
  service = await standIn();
  wechat = await standIn();
  world = await createWorld((serve, parts) => {
    notices = createNotices({ ...parts, log: pino({ level: 'silent' }), publicUrl: 'https://watch.example' });
    noticeRoutes(serve, { notices });
    alarmRoutes(serve);
    messageRoutes(serve);
  });
  project = await makeProject(world.db, { name: 'Harbour' });
  other = await makeProject(world.db, { name: 'Mill', region_id: 310000 });
  users.push((await makeUser(world.db, { role: 1 })).id);
  users.push((await makeUser(world.db, { role: 3, projects: [project] })).id);
  users.push((await makeUser(world.db, { role: 3, projects: [other] })).id);
  await signIn();
  await world.db
    .updateTable('users')
    .set({ mobile: '13900000002' })
    .where('id', '=', operator.userId)
    .execute();
  await notices.start();
  const ways = {
    app_id: 'wx1',
    app_secret: 's3cret',
    template_id: 'T1',
    base_url: wechat.url,
    private_targets: true,
    language: 'en-US',
  };
  expect((await admin.call('/device_warning/set_notice_settings', ways)).code).toBe(200);
});
afterAll(async () => {
  await notices.stop();
  await world.close();
  await service.close();
  await wechat.close();
});

beforeEach(async () => {
  for (const table of [
    'deliveries',
    'alarm_notices',
    'notices',
    'push_subscriptions',
    'wechat_followers',
    'messages',
    'alarms',
  ] as const)
    await world.db.deleteFrom(table).execute();
  service.heard.length = 0;
  wechat.heard.length = 0;
  service.answer(() => ({ status: 201 }));
  world.clock.advance(3 * hour);
  await notices.idle();
  await signIn();
});

const passes = async (ms: number) => {
  world.clock.advance(ms);
  await notices.idle();
};
/** An alarm as the recorder leaves it, told on the bus, and the round that plans it. */
const raise = async (
  device: Device,
  given: { code?: number; level?: 1 | 2; severity?: number; late?: boolean } = {},
) => {
  const id = await makeAlarm(world.pool, device, { at: world.clock.now(), ...given });
  await world.db
    .updateTable('alarms')
    .set({ severity: given.severity ?? 1, late: given.late ?? false })
    .where('id', '=', id)
    .execute();
  tell(device, id, 'raised');
  return id;
};
const tell = (device: Device, id: number, kind: 'raised' | 'escalated' | 'urged') =>
  world.bus.emit('alarms.changed', [
    {
      lineId: device.lines[0]!.id,
      alarmId: id,
      deviceId: device.id,
      projectId: device.project_id,
      partId: null,
      code: 101,
      level: 2,
      severity: 1,
      kind,
      quiet: false,
    },
  ]);
const ledger = async (alarmId: number) =>
  (await admin.call('/device_warning/getDetatil', { id: alarmId })).data.deliveries as {
    kind: string;
    channel: string;
    state: string;
    reason: string | null;
    recipient: string;
    attempts: number;
    alarms: number;
    detail: Record<string, unknown>;
  }[];
const told = async (alarmId: number) =>
  (await ledger(alarmId)).map(
    (row) => `${row.kind} ${row.channel} ${row.state}${row.reason ? ` ${row.reason}` : ''}`,
  );
const add = async (client: Client, given: Record<string, unknown>) => {
  const answer = await client.call('/device_warning/add_warning_timing', given, {
    'accept-language': 'en-US',
  });
  expect(answer.data, JSON.stringify(answer.data)).toHaveProperty('id');
  return answer.data.id as number;
};
const webhook = (given: Record<string, unknown> = {}) =>
  add(admin, { channel: 'webhook', webhook_url: `${service.url}/hook`, webhook_secret: 'key', ...given });
const subscribe = async (client: Client, path: string) => {
  const ecdh = createECDH('prime256v1');
  const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
  expect((await client.call('/push/subscribe', { endpoint: `${service.url}${path}`, keys })).code).toBe(200);
};
const device = (given: Parameters<typeof makeDevice>[1] = {}) =>
  makeDevice(world.db, { project_id: project.id, ...given });

describe('a rule', () => {
  it('is added, edited, listed and deleted within the writer’s scope', async () => {
    const id = await add(operator, {
      channel: 'app',
      user_ids: [operator.userId],
      project_ids: [project.id],
      silence_minutes: 20,
      window_from: '22:00',
      window_to: '06:00',
      typeNumbers: '101,301',
    });
    const edited = await operator.call('/device_warning/edit_warning_timing', {
      id,
      channel: 'app',
      user_ids: [operator.userId],
      project_ids: [project.id],
      enabled: false,
    });
    expect(edited.data).toMatchObject({ status: 'disabled', silence_minutes: 0, window_from: null });
    expect((await stranger.call('/device_warning/warning_timing_list')).data.total).toBe(0);
    expect(
      (await operator.call('/device_warning/warning_timing_list', { status: 'disabled' })).data.list[0]
        .projects,
    ).toEqual([{ id: project.id, name: 'Harbour' }]);
    expect(
      (
        await stranger.call('/device_warning/edit_warning_timing', {
          id,
          channel: 'app',
          user_ids: [stranger.userId],
          project_ids: [other.id],
        })
      ).status,
    ).toBe(404);
    expect((await stranger.call('/device_warning/del_waring_timing', { ids: [id] })).data).toMatchObject({
      done: 0,
      denied: 1,
    });
    expect(
      (await operator.call('/device_warning/del_waring_timing', { ids: [id, 999_999] })).data,
    ).toMatchObject({ done: 1, denied: 1 });
  });
  it('names as recipients exactly those whom its writer knows, by a part of the name', async () => {
    const part = await makePart(world.db, project.id);
    const elsewhere = await makePart(world.db, other.id);
    const given: Parameters<typeof makeUser>[1][] = [
      { role: 2, region_id: 440000 },
      { role: 2, region_id: 310000 },
      { role: 3, projects: [project] },
      { role: 3, region_id: 440305 },
      { role: 32, projects: [{ id: project.id, parts: [part.id] }] },
      { role: 32, projects: [{ id: other.id, parts: [elsewhere.id] }] },
      { role: 32, projects: [project] },
      { role: 100, letters: 'E', region_id: 440300 },
      { role: 100, letters: 'E', projects: [other] },
      { role: 3, projects: [project], enabled: false },
    ];
    const ids: number[] = [];
    for (const each of given) ids.push((await makeUser(world.db, each)).id);
    const writers = [
      admin,
      operator,
      stranger,
      await world.as(ids[0]!),
      await world.as(ids[4]!),
      await world.as(ids[7]!),
    ];
    for (const writer of writers) {
      const { data } = await writer.call('/device_warning/notice_recipients', { limit: 100 });
      expect(data.more).toBe(false);
      const named = new Set(data.list.map((each: { id: number }) => each.id));
      const scoped = writer === admin ? [] : writer === stranger ? [other.id] : [project.id];
      for (const id of [...users, ...ids]) {
        const answer = await writer.call('/device_warning/add_warning_timing', {
          channel: 'app',
          user_ids: [id],
          project_ids: scoped,
        });
        if (answer.data?.project_ids === undefined)
          expect([id, answer.data?.user_ids === undefined]).toEqual([id, named.has(id)]);
        else expect(named.has(id) || answer.data?.user_ids !== undefined).toBe(true);
      }
    }
    await world.db.updateTable('users').set({ nickname: 'Zhang 100%' }).where('id', '=', ids[2]!).execute();
    const { data } = await operator.call('/device_warning/notice_recipients', { search: 'g 100%' });
    expect(data.list).toEqual([{ id: ids[2], name: 'Zhang 100%', role: 3, role_name: 'Role 3' }]);
    const { data: few } = await admin.call('/device_warning/notice_recipients', { limit: 2 });
    expect([few.list.length, few.more]).toEqual([2, true]);
    await world.db.updateTable('users').set({ enabled: false }).where('id', 'in', ids).execute();
  });
  it.each([
    ['a foreign project', { project_ids: () => [other.id] }, 'project_ids'],
    ['no project', { project_ids: () => [] }, 'project_ids'],
    ['nobody to tell', { user_ids: () => [] }, 'user_ids'],
    ['a user who shares no project', { user_ids: () => [stranger.userId] }, 'user_ids'],
    ['half a window', { window_from: () => '08:00' }, 'window_to'],
    ['an unknown type', { typeNumbers: () => [199] }, 'typeNumbers'],
    ['a silence of 15 minutes', { silence_minutes: () => 15 }, 'silence_minutes'],
    ['a webhook without an address', { channel: () => 'webhook' }, 'webhook_url'],
  ])('refuses %s', async (_what, wrong, field) => {
    const given = { channel: 'app', user_ids: [operator.userId], project_ids: [project.id] };
    const made = Object.fromEntries(Object.entries(wrong).map(([name, value]) => [name, value()]));
    const answer = await operator.call('/device_warning/add_warning_timing', { ...given, ...made });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.data)).toContain(field);
  });
});

describe('a webhook', () => {
  it('gets the alarm as signed JSON, once', async () => {
    await webhook();
    const one = await device();
    const id = await raise(one, { code: 301 });
    tell(one, id, 'raised');
    await passes(1000);
    await passes(10_000);
    expect(service.heard).toHaveLength(1);
    const [{ headers, body, path }] = service.heard as [StandIn['heard'][number]];
    expect(path).toBe('/hook');
    expect(JSON.parse(Buffer.from(body, 'latin1').toString())).toMatchObject({
      kind: 'raised',
      alarm_id: id,
      typeNumber: 301,
      level: 2,
    });
    expect(headers['x-ampwatch-signature']).toBe(
      `sha256=${signatureOf('key', Number(headers['x-ampwatch-timestamp']), Buffer.from(body, 'latin1').toString())}`,
    );
    expect(await told(id)).toEqual(['raised webhook accepted']);
  });
  it('is tried again with growing waits after a refusal of the moment, and never after a final one', async () => {
    await webhook();
    service.answer(() => ({ status: 503 }));
    const id = await raise(await device());
    await passes(1000);
    expect(await told(id)).toEqual(['raised webhook queued unreachable']);
    service.answer(() => ({ status: 200 }));
    await passes(20_000);
    expect(await ledger(id)).toMatchObject([{ state: 'accepted', attempts: 2 }]);
    service.answer(() => ({ status: 403 }));
    const refused = await raise(await device());
    await passes(1000);
    await passes(40_000);
    expect(await told(refused)).toEqual(['raised webhook failed refused']);
  });
  it('that an attacker points inside the network is not called', async () => {
    await admin.call('/device_warning/set_notice_settings', {
      base_url: wechat.url,
      app_id: 'wx1',
      template_id: 'T1',
      private_targets: false,
    });
    await webhook();
    const id = await raise(await device());
    await passes(1000);
    expect(await told(id)).toEqual(['raised webhook failed private_address']);
    await world.db.deleteFrom('notices').execute();
    for (const host of [
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '0x7f.1',
    ])
      await webhook({ webhook_url: `http://${host}:${new URL(service.url).port}/hook` });
    const hidden = await raise(await device());
    await passes(1000);
    expect(await told(hidden)).toEqual(Array(5).fill('raised webhook failed private_address'));
    await admin.call('/device_warning/set_notice_settings', {
      base_url: wechat.url,
      app_id: 'wx1',
      template_id: 'T1',
      private_targets: true,
      language: 'en-US',
    });
  });
  it('is not sent again when the server ended while sending', async () => {
    await webhook();
    const id = await raise(await device());
    await passes(1000);
    await world.db.updateTable('deliveries').set({ state: 'sent', ended_at: null }).execute();
    await passes(3 * minute);
    expect(await told(id)).toEqual(['raised webhook failed interrupted']);
    expect(service.heard).toHaveLength(1);
  });
  it('of a rule whose owner lost the project is told nothing', async () => {
    const id = await webhook({ project_ids: [project.id] });
    await world.db.updateTable('notices').set({ owner_id: stranger.userId }).where('id', '=', id).execute();
    expect(await told(await raise(await device()))).toEqual([]);
    await passes(1000);
    expect(service.heard).toHaveLength(0);
  });
});

describe('silence, window and switch', () => {
  it('holds back repeats of a rule, device and type, but not a rise of the level or another line’s first alarm of severity 1', async () => {
    await webhook({ silence_minutes: 10 });
    const one = await device({ lines: 2 });
    await raise(one, { level: 1, severity: 2, code: 102 });
    await passes(1000);
    await world.db
      .updateTable('alarms')
      .set({ cleared_at: new Date(world.clock.now()) })
      .execute();
    const again = await raise(one, { level: 1, severity: 2, code: 102 });
    await passes(1000);
    expect(await told(again)).toEqual(['raised webhook suppressed silence']);
    await world.db.updateTable('alarms').set({ level: 2 }).where('id', '=', again).execute();
    tell(one, again, 'escalated');
    await passes(1000);
    expect(await told(again)).toContain('escalated webhook accepted');
    await passes(11 * minute);
    await world.db
      .updateTable('alarms')
      .set({ cleared_at: new Date(world.clock.now()) })
      .execute();
    const later = await raise(one, { level: 1, severity: 2, code: 102 });
    await passes(1000);
    expect(await told(later)).toEqual(['raised webhook accepted']);
  });
  it('keeps what comes outside the window for its opening as one digest, without what was handled meanwhile', async () => {
    const night = Math.ceil(world.clock.now() / day) * day + 15 * hour; // 23:00 in Shanghai
    world.clock.set(night);
    await signIn();
    await webhook({ window_from: '08:00', window_to: '20:00' });
    const ids = [
      await raise(await device(), { severity: 3 }),
      await raise(await device(), { severity: 3 }),
      await raise(await device(), { severity: 3 }),
    ];
    const urgent = await raise(await device(), { severity: 1 });
    await passes(1000);
    expect(service.heard).toHaveLength(1);
    expect(await told(urgent)).toEqual(['raised webhook accepted']);
    expect(await told(ids[0]!)).toEqual(['digest webhook queued window']);
    await operator.call('/device_warning/handle', { id: ids[2], content: 'seen to' });
    await operator.call('/device_warning/handle', { id: urgent, content: 'seen to' });
    service.heard.length = 0;
    world.clock.set(night + 9 * hour + 1000);
    await notices.idle();
    await passes(6000);
    const bodies = service.heard.map((request) => JSON.parse(request.body));
    expect(bodies.filter((body) => body.kind === 'digest').map((body) => body.alarms)).toEqual([2]);
    expect(await told(ids[2]!)).toContain('digest webhook suppressed handled');
  });
  it('tells later what stood as a part of an outage when its digest was due', async () => {
    const night = Math.ceil(world.clock.now() / day) * day + 15 * hour; // 23:00 in Shanghai
    world.clock.set(night);
    await signIn();
    await webhook({ window_from: '08:00', window_to: '20:00' });
    const one = await device();
    const id = await raise(one, { severity: 3 });
    await passes(1000);
    const held = (suppressed_by: number | null) =>
      world.db.updateTable('alarms').set({ suppressed_by }).where('id', '=', id).execute();
    await held(1);
    world.clock.set(night + 9 * hour + 1000);
    await notices.idle();
    await passes(6000);
    expect(service.heard).toEqual([]);
    await held(null);
    world.clock.set(night + 11 * hour);
    tell(one, id, 'raised');
    await passes(1000);
    await passes(6000);
    expect(await told(id)).toEqual(['digest webhook suppressed handled', 'digest webhook accepted']);
    await passes(6000);
    expect(service.heard).toHaveLength(1);
  });
  it('says of a rule that is switched off that it is', async () => {
    await webhook({ enabled: false });
    const id = await raise(await device());
    await passes(1000);
    expect(await told(id)).toEqual(['raised webhook suppressed disabled']);
  });
  it('tells a backlog’s alarm only when it is critical, and marks it', async () => {
    await webhook();
    const low = await raise(await device(), { late: true, severity: 3 });
    const high = await raise(await device(), { late: true, severity: 1 });
    await passes(1000);
    expect(await told(low)).toEqual(['raised webhook suppressed late']);
    expect(await told(high)).toEqual(['raised webhook accepted']);
    expect(JSON.parse(service.heard[0]!.body)).toMatchObject({ late: true });
  });
});

describe('Web Push', () => {
  it('reaches each console of the user, encrypted and signed, and drops a dead one', async () => {
    await subscribe(operator, '/push/phone');
    await subscribe(operator, '/push/desk');
    service.answer(({ path }) => ({ status: path === '/push/phone' ? 410 : 201 }));
    await add(operator, { channel: 'app', user_ids: [operator.userId], project_ids: [project.id] });
    const id = await raise(await device());
    await passes(1000);
    expect(service.heard.map(({ path }) => path).sort()).toEqual(['/push/desk', '/push/phone']);
    expect(service.heard[0]!.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      urgency: 'high',
      authorization: expect.stringMatching(/^vapid t=.+, k=.+/),
    });
    expect(await ledger(id)).toMatchObject([
      {
        state: 'accepted',
        detail: {
          places: expect.arrayContaining([expect.objectContaining({ result: 'gone', status: 410 })]),
        },
      },
    ]);
    expect((await operator.call('/push/key')).data).toMatchObject({ subscriptions: 1 });
    const { data } = await operator.call(
      '/system_message/index',
      { type: 'system' },
      { 'accept-language': 'en-US' },
    );
    expect(data.list.map((row: { title: string }) => row.title)).toEqual(['Push has ended on a console']);
  });
  it('to nobody’s console fails in the ledger, and the message is there all the same', async () => {
    await add(operator, { channel: 'app', user_ids: [operator.userId], project_ids: [project.id] });
    const id = await raise(await device(), { code: 301 });
    await passes(1000);
    expect(await told(id)).toEqual(['raised app failed no_subscription']);
    const { data } = await operator.call('/system_message/index', {}, { 'accept-language': 'en-US' });
    expect(data.list).toMatchObject([
      { type: 'alarm', title: 'Alarm: Leakage (residual current)', read: false, alarm_id: id },
    ]);
    expect((await world.hears('message.posted')).userIds).toEqual([operator.userId]);
  });
  it('only that one is dropped which is gone: a later try does not ask those again that took it', async () => {
    await subscribe(operator, '/push/a');
    await subscribe(operator, '/push/b');
    service.answer(({ path }) => ({ status: path === '/push/a' ? 201 : 503 }));
    await add(operator, { channel: 'app', user_ids: [operator.userId], project_ids: [project.id] });
    const id = await raise(await device());
    await passes(1000);
    service.answer(() => ({ status: 201 }));
    await passes(20_000);
    expect(service.heard.map(({ path }) => path).sort()).toEqual(['/push/a', '/push/b', '/push/b']);
    expect(await told(id)).toEqual(['raised app accepted']);
  });
});

describe('WeChat', () => {
  let tokens = 0;
  let codes: number[] = [];
  beforeEach(async () => {
    await world.db.deleteFrom('settings').where('key', '=', 'wechat_token').execute();
    await operator.call('/push/wechat', { openid: 'oOPENID' });
    tokens = 0;
    codes = [];
    wechat.answer(({ path, query, method, body }) => {
      if (path === '/cgi-bin/token') {
        if (
          method !== 'GET' ||
          query.get('grant_type') !== 'client_credential' ||
          query.get('appid') !== 'wx1' ||
          query.get('secret') !== 's3cret'
        )
          return { status: 200, body: '{"errcode":40013,"errmsg":"invalid appid"}' };
        tokens += 1;
        return { status: 200, body: JSON.stringify({ access_token: `token${tokens}`, expires_in: 7200 }) };
      }
      if (path !== '/cgi-bin/message/template/send' || method !== 'POST') return { status: 404 };
      if (query.get('access_token') !== `token${tokens}`)
        return { status: 200, body: '{"errcode":40001,"errmsg":"invalid credential"}' };
      const code = codes.shift() ?? 0;
      if (code !== 0) return { status: 200, body: JSON.stringify({ errcode: code, errmsg: 'no' }) };
      const message = JSON.parse(Buffer.from(body, 'latin1').toString());
      const whole =
        message.touser === 'oOPENID' &&
        message.template_id === 'T1' &&
        typeof message.data.first.value === 'string' &&
        /^ampwatch-\d+$/.test(message.client_msg_id);
      return {
        status: 200,
        body: JSON.stringify(
          whole ? { errcode: 0, errmsg: 'ok', msgid: 77 } : { errcode: 47001, errmsg: 'data format error' },
        ),
      };
    });
    await add(operator, { channel: 'wechat', user_ids: [operator.userId], project_ids: [project.id] });
  });
  const sends = () => wechat.heard.filter(({ path }) => path.endsWith('/send'));

  it('takes one token for many messages', async () => {
    const first = await raise(await device());
    await passes(1000);
    const second = await raise(await device());
    await passes(1000);
    expect([await told(first), await told(second)]).toEqual([
      ['raised wechat accepted'],
      ['raised wechat accepted'],
    ]);
    expect(tokens).toBe(1);
  });
  it.each([40001, 42001])('asks for a new token after %d and sends again', async (code) => {
    codes = [code];
    const id = await raise(await device());
    await passes(1000);
    expect(await told(id)).toEqual(['raised wechat accepted']);
    expect([tokens, sends().length]).toEqual([2, 2]);
  });
  it('waits out the daily quota (45009), and gives up on who does not follow (43004)', async () => {
    codes = [45009];
    const id = await raise(await device());
    await passes(1000);
    expect(await told(id)).toEqual(['raised wechat queued quota']);
    await passes(20_000);
    expect(await told(id)).toEqual(['raised wechat accepted']);
    codes = [43004];
    const lost = await raise(await device());
    await passes(1000);
    expect(await ledger(lost)).toMatchObject([
      { state: 'failed', reason: 'not_subscribed', detail: { errcode: 43004 } },
    ]);
  });
  it('out for an hour is told by the ledger, holds up nobody else, and then gets each message once', async () => {
    await webhook();
    wechat.answer(() => ({ status: 502 }));
    const id = await raise(await device(), { severity: 2 });
    await passes(1000);
    expect((await told(id)).sort()).toEqual(['raised webhook accepted', 'raised wechat queued unreachable']);
    for (let at = 0; at < 60; at += 1) await passes(minute);
    expect(await told(id)).toContain('raised wechat queued unreachable');
    let taken = 0;
    wechat.answer(({ path }) => {
      if (path === '/cgi-bin/token') return { status: 200, body: '{"access_token":"t","expires_in":7200}' };
      taken += 1;
      return { status: 200, body: '{"errcode":0,"errmsg":"ok","msgid":1}' };
    });
    for (let at = 0; at < 60; at += 1) await passes(minute);
    expect(await told(id)).toContain('raised wechat accepted');
    expect(taken).toBe(1);
  });
});

describe('a storm', () => {
  it('of two thousand alarms is one push to each contact, and every alarm is in the ledger', async () => {
    await webhook();
    await subscribe(operator, '/push/desk');
    await add(operator, { channel: 'app', user_ids: [operator.userId], project_ids: [project.id] });
    const devices = await Promise.all(Array.from({ length: 20 }, () => device()));
    const ids: number[] = [];
    for (let second = 0; second < 10; second += 1) {
      const { rows } = await world.pool.query<{ id: number; line_id: number; device_id: number }>(
        `insert into alarms (line_id, id, device_id, project_id, code, phase, level, severity, source, work_order, raised_at,
           received_at, last_at, cleared_at, value_type)
         select line, nextval('alarm_ids'), device, $3, 101, 0, 2, 1 + (n % 4), 'server', 'W', $4, $4, $4, $4, 1
         from unnest($1::int[], $2::int[]) with ordinality as d (line, device, k), generate_series(1, 10) n
         returning id, line_id, device_id`,
        [
          devices.map((one) => one.lines[0]!.id),
          devices.map((one) => one.id),
          project.id,
          new Date(world.clock.now()),
        ],
      );
      ids.push(...rows.map((row) => row.id));
      world.bus.emit(
        'alarms.changed',
        rows.map((row) => ({
          lineId: row.line_id,
          alarmId: row.id,
          deviceId: row.device_id,
          projectId: project.id,
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
    expect(service.heard.map(({ path }) => path).sort()).toEqual(['/hook', '/push/desk']);
    const { rows } = await world.pool.query<{ channel: string; n: number }>(
      'select channel, count(distinct alarm_id) as n from deliveries where alarm_id = any($1) group by 1 order by 1',
      [ids],
    );
    expect(rows).toEqual([
      { channel: 'app', n: 2000 },
      { channel: 'webhook', n: 2000 },
    ]);
    expect((await operator.call('/system_message/getMessageType')).data.unread).toBe(1);
  });
});

describe('until somebody acts', () => {
  it('severity 1 goes to contact 2 after 5 min, the region after 15, the platform after 60, and is repeated every 30', async () => {
    const regional = await makeUser(world.db, { role: 2, region_id: 440000 });
    await makeUser(world.db, { role: 2, region_id: 310000 });
    const one = await device();
    await world.db
      .updateTable('devices')
      .set({
        contacts: JSON.stringify([
          { name: 'First', phone: '13900000001' },
          { name: 'Second', phone: '13900000002' },
        ]),
      })
      .where('id', '=', one.id)
      .execute();
    await webhook();
    const id = await raise(one, { severity: 1 });
    await passes(1000);
    const listed = async (ms: number) => {
      await passes(ms);
      return (await ledger(id)).map((row) => row.recipient);
    };
    expect(await listed(4 * minute)).toHaveLength(1);
    expect(await listed(70_000)).toContainEqual('Second (13900000002)');
    expect(await listed(10 * minute)).toContain(`User ${regional.username.slice(4)}`);
    expect((await listed(15 * minute)).filter((name) => name.startsWith('127.0.0.1'))).toHaveLength(2);
    const all = await listed(30 * minute);
    expect(all.filter((name) => name.startsWith('127.0.0.1'))).toHaveLength(3);
    expect(all).toHaveLength(6);
    await operator.call('/device_warning/handle', { id, content: 'seen to' });
    const count = (await ledger(id)).length;
    await passes(2 * 3_600_000);
    expect((await ledger(id)).length).toBe(count);
  });
  it('urging asks contact after contact, and says of one without an account that nobody was reached there', async () => {
    const one = await device();
    await world.db
      .updateTable('devices')
      .set({
        contacts: JSON.stringify([
          { name: 'First', phone: '13900000001' },
          { name: 'Second', phone: '13900000002' },
        ]),
      })
      .where('id', '=', one.id)
      .execute();
    const id = await raise(one, { severity: 4 });
    await passes(1000);
    expect((await operator.call('/device_warning/toPush', { id })).data.done).toBe(1);
    await passes(1000);
    expect((await ledger(id)).map((row) => `${row.recipient} ${row.reason}`)).toEqual([
      'First (13900000001) no_account',
      'Second (13900000002) no_subscription',
    ]);
    expect((await operator.call('/device_warning/toPush', { id })).data.skipped).toBe(1);
    expect((await operator.call('/system_message/getMessageType')).data.list).toContainEqual(
      expect.objectContaining({ type: 'urge', unread: 1 }),
    );
  });
  it('finds by itself what a lost event left unplanned', async () => {
    await webhook();
    const one = await device();
    const id = await makeAlarm(world.pool, one, { at: world.clock.now() });
    await passes(6000);
    expect(await told(id)).toEqual(['raised webhook accepted']);
  });
});

describe('a trial', () => {
  it('goes through the whole chain at once, whatever the rule’s window, and its result can be read', async () => {
    const id = await webhook({ enabled: false, window_from: '00:00', window_to: '00:01' });
    const { data } = await admin.call('/device_warning/test_warning_timing', { id });
    await notices.idle();
    const answer = await admin.call('/device_warning/deliveries', { id, delivery_ids: data.delivery_ids });
    expect(answer.data.list).toMatchObject([{ kind: 'test', state: 'accepted', detail: { status: 201 } }]);
    expect((await stranger.call('/device_warning/deliveries', { id })).status).toBe(404);
  });
});

describe('pop-ups and messages', () => {
  it('keep each user’s own settings', async () => {
    expect((await operator.call('/device_warning/bullet_frame')).data).toMatchObject({
      enabled: true,
      sound: 'soft',
    });
    await operator.call('/device_warning/change_frame', {
      enabled: false,
      levels: [2],
      typeNumbers: [301],
      sound: 'off',
      seconds: 5,
    });
    expect((await operator.call('/device_warning/bullet_frame')).data).toEqual({
      enabled: false,
      levels: [2],
      typeNumbers: [301],
      sound: 'off',
      seconds: 5,
    });
    expect((await admin.call('/device_warning/bullet_frame')).data.enabled).toBe(true);
  });
  it('are read, counted and deleted by their owner alone', async () => {
    await add(operator, { channel: 'app', user_ids: [operator.userId], project_ids: [project.id] });
    await raise(await device());
    await passes(1000);
    const { id } = (await operator.call('/system_message/index', { read: 'unread' })).data.list[0];
    expect((await stranger.call('/system_message/detail', { id })).status).toBe(404);
    expect((await stranger.call('/system_message/del', { ids: [id] })).data.done).toBe(0);
    expect((await stranger.call('/system_message/getRed', { ids: [id] })).data.done).toBe(0);
    expect((await operator.call('/system_message/getRed', { ids: [id] })).data).toEqual({
      done: 1,
      unread: 0,
    });
    expect((await operator.call('/system_message/detail', { id })).data.read).toBe(true);
    expect((await operator.call('/system_message/del', { ids: [id] })).data.done).toBe(1);
    expect((await operator.call('/system_message/index')).data.total).toBe(0);
  });
  it('a subscription ends where its user says so', async () => {
    await subscribe(operator, '/push/x');
    await stranger.call('/push/unsubscribe', { endpoint: `${service.url}/push/x` });
    expect((await operator.call('/push/key')).data.subscriptions).toBe(1);
    await operator.call('/push/unsubscribe', { endpoint: `${service.url}/push/x` });
    expect((await operator.call('/push/key')).data.subscriptions).toBe(0);
    expect((await admin.call('/device_warning/notice_settings')).data).toMatchObject({
      wechat: { has_secret: true },
    });
  });
});
