import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeBackup } from '#database/backup/dump.ts';
import { createVault } from '#server/core/vault.ts';
import { changeWays, readWays, wechatSecret } from '#server/notices/ways.ts';
import { setSmsGateway, smsGateway, smsToken } from '#server/session/sms.ts';
import { bindAll } from '#test/all-features.ts';
import { makeUser } from '#test/factories.ts';
import { testVault } from '#test/vault.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { sealSecrets } from './seal-secrets.ts';

const [wechat, sms] = ['wechat-s3cret', 'sms-t0ken'];
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
  await world.db.deleteFrom('settings').where('key', 'in', ['notices', 'sms']).execute();
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
/** The content of all volumes of a backup of the table, as whoever has a copy of it reads it. */
const backedUp = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-sealed-'));
  try {
    const name = '20261122-120000-abcdef01';
    await makeBackup({
      ...{ databaseUrl, folder, name, cause: 'manual', tables: ['settings'], passphrase: null },
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

it('a secret that is not given again stays, and one of another row does not open', async () => {
  await setAll();
  await admin.call('/device_warning/set_notice_settings', { ...account, template_id: 'T2' });
  await admin.call('/user/sms_gateway', { ...gateway, url: 'http://127.0.0.1:9/other' });
  expect(await opened()).toEqual([wechat, sms]);
  const { sealed_secret } = await readWays(world.db);
  expect(smsToken(testVault, { ...gateway, sealed_token: sealed_secret })).toBeNull();
});

it('a start seals what an earlier version stored in plain text, and changes nothing else of it', async () => {
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

it('with another key file the pages say that the secrets cannot be read, until they are given again', async () => {
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
