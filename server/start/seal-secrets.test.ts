import { createECDH } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeBackup } from '#database/backup/dump.ts';
import { readSetting, writeSetting } from '#server/core/settings.ts';
import { createVault } from '#server/core/vault.ts';
import { pushKeys } from '#server/notices/push-keys.ts';
import { changeWays, readWays, wechatSecret } from '#server/notices/ways.ts';
import { openTarget, sealedTarget } from '#server/notices/webhook-target.ts';
import { setSmsGateway, smsGateway, smsToken } from '#server/session/sms.ts';
import { bindAll } from '#test/all-features.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { testVault } from '#test/vault.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { sealSecrets } from './seal-secrets.ts';

const [wechat, sms] = ['wechat-s3cret', 'sms-t0ken'];
const [robot, signing] = ['https://hooks.example/robot/0123456789abcdef0123?key=r0b0t', 's1gning'];
const account = { app_id: 'wx1', template_id: 'T1', base_url: 'http://127.0.0.1:9', private_targets: true };
const gateway = { url: 'http://127.0.0.1:9/send', allow_private: true };
const anotherVault = createVault(Buffer.alloc(32, 8));
let world: World;
let databaseUrl: string;
let admin: Client;

beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    databaseUrl = parts.databaseUrl;
    bindAll(serve, parts);
  });
});
afterAll(() => world.close());
beforeEach(async () => {
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  await world.db.deleteFrom('settings').where('key', 'in', ['notices', 'sms', 'vapid']).execute();
  await world.db.deleteFrom('notices').execute();
});

const setAll = async () => {
  const ways = await admin.call('/device_warning/set_notice_settings', { ...account, app_secret: wechat });
  expect(ways.code).toBe(200);
  expect((await admin.call('/user/sms_gateway', { ...gateway, token: sms })).code).toBe(200);
};
const rows = () =>
  world.db.selectFrom('settings').selectAll().where('key', 'in', ['notices', 'sms']).orderBy('key').execute();
const opened = async () => {
  const known = await smsGateway(world.db);
  return [wechatSecret(testVault, await readWays(world.db)), known && smsToken(testVault, known)];
};
const shown = async () => [
  (await admin.call('/device_warning/notice_settings')).data.wechat,
  (await admin.call('/user/sms_gateway')).data,
];
/** The decompressed content of all volumes of a table's backup, as anybody with a copy can read it. */
const backedUp = async (table = 'settings'): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-sealed-'));
  try {
    const name = '20261122-120000-abcdef01';
    await makeBackup({
      ...{ databaseUrl, folder, name, cause: 'manual', tables: [table], passphrase: null },
      ...{ version: '1', now: world.clock.now(), reserveBytes: 0 },
    });
    const own = path.join(folder, name);
    const files = (await readdir(own)).filter((file) => !file.endsWith('.json'));
    expect(files).not.toEqual([]);
    const contents = await Promise.all(files.map((file) => readFile(path.join(own, file))));
    return contents.map((content) => zstdDecompressSync(content).toString()).join('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
};

it('neither the table nor a backup holds the secrets of WeChat and SMS in plain text', async () => {
  await setAll();
  const stored = JSON.stringify(await rows());
  const backup = await backedUp();
  for (const secret of [wechat, sms]) {
    expect(stored).not.toContain(secret);
    expect(backup).not.toContain(secret);
  }
  expect(backup).toContain((await readWays(world.db)).sealed_secret);
  expect(await opened()).toEqual([wechat, sms]);
  expect(await shown()).toMatchObject([
    { has_secret: true, secret_unreadable: false },
    { has_token: true, token_unreadable: false },
  ]);
});

it('a secret that is not given again stays, and one from another row cannot be decrypted', async () => {
  await setAll();
  await admin.call('/device_warning/set_notice_settings', { ...account, template_id: 'T2' });
  await admin.call('/user/sms_gateway', { ...gateway, url: 'http://127.0.0.1:9/other' });
  expect(await opened()).toEqual([wechat, sms]);
  const { sealed_secret } = await readWays(world.db);
  expect(smsToken(testVault, { ...gateway, sealed_token: sealed_secret })).toBeNull();
});

it('a start encrypts secrets that an earlier version stored in plain text, and changes nothing else', async () => {
  const updated_at = new Date(world.clock.now() - 86_400_000);
  const plain = [
    { key: 'notices', value: JSON.stringify({ ...account, app_secret: wechat }), updated_at },
    { key: 'sms', value: JSON.stringify({ ...gateway, token: sms }), updated_at },
  ];
  await world.db.insertInto('settings').values(plain).execute();
  await sealSecrets(world.db, testVault);
  const sealed = await rows();
  expect(JSON.stringify(sealed)).not.toMatch(new RegExp(`${wechat}|${sms}`));
  expect(sealed).toEqual([
    { key: 'notices', value: { ...account, sealed_secret: expect.any(String) }, updated_at },
    { key: 'sms', value: { ...gateway, sealed_token: expect.any(String) }, updated_at },
  ]);
  expect(await opened()).toEqual([wechat, sms]);
  await sealSecrets(world.db, testVault);
  expect(await rows()).toEqual(sealed);
});

it('with another key file the pages report unreadable secrets until they are given again', async () => {
  const now = world.clock.now();
  const fields = { alarm: 'thing1', place: 'thing2' };
  const body = { ...account, fields, app_secret: wechat, language: 'en-US' as const };
  await changeWays(world.db, anotherVault, body, now);
  await setSmsGateway(world.db, anotherVault, { ...gateway, token: sms }, now);
  expect(await shown()).toMatchObject([
    { app_id: 'wx1', has_secret: true, secret_unreadable: true },
    { url: gateway.url, has_token: true, token_unreadable: true },
  ]);
  expect((await admin.call('/index/get_code', { mobile: '13811119999' })).status).toBe(409);
  expect((await admin.call('/user/sms_outbox')).data[0]).toMatchObject({
    ...{ state: 'failed', error: 'token_unreadable' },
  });
  await setAll();
  expect(await opened()).toEqual([wechat, sms]);
});

describe('a webhook', () => {
  const rule = { channel: 'webhook', name: 'Robot', webhook_url: robot, webhook_secret: signing };
  const add = async () => (await admin.call('/device_warning/add_warning_timing', rule)).data.id as number;
  const edit = (id: number, given: Record<string, unknown>) =>
    admin.call('/device_warning/edit_warning_timing', { id, ...rule, webhook_secret: undefined, ...given });
  const stored = (id: number) =>
    world.db.selectFrom('notices').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const target = async (id: number, vault = testVault) => {
    const row = await stored(id);
    return openTarget(vault, { ...row, webhook_url: row.webhook_url! });
  };
  const shownUrl = 'https://hooks.example/robot/***?key=***';

  it('the keys of a webhook are not stored in plain text, and no other rule decrypts them', async () => {
    const id = await add();
    expect(JSON.stringify(await stored(id))).not.toMatch(/0123456789|r0b0t|s1gning/);
    expect(await backedUp('notices')).not.toMatch(/0123456789|r0b0t|s1gning/);
    expect(await target(id)).toEqual({ url: robot, secret: signing });
    const { sealed_webhook } = await stored(id);
    const other = { id: id + 1, webhook_url: shownUrl, webhook_secret: null, sealed_webhook };
    expect(openTarget(testVault, other)).toBeNull();
  });

  it('a webhook keeps its key while its address stays, and loses the key with the address', async () => {
    const id = await add();
    expect((await edit(id, { webhook_url: shownUrl })).data).toMatchObject({
      webhook_url: shownUrl,
      has_secret: true,
    });
    expect(await target(id)).toEqual({ url: robot, secret: signing });
    await edit(id, { webhook_url: shownUrl, webhook_secret: 'n3xt' });
    expect(await target(id)).toEqual({ url: robot, secret: 'n3xt' });
    await edit(id, { webhook_url: 'https://elsewhere.example/a' });
    expect(await target(id)).toEqual({ url: 'https://elsewhere.example/a', secret: null });
    await edit(id, { channel: 'app', user_ids: [admin.userId], webhook_url: null });
    expect(await stored(id)).toMatchObject({ webhook_url: null, sealed_webhook: null });
  });

  it('a start encrypts secrets that an earlier version stored in plain text', async () => {
    const id = await add();
    const plain = { webhook_url: robot, webhook_secret: signing, sealed_webhook: null };
    await world.db.updateTable('notices').set(plain).where('id', '=', id).execute();
    expect(await target(id)).toEqual({ url: robot, secret: signing });
    await sealSecrets(world.db, testVault);
    const sealed = await stored(id);
    expect(sealed).toMatchObject({ webhook_url: shownUrl, webhook_secret: null });
    expect(await target(id)).toEqual({ url: robot, secret: signing });
    await sealSecrets(world.db, testVault);
    expect(await stored(id)).toEqual(sealed);
  });

  it('a webhook is reported as unreadable with another key file, and requires the whole address again', async () => {
    const id = await add();
    const foreign = sealedTarget(anotherVault, id, { url: robot, secret: signing });
    await world.db.updateTable('notices').set(foreign).where('id', '=', id).execute();
    const { list } = (await admin.call('/device_warning/warning_timing_list')).data;
    expect(list).toMatchObject([{ webhook_url: shownUrl, has_secret: false, webhook_unreadable: true }]);
    expect((await edit(id, { webhook_url: shownUrl, name: 'Renamed' })).data).toMatchObject({
      ...{ name: 'Renamed', webhook_unreadable: true },
    });
    expect(await target(id, anotherVault)).toEqual({ url: robot, secret: signing });
    const refused = await edit(id, { webhook_url: shownUrl, webhook_secret: signing });
    expect([refused.status, Object.keys(refused.data)]).toEqual([422, ['webhook_url']]);
    expect((await edit(id, { webhook_secret: signing })).data).toMatchObject({
      ...{ has_secret: true, webhook_unreadable: false },
    });
    expect(await target(id)).toEqual({ url: robot, secret: signing });
  });
});

describe('the private key of Web Push', () => {
  const vapid = async () => (await readSetting(world.db, 'vapid')) as Record<string, string>;
  const now = () => world.clock.now();

  it('the private push key is made once and stored encrypted, and a start encrypts one that is stored in plain text', async () => {
    const made = await pushKeys(world.db, testVault, now());
    expect(made.privateKey).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(await vapid())).not.toContain(made.privateKey);
    expect(await pushKeys(world.db, testVault, now())).toEqual(made);
    await writeSetting(world.db, 'vapid', made, now());
    expect(await pushKeys(world.db, testVault, now())).toEqual(made);
    await sealSecrets(world.db, testVault);
    expect(JSON.stringify(await vapid())).not.toContain(made.privateKey);
    expect(await pushKeys(world.db, testVault, now())).toEqual(made);
  });

  it('a private push key of another key file is unreadable; new keys end every subscription and notify its user', async () => {
    const refused = await admin.call('/device_warning/renew_push_keys');
    expect(refused.status).toBe(409);
    await world.db.deleteFrom('settings').where('key', '=', 'vapid').execute();
    const lost = await pushKeys(world.db, anotherVault, now());
    const shownNow = async () =>
      (await admin.call('/device_warning/notice_settings')).data.push_key_unreadable;
    expect(await shownNow()).toBe(true);
    const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'A'.repeat(22) };
    await admin.call('/push/subscribe', { endpoint: 'https://push.example/1', keys });
    expect((await admin.call('/device_warning/renew_push_keys')).data).toEqual({ users: 1 });
    expect(await shownNow()).toBe(false);
    expect((await admin.call('/push/key')).data).toMatchObject({
      key: expect.not.stringContaining(lost.publicKey),
    });
    expect(await world.db.selectFrom('push_subscriptions').selectAll().execute()).toEqual([]);
    const messages = await world.db.selectFrom('messages').select(['user_id', 'key']).execute();
    expect(messages).toEqual([{ user_id: admin.userId, key: 'push.gone' }]);
  });

  it('the private key of Web Push is not renewed by a user who does not see every project', async () => {
    const project = await makeProject(world.db);
    const id = (await makeUser(world.db, { role: 105, letters: 'E', projects: [project] })).id;
    expect((await (await world.as(id)).call('/device_warning/renew_push_keys')).status).toBe(403);
  });
});
