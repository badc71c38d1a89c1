import { expect, it } from 'vitest';
import { alarmTypeRoutes } from '#server/alarm-types/alarm-types.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';
import { testVault } from '#test/vault.ts';
import { openTarget } from './webhook-target.ts';

const house = noticeWorld((serve) => alarmTypeRoutes(serve, { provePassword }));
const { passes, raise, outcomes, add, device } = house;

const ways = (given: Record<string, unknown> = {}) => ({
  app_id: 'wx1',
  template_id: 'T1',
  base_url: house.wechat.url,
  private_targets: true,
  language: 'en-US',
  ...given,
});
const set = (given: Record<string, unknown> = {}) =>
  house.admin.call('/device_warning/set_notice_settings', ways(given));

it('lets letter E change the settings of every project only with the scope of all projects', async () => {
  const writer = await house.world.as(
    (await makeUser(house.world.db, { role: 105, letters: 'E', projects: [house.project] })).id,
  );
  const settings = await writer.call('/device_warning/set_notice_settings', ways(), {
    'accept-language': 'en-US',
  });
  expect([settings.status, settings.msg]).toEqual([
    403,
    'This setting applies to every project. Only an account that manages all projects can change it',
  ]);
  const off = await writer.call('/device_warning_type/set_status', { typeNumber: 301, enabled: false });
  expect(off.status).toBe(403);
  const limits = { device_type: 3, thresholds: { ov_w: 250 } };
  expect((await writer.call('/device_warning_type/set_defaults', limits)).status).toBe(403);
  const own = await writer.call('/device_warning_type/set_defaults', {
    ...limits,
    project_id: house.project.id,
  });
  expect(own.code).toBe(200);
  const foreign = await writer.call('/device_warning_type/set_defaults', {
    ...limits,
    project_id: house.other.id,
  });
  expect(foreign.status).toBe(404);
});

it('forgets the secret and the token of WeChat when its address or account changes', async () => {
  const tokenOf = async () =>
    (await house.world.db.selectFrom('settings').select('key').where('key', '=', 'wechat_token').execute())
      .length;
  const hasSecret = async () =>
    (await house.admin.call('/device_warning/notice_settings')).data.wechat.has_secret;
  const token = () =>
    house.world.db
      .insertInto('settings')
      .values({
        key: 'wechat_token',
        value: JSON.stringify({ app_id: 'wx1', token: 't', expires_at: 9e15 }),
        updated_at: new Date(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const moved of [{ base_url: 'https://attacker.example' }, { app_id: 'wx2' }]) {
    await set({ app_secret: 's3cret' });
    await token();
    await set();
    expect([await hasSecret(), await tokenOf()]).toEqual([true, 1]);
    await set(moved);
    expect([await hasSecret(), await tokenOf()]).toEqual([false, 0]);
  }
  await set({ app_secret: 's3cret' });
  await token();
  await set({ app_secret: 'another' });
  expect(await tokenOf()).toBe(0);
  await set({ app_secret: 's3cret' });
});

it('does not call WeChat at an internal address unless the installation allows it', async () => {
  await set({ private_targets: false, app_secret: 's3cret' });
  await house.operator.call('/push/wechat', { openid: 'oOPENID' });
  await add(house.operator, {
    channel: 'wechat',
    user_ids: [house.operator.userId],
    project_ids: [house.project.id],
  });
  const id = await raise(await device());
  await passes(1000);
  expect(await outcomes(id)).toEqual(['raised wechat failed private_address']);
  expect(house.wechat.heard).toEqual([]);
  await set({ app_secret: 's3cret' });
});

it('refuses a mapping of template fields without the alarm or the location', async () => {
  const refused = await set({ fields: { alarm: 'thing1', time: 'time2' } });
  expect([refused.status, Object.keys(refused.data)]).toEqual([422, ['fields']]);
  expect((await set({ fields: { alarm: 'thing1', place: 'thing1' } })).status).toBe(422);
  expect((await set({ fields: { level: 'const1', line: 'thing2' } })).code).toBe(200);
  await set();
});

it('shows and logs no credentials of a webhook’s address, and keeps them when it is edited', async () => {
  const address = 'https://me:pw@hooks.example/robot/0123456789abcdef0123?access_token=t0k3n';
  const shown = 'https://***@hooks.example/robot/***?access_token=***';
  const id = await add(house.admin, { channel: 'webhook', webhook_url: address, webhook_secret: 'key' });
  const row = async () =>
    (await house.admin.call('/device_warning/warning_timing_list')).data.list.find(
      (each: { id: number }) => each.id === id,
    );
  expect(await row()).toMatchObject({ webhook_url: shown, has_secret: true });
  const edited = await house.admin.call('/device_warning/edit_warning_timing', {
    id,
    channel: 'webhook',
    name: 'Robot',
    webhook_url: shown,
  });
  expect(edited.data).toMatchObject({ name: 'Robot', webhook_url: shown, has_secret: true });
  const stored = await house.world.db
    .selectFrom('notices')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(JSON.stringify(stored)).not.toMatch(/t0k3n|me:pw|0123456789abcdef0123|"key"/);
  expect(openTarget(testVault, { ...stored, webhook_url: shown })).toEqual({ url: address, secret: 'key' });
  const log = JSON.stringify(await house.world.db.selectFrom('operation_log').selectAll().execute());
  expect(log).not.toMatch(/t0k3n|me:pw|0123456789abcdef0123/);
});

it('refuses push keys that are not a point of the curve, and keeps the newest twenty subscriptions', async () => {
  const keys = { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) };
  const refused = await house.operator.call('/push/subscribe', { endpoint: 'https://push.example/1', keys });
  expect([refused.status, Object.keys(refused.data)]).toEqual([422, ['keys']]);
  for (let n = 0; n < 25; n += 1) await house.subscribe(house.operator, `/push/${n}`);
  expect((await house.operator.call('/push/key')).data.subscriptions).toBe(20);
});

it('sends to the other consoles when one has an invalid key from an older version', async () => {
  await house.subscribe(house.operator, '/push/good');
  await house.world.db
    .insertInto('push_subscriptions')
    .values({
      user_id: house.operator.userId,
      endpoint: `${house.service.url}/push/bad`,
      p256dh: 'A'.repeat(87),
      auth: 'A'.repeat(22),
      token_hash: null,
      created_at: new Date(),
    })
    .execute();
  await add(house.operator, {
    channel: 'app',
    user_ids: [house.operator.userId],
    project_ids: [house.project.id],
  });
  const id = await raise(await device());
  await passes(1000);
  expect(await outcomes(id)).toEqual(['raised app accepted']);
  expect(house.service.heard.map(({ path }) => path)).toEqual(['/push/good']);
});
