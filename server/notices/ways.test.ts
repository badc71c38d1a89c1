import { beforeEach, describe, expect, it } from 'vitest';
import { writeSetting } from '#server/core/settings.ts';
import { createVault } from '#server/core/vault.ts';
import { noticeWorld } from '#test/notice-world.ts';
import type { StandIn } from '#test/stand-in.ts';
import { testVault } from '#test/vault.ts';
import { changeWays, sealWays } from './ways.ts';
import { signatureOf } from './webhook.ts';

const house = noticeWorld();
const { passes, raise, change, ledger, outcomes, add, webhook, subscribe, device } = house;
const minute = 60_000;

describe('a webhook', () => {
  it('a webhook receives the alarm once, as signed JSON', async () => {
    await webhook();
    const one = await device();
    const id = await raise(one, { code: 301 });
    change(one, id, 'raised');
    await passes(1000);
    await passes(10_000);
    expect(house.service.heard).toHaveLength(1);
    const [{ headers, body, path }] = house.service.heard as [StandIn['heard'][number]];
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
    expect(await outcomes(id)).toEqual(['raised webhook accepted']);
  });
  it('a webhook is retried at growing intervals after a temporary refusal, and never after a final one', async () => {
    await webhook();
    house.service.answer(() => ({ status: 503 }));
    const id = await raise(await device());
    await passes(1000);
    expect(await outcomes(id)).toEqual(['raised webhook queued unreachable']);
    house.service.answer(() => ({ status: 200 }));
    await passes(20_000);
    expect(await ledger(id)).toMatchObject([{ state: 'accepted', attempts: 2 }]);
    house.service.answer(() => ({ status: 403 }));
    const refused = await raise(await device());
    await passes(1000);
    await passes(40_000);
    expect(await outcomes(refused)).toEqual(['raised webhook failed refused']);
  });
  it('a webhook whose address leads into the private network is not called', async () => {
    await house.admin.call('/device_warning/set_notice_settings', {
      base_url: house.wechat.url,
      app_id: 'wx1',
      template_id: 'T1',
      private_targets: false,
    });
    await webhook();
    const id = await raise(await device());
    await passes(1000);
    expect(await outcomes(id)).toEqual(['raised webhook failed private_address']);
    await house.world.db.deleteFrom('notices').execute();
    for (const host of [
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '0x7f.1',
    ])
      await webhook({ webhook_url: `http://${host}:${new URL(house.service.url).port}/hook` });
    const hidden = await raise(await device());
    await passes(1000);
    expect(await outcomes(hidden)).toEqual(Array(5).fill('raised webhook failed private_address'));
    await house.admin.call('/device_warning/set_notice_settings', {
      base_url: house.wechat.url,
      app_id: 'wx1',
      template_id: 'T1',
      private_targets: true,
      language: 'en-US',
    });
  });
  it('a webhook is sent again with the same delivery id when the server ended while sending', async () => {
    await webhook();
    const id = await raise(await device());
    await passes(1000);
    await house.world.db.updateTable('deliveries').set({ state: 'sent', ended_at: null }).execute();
    await passes(3 * minute);
    expect(await ledger(id)).toMatchObject([{ state: 'accepted', attempts: 2 }]);
    const ids = house.service.heard.map(({ headers }) => headers['x-ampwatch-delivery']);
    expect(ids).toEqual([ids[0], ids[0]]);
  });
  it('a notice of a rule whose owner lost the project is not sent', async () => {
    const id = await webhook({ project_ids: [house.project.id] });
    await house.world.db
      .updateTable('notices')
      .set({ owner_id: house.stranger.userId })
      .where('id', '=', id)
      .execute();
    expect(await outcomes(await raise(await device()))).toEqual([]);
    await passes(1000);
    expect(house.service.heard).toHaveLength(0);
  });
});

describe('Web Push', () => {
  const sendToOperator = () =>
    add(house.operator, {
      channel: 'app',
      user_ids: [house.operator.userId],
      project_ids: [house.project.id],
    });
  it('Web Push reaches each console of the user, encrypted and signed, and drops an expired subscription', async () => {
    await subscribe(house.operator, '/push/phone');
    await subscribe(house.operator, '/push/desk');
    house.service.answer(({ path }) => ({ status: path === '/push/phone' ? 410 : 201 }));
    await sendToOperator();
    const id = await raise(await device());
    await passes(1000);
    expect(house.service.heard.map(({ path }) => path).sort()).toEqual(['/push/desk', '/push/phone']);
    expect(house.service.heard[0]!.headers).toMatchObject({
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
    expect((await house.operator.call('/push/key')).data).toMatchObject({ subscriptions: 1 });
    const { data } = await house.operator.call(
      '/system_message/index',
      { type: 'system' },
      { 'accept-language': 'en-US' },
    );
    expect(data.list.map((row: { title: string }) => row.title)).toEqual([
      'Push notifications stopped on one of your devices',
    ]);
  });
  it('a push to a user without a console fails in the delivery log, and the message is still in the console', async () => {
    await sendToOperator();
    const id = await raise(await device(), { code: 301 });
    await passes(1000);
    expect(await outcomes(id)).toEqual(['raised app failed no_subscription']);
    const { data } = await house.operator.call('/system_message/index', {}, { 'accept-language': 'en-US' });
    expect(data.list).toMatchObject([
      { type: 'alarm', title: 'Alarm: Leakage (residual current)', read: false, alarm_id: id },
    ]);
    expect((await house.world.hears('message.posted')).userIds).toEqual([house.operator.userId]);
  });
  it('drops only the expired subscription; a retry does not send again where it succeeded', async () => {
    await subscribe(house.operator, '/push/a');
    await subscribe(house.operator, '/push/b');
    house.service.answer(({ path }) => ({ status: path === '/push/a' ? 201 : 503 }));
    await sendToOperator();
    const id = await raise(await device());
    await passes(1000);
    house.service.answer(() => ({ status: 201 }));
    await passes(20_000);
    expect(house.service.heard.map(({ path }) => path).sort()).toEqual(['/push/a', '/push/b', '/push/b']);
    expect(await outcomes(id)).toEqual(['raised app accepted']);
  });
});

describe('WeChat', () => {
  let tokens = 0;
  let codes: number[] = [];
  beforeEach(async () => {
    await house.admin.call('/device_warning/set_notice_settings', {
      app_id: 'wx1',
      app_secret: 's3cret',
      template_id: 'T1',
      fields: { alarm: 'thing1', place: 'thing2', time: 'time3' },
      base_url: house.wechat.url,
      private_targets: true,
      language: 'en-US',
    });
    await house.world.db.deleteFrom('settings').where('key', '=', 'wechat_token').execute();
    await house.operator.call('/push/wechat', { openid: 'oOPENID' });
    tokens = 0;
    codes = [];
    house.wechat.answer(({ path, query, method, body }) => {
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
        Object.keys(message.data).sort().join() === 'thing1,thing2,time3' &&
        /^ampwatch-\d+$/.test(message.client_msg_id);
      return {
        status: 200,
        body: JSON.stringify(
          whole ? { errcode: 0, errmsg: 'ok', msgid: 77 } : { errcode: 47001, errmsg: 'data format error' },
        ),
      };
    });
    await add(house.operator, {
      channel: 'wechat',
      user_ids: [house.operator.userId],
      project_ids: [house.project.id],
    });
  });
  const sends = () => house.wechat.heard.filter(({ path }) => path.endsWith('/send'));

  it('WeChat messages to several people at once use one token', async () => {
    const others = [house.admin, await house.world.as(house.users[1]!)];
    for (const other of others) await other.call('/push/wechat', { openid: 'oOPENID' });
    await add(house.admin, {
      channel: 'wechat',
      user_ids: [house.admin.userId, house.operator.userId],
      project_ids: [house.project.id],
    });
    await raise(await device());
    await passes(1000);
    expect([tokens, sends().length]).toEqual([1, 2]);
  });
  it('many WeChat messages use one token', async () => {
    const first = await raise(await device());
    await passes(1000);
    const second = await raise(await device());
    await passes(1000);
    expect([await outcomes(first), await outcomes(second)]).toEqual([
      ['raised wechat accepted'],
      ['raised wechat accepted'],
    ]);
    expect(tokens).toBe(1);
  });
  it.each([40001, 42001])('a WeChat message is sent again with a new token after error %d', async (code) => {
    codes = [code];
    const id = await raise(await device());
    await passes(1000);
    expect(await outcomes(id)).toEqual(['raised wechat accepted']);
    expect([tokens, sends().length]).toEqual([2, 2]);
  });
  it('a WeChat secret that an earlier version stored in plain text is used; one encrypted with another key is not', async () => {
    const { db, clock } = house.world;
    const ways = {
      ...{ app_id: 'wx1', template_id: 'T1', base_url: house.wechat.url, private_targets: true },
      fields: { alarm: 'thing1', place: 'thing2', time: 'time3' },
    };
    await writeSetting(db, 'notices', { ...ways, app_secret: 's3cret' }, clock.now());
    await sealWays(db, testVault);
    const first = await raise(await device());
    await passes(1000);
    expect(await outcomes(first)).toEqual(['raised wechat accepted']);
    const body = { ...ways, app_secret: 's3cret', language: 'en-US' as const };
    await changeWays(db, createVault(Buffer.alloc(32, 8)), body, clock.now());
    const second = await raise(await device());
    await passes(1000);
    expect(await outcomes(second)).toEqual(['raised wechat failed secret_unreadable']);
  });
  it('WeChat waits until the daily quota (45009) is over, and gives up on a user who does not follow (43004)', async () => {
    codes = [45009];
    const id = await raise(await device());
    await passes(1000);
    expect((await outcomes(id))[0]).toBe('raised wechat queued quota');
    await passes(20_000);
    expect((await outcomes(id))[0]).toBe('raised wechat accepted');
    codes = [43004];
    const lost = await raise(await device());
    await passes(1000);
    expect(await ledger(lost)).toMatchObject([
      { state: 'failed', reason: 'not_subscribed', detail: { errcode: 43004 } },
    ]);
  });
  it.each([
    ['normal', 'Cleared'],
    ['removed', 'Removed'],
    ['moved', 'Moved'],
  ])('WeChat says of an alarm whose end is %s: %s', async (by, word) => {
    const one = await device();
    const id = await raise(one);
    await passes(1000);
    await house.clear(id);
    await house.world.pool.query(
      `insert into alarm_history (line_id, alarm_id, seq, at, kind, data)
       select line_id, id, 99, cleared_at, 'cleared', $2 from alarms where id = $1`,
      [id, { by }],
    );
    await passes(minute);
    expect(await outcomes(id)).toEqual(['raised wechat accepted', 'cleared wechat accepted']);
    const said = JSON.parse(Buffer.from(sends().at(-1)!.body, 'latin1').toString()).data.thing1.value;
    expect(said.split(':')[0]).toBe(word);
  });
  it('a message that WeChat refuses because of the daily quota (45009) goes out once as a push', async () => {
    codes = Array.from({ length: 7 }, () => 45009);
    await subscribe(house.operator, '/push/desk');
    const id = await raise(await device(), { severity: 3 });
    await passes(1000);
    for (const waitMinutes of [1, 1, 5, 15, 30, 60]) await passes(waitMinutes * minute);
    expect((await outcomes(id)).filter((line) => line.startsWith('raised'))).toEqual([
      'raised wechat failed quota',
      'raised app accepted',
    ]);
  });
  it('a WeChat answer that is not JSON is no answer: the message is sent again with its id', async () => {
    house.wechat.answer(({ path }) =>
      path === '/cgi-bin/token'
        ? { status: 200, body: '{"access_token":"t","expires_in":7200}' }
        : { status: 200, body: '<html>Sign in to the network' },
    );
    const id = await raise(await device());
    await passes(1000);
    expect(await outcomes(id)).toEqual(['raised wechat queued timeout']);
  });
  it('a WeChat service that is down for an hour is in the delivery log, delays no other, and then gets each message once', async () => {
    await webhook();
    house.wechat.answer(() => ({ status: 502 }));
    const id = await raise(await device(), { severity: 2 });
    await passes(1000);
    expect((await outcomes(id)).sort()).toEqual([
      'raised webhook accepted',
      'raised wechat queued unreachable',
    ]);
    for (let at = 0; at < 60; at += 1) await passes(minute);
    expect(await outcomes(id)).toContain('raised wechat queued unreachable');
    let taken = 0;
    house.wechat.answer(({ path }) => {
      if (path === '/cgi-bin/token') return { status: 200, body: '{"access_token":"t","expires_in":7200}' };
      taken += 1;
      return { status: 200, body: '{"errcode":0,"errmsg":"ok","msgid":1}' };
    });
    for (let at = 0; at < 60; at += 1) await passes(minute);
    expect(await outcomes(id)).toContain('raised wechat accepted');
    expect(taken).toBe(1);
  });
});
