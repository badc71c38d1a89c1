/** What firmware, backups and settings refuse: the sentence that each language gives, and that nothing is lost. */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Language, languages } from '#contract/languages.ts';
import { firmwareStatement } from '#contract/telemetry.ts';
import { type BackupWorld, createBackupWorld } from '#server/backups/backups.world.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import { createRollouts } from '#server/firmware/worker.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makeUser } from './factories.ts';
import { makeRollout } from './rollouts.ts';
import { eventually } from './wait.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

type Sentences = Record<Language, string>;
const in3 = (zh: string, en: string, ru: string): Sentences => ({ 'zh-CN': zh, 'en-US': en, 'ru-RU': ru });
const asks = (client: Client, language: Language) => (where: string, body: object) =>
  client.call(where, body, { 'accept-language': language });

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  const confirmed = await admin.call('/sign_user/confirm_password', { password: testPassword });
  expect(confirmed.status).toBe(200);
});
afterAll(() => world.close());

describe('firmware', () => {
  const content = Buffer.from('firmware of a switch');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signed = (to: string, key = privateKey) =>
    sign(null, Buffer.from(firmwareStatement({ type: 3, to, size: content.length, sha256 })), key).toString(
      'base64',
    );
  beforeAll(async () => {
    const public_key = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const added = await admin.call('/version/add_key', {
      ...{ name: 'Vendor', public_key, password: testPassword },
    });
    expect(added.status).toBe(200);
  });
  const upload = async (language: Language, fields: Record<string, string>) => {
    const form = new FormData();
    const whole = { mac_type: '3', mac_name: 'Switch', platformVersion: '2.0', appVersion: '1.6.0' };
    for (const [name, value] of Object.entries({ ...whole, ...fields })) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(content)]), 'sw.bin');
    const request = new Request('http://x/', { method: 'POST', body: form });
    const response = await world.app.inject({
      ...{ method: 'POST', url: '/version/add_version', payload: Buffer.from(await request.arrayBuffer()) },
      headers: {
        authorization: admin.token,
        'content-type': request.headers.get('content-type')!,
        'accept-language': language,
      },
    });
    const { data }: { data: Record<string, string> } = response.json();
    return { status: response.statusCode, data };
  };
  const stored = async () => (await admin.call('/version/get_list', {})).data.total;

  const wrongSignature = in3(
    '签名与任何已登记的公钥都不匹配：固件未被接受',
    'No registered key made this signature: the firmware is refused',
    'Подпись не принадлежит ни одному зарегистрированному ключу: прошивка отклонена',
  );
  const refusals: [name: string, fields: () => Record<string, string>, field: string, said: Sentences][] = [
    [
      'with another checksum',
      () => ({ sha256: 'a'.repeat(64), signature: signed('1.6.0') }),
      'sha256',
      in3(
        '文件的 SHA-256 与填写的不一致',
        'The file does not have this SHA-256',
        'SHA-256 файла не совпадает с указанной',
      ),
    ],
    ['signed for another version', () => ({ signature: signed('1.5.0') }), 'signature', wrongSignature],
    [
      'signed by an unknown key',
      () => ({ signature: signed('1.6.0', generateKeyPairSync('ed25519').privateKey) }),
      'signature',
      wrongSignature,
    ],
  ];
  test.each(refusals)('%s is refused at its field and not stored', async (_name, fields, field, said) => {
    for (const language of languages)
      expect(await upload(language, fields())).toMatchObject({
        status: 422,
        data: { [field]: said[language] },
      });
    expect(await stored()).toBe(0);
  });

  test('firmware that a device only claims to have counts as failed, with the version that it reports', async () => {
    const { db, bus, clock } = world;
    const device = await makeDevice(db);
    await db.updateTable('devices').set({ firmware: '1.4.2' }).where('id', '=', device.id).execute();
    const id = await makeRollout(db, {
      deviceIds: [device.id],
      authorId: admin.userId,
      type: 3,
      to: '1.5.0',
    });
    const commandId = randomUUID();
    await db.updateTable('rollout_devices').set({ state: 'updating', command_id: commandId }).execute();
    const rollouts = createRollouts({
      ...{ db, bus, clock, log: pino({ level: 'silent' }) },
      control: { request: () => Promise.reject(new Error('nothing is asked')) } as never,
      addressOf: addressesBelow('http://localhost'),
    });
    rollouts.start();
    const rowIn = async (language: Language) =>
      (await asks(admin, language)('/version/get_rollout_devices', { rollout_id: id })).data.list[0];
    const claim = { id: commandId, from: '1.4.2', to: '1.5.0', st: 'updated', err: null } as const;
    bus.emit('device.info', { deviceId: device.id, info: { fw: '1.4.2' } as never });
    await eventually(async () => (await rowIn('en-US')).state === 'rolled_back');
    bus.emit('device.ota', { deviceId: device.id, progress: claim as never });
    await eventually(async () => (await rowIn('en-US')).state === 'failed');
    const said = in3(
      '设备称已升级，但上报的版本是 1.4.2',
      'The device claims to be updated but reports version 1.4.2',
      'Устройство сообщает об обновлении, но версия — 1.4.2',
    );
    for (const language of languages)
      expect(await rowIn(language)).toMatchObject({ version: '1.4.2', message: said[language] });
    // The device's own reason is also shown as a sentence.
    for (const [err, why] of [
      [
        'sha256',
        in3(
          '设备收到的文件校验和不符，未安装',
          'The file that the device received has another checksum; it was not installed',
          'У файла, полученного устройством, другая контрольная сумма; он не установлен',
        ),
      ],
      [
        'E17',
        in3(
          '设备报告升级失败（E17）',
          'The device reports that the update failed (E17)',
          'Устройство сообщает, что обновление не удалось (E17)',
        ),
      ],
    ] as const) {
      await db.updateTable('rollout_devices').set({ state: 'downloading', reason: null }).execute();
      bus.emit('device.ota', { deviceId: device.id, progress: { ...claim, st: 'failed', err } as never });
      await eventually(async () => (await rowIn('en-US')).message === why['en-US']);
      for (const language of languages)
        expect(await rowIn(language)).toMatchObject({ state: 'failed', message: why[language] });
    }
    await rollouts.stop();
  });
});

describe('a setting', () => {
  const range = in3(
    '请输入 5 到 120 之间的整数',
    'Enter a whole number from 5 to 120',
    'Введите целое число от 5 до 120',
  );
  const kind = in3(
    '该设置不接受此值',
    'This setting does not take that value',
    'Этот параметр не принимает такое значение',
  );
  test.each([
    ['control.evidenceS', 4, range],
    ['control.evidenceS', 121, range],
    ['control.evidenceS', 7.5, range],
    ['session.passwordPolicy', 'none', kind],
    ['session.blockZoom', 1, kind],
  ])('%s refuses %j at its field, keeps its value and records no change', async (name, value, said) => {
    const rowOf = async () =>
      (await admin.call('/settings/list', {})).data.list.find((row: { name: string }) => row.name === name);
    const before = await rowOf();
    for (const language of languages)
      expect(await asks(admin, language)('/settings/set', { name, value })).toMatchObject({
        status: 422,
        data: { value: said[language] },
      });
    expect(await rowOf()).toEqual(before);
    expect(before).toMatchObject({ changed_at: null });
  });
});

describe('a backup', () => {
  let backups: BackupWorld;
  beforeAll(async () => {
    backups = await createBackupWorld();
  });
  afterAll(() => backups.close());
  const backUp = async (body: object = {}): Promise<string> => {
    backups.clock.advance(1000);
    return (await backups.run('/database/backup', body)).backup;
  };
  const act = (language: Language, where: string, body: object) =>
    asks(backups.admin, language)(where, { password: testPassword, ...body });
  const saidOf = async (job_id: string, language: Language) =>
    (await asks(backups.admin, language)('/database/get_job', { job_id })).data.message;
  const dataOf = async () => {
    // The operation log and the jobs continue to grow, so they are not compared.
    const {
      operation_log: _log,
      operation_log_head: _head,
      maintenance_jobs: _jobs,
      ...rows
    } = await backups.rows();
    return rows;
  };

  test('a backup with a flipped bit is not restored, and every row stays', async () => {
    const name = await backUp();
    const folder = path.join(backups.shelf, name);
    const volume = (await readdir(folder)).filter((file) => file !== 'manifest.json').sort()[0]!;
    const file = await open(path.join(folder, volume), 'r+');
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, 20);
    await file.write(Buffer.from([byte[0]! ^ 4]), 0, 1, 20);
    await file.close();
    await sql`update projects set name = 'Of now'`.execute(backups.db);
    const before = await dataOf();
    const job = await backups.run('/database/restore', { name, confirm: name });
    expect(job.state).toBe('failed');
    expect(await dataOf()).toEqual(before);
    const said: Record<Language, RegExp> = {
      'zh-CN': /^备份已损坏（[\w.]+），未做任何更改$/,
      'en-US': /^The backup is damaged \([\w.]+\)\. Nothing was changed$/,
      'ru-RU': /^Резервная копия повреждена \([\w.]+\)\. Ничего не изменено$/,
    };
    for (const language of languages) expect(await saidOf(job.job_id, language)).toMatch(said[language]);
  });

  test('a backup of an older schema is not restored into a newer one, and the refusal says how to restore it', async () => {
    const name = await backUp({ tables: ['settings'] });
    await sql`insert into migrations (name) values ('9999_future.sql')`.execute(backups.db);
    const before = await dataOf();
    const said = in3(
      '备份来自旧版本（test），缺少迁移 9999_future.sql：请用该版本恢复到新的数据目录，然后升级',
      'The backup is from an older version (test), before migration 9999_future.sql: restore it with that version into a new data folder, then upgrade',
      'Резервная копия сделана старой версией (test), до миграции 9999_future.sql: восстановите её той же версией в новую папку данных, затем обновите систему',
    );
    for (const language of languages)
      expect(await act(language, '/database/restore', { name, confirm: name })).toMatchObject({
        status: 409,
        msg: said[language],
      });
    expect(await dataOf()).toEqual(before);
    await sql`delete from migrations where name = '9999_future.sql'`.execute(backups.db);
  });

  test('a backup that does not fit on the disk leaves no file', async () => {
    await backups.stopWorker();
    backups.startWorker({ reserveBytes: 2 ** 52 });
    const before = await readdir(backups.shelf);
    const { job_id, state } = await backups.run('/database/backup');
    expect(state).toBe('failed');
    expect(await readdir(backups.shelf)).toEqual(before);
    const said: Record<Language, RegExp> = {
      'zh-CN': /^磁盘空间不足（剩余 \d+ MB），未留下不完整的备份。请删除旧备份或释放空间后重试$/,
      'en-US':
        /^The disk is full \(\d+ MB free\)\. No incomplete backup was left behind\. Delete old backups or free some space, then try again$/,
      'ru-RU':
        /^На диске нет места \(свободно \d+ МБ\)\. Неполная копия не сохранена\. Удалите старые копии или освободите место и повторите$/,
    };
    for (const language of languages) expect(await saidOf(job_id, language)).toMatch(said[language]);
    await backups.stopWorker();
    backups.startWorker();
  });

  test.each(['nobody', 'settings; drop table settings', 'pg_class'])(
    'backup, optimisation and repair of table %j, which is not in the catalogue, are refused',
    async (table) => {
      const said = in3(
        `数据库中没有表“${table}”`,
        `The database has no table “${table}”`,
        `В базе данных нет таблицы «${table}»`,
      );
      for (const where of ['/database/backup', '/database/optimize', '/database/repair'])
        for (const language of languages)
          expect(await act(language, where, { tables: [table] })).toMatchObject({
            status: 404,
            msg: said[language],
          });
      expect((await backups.rows())['settings']).toBeDefined();
    },
  );
});
