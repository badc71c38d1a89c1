import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firmwareStatement } from '#contract/telemetry.ts';
import { createControl } from '#server/control/commands.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { makeRollout } from '#test/rollouts.ts';
import { fakeFindings } from '#test/switches.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, testPassword, type World } from '#test/world.ts';
import { addressesBelow } from './address.ts';
import { firmwareRoutes } from './firmware.routes.ts';
import { createRollouts } from './worker.ts';

const english = { 'accept-language': 'en' };
const content = randomBytes(100_000);
const sha256 = createHash('sha256').update(content).digest('hex');
let world: World;
let admin: Client;
let dataDir: string;
let privateKey: KeyObject;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-firmware-'));
  world = await createWorld((serve) =>
    firmwareRoutes(serve, { provePassword, dataDir, addressOf: addressesBelow('https://ampwatch.example') }),
  );
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  const pair = generateKeyPairSync('ed25519');
  ({ privateKey } = pair);
  const pem = pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const added = await admin.call('/version/add_key', {
    name: 'Vendor',
    public_key: pem,
    password: testPassword,
  });
  expect(added.status).toBe(200);
});
afterAll(async () => {
  await world.close();
  await rm(dataDir, { recursive: true, force: true });
});

const signed = (
  to: string,
  given: { type?: number; size?: number; sha256?: string; key?: KeyObject } = {},
): string =>
  sign(
    null,
    Buffer.from(firmwareStatement({ type: 3, to, size: content.length, sha256, ...given })),
    given.key ?? privateKey,
  ).toString('base64');
const upload = async (fields: Record<string, string>, file: Buffer | null = content, client = admin) => {
  const form = new FormData();
  const whole = { mac_type: '3', mac_name: 'Smart switch', platformVersion: '2.0', ...fields };
  for (const [name, value] of Object.entries(whole)) form.append(name, value);
  if (file) form.append('file', new Blob([new Uint8Array(file)]), 'sw.bin');
  const request = new Request('http://x/', { method: 'POST', body: form });
  const response = await world.app.inject({
    method: 'POST',
    url: '/version/add_version',
    headers: {
      authorization: client.token,
      'content-type': request.headers.get('content-type')!,
      ...english,
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return { status: response.statusCode, ...response.json() };
};

describe('a version', () => {
  it('a firmware version is accepted with a matching checksum and signature, and is sent to devices whole or in ranges', async () => {
    const added = await upload({ appVersion: '1.5.0', sha256, signature: signed('1.5.0') });
    expect(added).toMatchObject({
      status: 200,
      data: {
        appVersion: '1.5.0',
        size: content.length,
        sha256,
        signed_by: 'Vendor',
        uploaded: true,
        status: 'enabled',
      },
    });
    const { pathname, search } = new URL(added.data.appUrl);
    const whole = await world.app.inject({ method: 'GET', url: pathname + search });
    expect(createHash('sha256').update(whole.rawPayload).digest('hex')).toBe(sha256);
    const rest = await world.app.inject({
      method: 'GET',
      url: pathname + search,
      headers: { range: 'bytes=99000-' },
    });
    expect(rest.statusCode).toBe(206);
    expect(rest.rawPayload).toEqual(content.subarray(99_000));
    expect(
      (await world.app.inject({ method: 'GET', url: `${pathname}?token=${'x'.repeat(32)}` })).statusCode,
    ).toBe(404);
    expect(await upload({ appVersion: '1.5.0', signature: signed('1.5.0') })).toMatchObject({
      status: 409,
      data: { appVersion: 'This version of the device type exists already' },
    });
  });

  it.each([
    ['another checksum', { sha256: 'a'.repeat(64) }, 'sha256'],
    ['a signature of another version', { signature: signed0('1.4.0') }, 'signature'],
    ['a signature for another device type', { signature: signed0('1.6.0', { type: 4 }) }, 'signature'],
    [
      'a signature by an unknown key',
      { signature: signed0('1.6.0', { key: generateKeyPairSync('ed25519').privateKey }) },
      'signature',
    ],
    ['no signature', { signature: '' }, 'signature'],
  ] as const)('a firmware version is refused with %s', async (_name, fields, field) => {
    const given = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, typeof value === 'function' ? value() : value]),
    );
    const answer = await upload({ appVersion: '1.6.0', signature: signed('1.6.0'), ...given });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.data)).toContain(field);
  });

  it('a firmware version may be a link, which needs size and checksum', async () => {
    const link = { appVersion: '1.7.0', appUrl: 'https://vendor.example/sw.bin', signature: signed('1.7.0') };
    expect((await upload(link, null)).data).toEqual({
      size: 'A link needs the size and the SHA-256 of its file',
    });
    const added = await upload({ ...link, size: String(content.length), sha256 }, null);
    expect(added.data).toMatchObject({ appUrl: link.appUrl, uploaded: false });
    expect((await upload({ ...link, appUrl: 'ftp://x' }, null)).data).toHaveProperty('appUrl');
  });

  it('a firmware version requires a file or a link, and all missing fields are reported at once', async () => {
    const { status, data } = await upload({ mac_type: '', signature: '' }, null);
    expect(status).toBe(422);
    expect(data.file).toBe('Choose the firmware file, or enter a download link');
    expect(Object.keys(data)).toEqual(expect.arrayContaining(['mac_type', 'appVersion', 'signature']));
  });

  it('a firmware version is for users who see every project and have letter K', async () => {
    const project = await makeProject(world.db);
    const limited = await world.as(
      (await makeUser(world.db, { role: 100, letters: 'K', projects: [{ id: project.id }] })).id,
    );
    expect((await limited.call('/version/get_list')).status).toBe(200);
    expect((await upload({ appVersion: '9.0', signature: signed('9.0') }, content, limited)).status).toBe(
      403,
    );
    const other = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id);
    expect((await other.call('/version/get_list')).status).toBe(403);
  });
});
/** Signs only when called, because the key does not exist before. */
function signed0(to: string, given: Parameters<typeof signed>[1] = {}) {
  return () => signed(to, given);
}

describe('a rollout', () => {
  it('a rollout shows which devices it will reach, and updates only those within its author’s scope', async () => {
    const [mine, theirs] = [await makeProject(world.db), await makeProject(world.db)];
    for (let n = 0; n < 4; n += 1) await makeDevice(world.db, { project_id: mine.id, type: 3 });
    await makeDevice(world.db, { project_id: theirs.id, type: 3 });
    await makeDevice(world.db, { project_id: mine.id, type: 4 });
    const limited = await world.as(
      (await makeUser(world.db, { role: 100, letters: 'K', projects: [{ id: mine.id }] })).id,
    );
    const { data } = await admin.call('/version/get_list', { limit: 200 });
    const { version_id } = data.list.find((row: { appVersion: string }) => row.appVersion === '1.5.0');
    const preview = await limited.call('/version/preview_rollout', { version_id });
    expect(preview.data).toMatchObject({ devices: 4, already: 0, busy: 0 });
    const start = (body: object) =>
      limited.call(
        '/version/start_rollout',
        { version_id, password: testPassword, expected: 4, ...body },
        english,
      );
    expect(await start({ expected: 3 })).toMatchObject({ status: 409, data: { count: 4 } });
    expect(await start({ project_ids: [theirs.id], expected: 0 })).toMatchObject({ status: 409 });
    expect((await start({ password: 'wrong' })).status).toBe(422);
    const begun = await start({ canary_percent: 25, wave_percent: 50 });
    expect(begun.data).toMatchObject({ state: 'running', total: 4, waves: 3, counts: { waiting: 4 } });
    const { rollout_id } = begun.data;
    expect((await start({})).status).toBe(409);
    const devices = await limited.call('/version/get_rollout_devices', { rollout_id });
    expect(devices.data.list.map((row: { wave: number }) => row.wave)).toEqual([1, 2, 2, 3]);
    // Another user with the same letter does not see it; a user who sees everything does.
    const stranger = await world.as(
      (await makeUser(world.db, { role: 100, letters: 'K', projects: [{ id: theirs.id }] })).id,
    );
    expect((await stranger.call('/version/get_rollout', { rollout_id })).status).toBe(404);
    expect((await stranger.call('/version/change_rollout', { rollout_id, act: 'stop' })).status).toBe(404);
    expect((await admin.call('/version/get_rollout', { rollout_id })).status).toBe(200);
    expect((await admin.call('/version/del_version', { ids: [version_id] })).status).toBe(409);
    const change = (act: string, more = {}) =>
      limited.call('/version/change_rollout', { rollout_id, act, ...more }, english);
    expect((await change('pause')).data.state).toBe('paused');
    expect(await change('resume')).toMatchObject({ status: 409, data: { reason: 'password_needed' } });
    expect((await change('resume', { password: testPassword })).data.state).toBe('running');
    expect((await change('stop')).data.state).toBe('stopped');
    expect((await change('resume', { password: testPassword })).status).toBe(409);
    // The operation log of the project shows all of it.
    const { rows } = await sql<{ devices: number }>`
      select (parameters ->> 'devices')::int as devices from operation_log
      where outcome = 'done' and project_id = ${mine.id} and key ilike '%rollout'`.execute(world.db);
    expect(rows).toEqual([{ devices: 4 }, { devices: 4 }, { devices: 4 }, { devices: 4 }]);
  });

  it('a rollout updates no device that moved to another project since it began, and says so', async () => {
    const [project, other] = [await makeProject(world.db), await makeProject(world.db)];
    const moved = await makeDevice(world.db, { project_id: project.id, type: 3 });
    const stays = await makeDevice(world.db, { project_id: project.id, type: 3 });
    const { data } = await admin.call('/version/get_list', { limit: 200 });
    const { version_id } = data.list.find((row: { appVersion: string }) => row.appVersion === '1.5.0');
    const begun = await admin.call('/version/start_rollout', {
      ...{ version_id, password: testPassword, expected: 2, project_ids: [project.id], canary_percent: 100 },
    });
    const { rollout_id } = begun.data;
    const { db, bus, clock } = world;
    const log = pino({ level: 'silent' });
    const { raise: raiseFinding } = fakeFindings();
    const link = { publishCommand: () => Promise.reject(new Error('nothing may be sent')) };
    const control = createControl({ db, bus, clock, link, raiseFinding, log });
    const addressOf = addressesBelow('https://ampwatch.example');
    const rollouts = createRollouts({ db, bus, clock, log, control, addressOf });
    await db.updateTable('devices').set({ project_id: other.id }).where('id', '=', moved.id).execute();
    rollouts.start();
    const rows = await eventually(async () => {
      const { list } = (await admin.call('/version/get_rollout_devices', { rollout_id }, english)).data;
      return list.every(({ message }: { message: string | null }) => message !== null) && list;
    });
    await rollouts.stop();
    const message = 'The device has moved to another project since this was asked for: not carried out';
    expect(rows.find((row: { device_id: number }) => row.device_id === moved.id)).toMatchObject({
      ...{ state: 'skipped', message },
    });
    expect(rows.find((row: { device_id: number }) => row.device_id === stays.id)).toMatchObject({
      ...{ state: 'waiting', message: 'The device must be online to operate' },
    });
  });

  it('a rollout is paused when its author loses the permission to update devices', async () => {
    const project = await makeProject(world.db);
    const device = await makeDevice(world.db, { project_id: project.id, type: 3 });
    const author = await makeUser(world.db, { role: 100, letters: 'K', projects: [{ id: project.id }] });
    const id = await makeRollout(world.db, {
      deviceIds: [device.id],
      authorId: author.id,
      type: 3,
      to: '8.0',
    });
    await world.db.updateTable('users').set({ enabled: false }).where('id', '=', author.id).execute();
    const rollouts = createRollouts({
      ...world,
      log: pino({ level: 'silent' }),
      control: { requestMany: () => Promise.reject(new Error('nobody may be asked')) },
      addressOf: addressesBelow('https://ampwatch.example'),
    });
    rollouts.start();
    const { data } = await eventually(async () => {
      const answer = await admin.call('/version/get_rollout', { rollout_id: id }, english);
      return answer.data.state === 'paused' && answer;
    });
    await rollouts.stop();
    expect(data.message).toBe('Paused: the user who started it may no longer update devices');
  });

  it('a rollout does not begin with a version whose key was revoked', async () => {
    const { data: keys } = await admin.call('/version/get_keys');
    const { data } = await admin.call('/version/get_list', { limit: 200 });
    const { version_id } = data.list.find((row: { appVersion: string }) => row.appVersion === '1.7.0');
    await admin.call('/version/revoke_key', { key_id: keys.list[0].key_id, password: testPassword });
    expect((await admin.call('/version/preview_rollout', { version_id }, english)).msg).toContain(
      'key was revoked',
    );
    expect((await upload({ appVersion: '2.0.0', signature: signed('2.0.0') })).status).toBe(422);
  });
});
