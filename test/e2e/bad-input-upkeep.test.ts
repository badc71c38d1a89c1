/** What firmware, backups and settings refuse, as the administrator reads it, in each language. */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { firmwareStatement } from '#contract/telemetry.ts';
import { firmware as firmwareEnglish } from '#web/features/firmware/words/en-US.ts';
import { firmware as firmwareRussian } from '#web/features/firmware/words/ru-RU.ts';
import { firmware as firmwareChinese } from '#web/features/firmware/words/zh-CN.ts';
import { system as systemEnglish } from '#web/features/system/words/en-US.ts';
import { system as systemRussian } from '#web/features/system/words/ru-RU.ts';
import { system as systemChinese } from '#web/features/system/words/zh-CN.ts';
import { common as english } from '#web/parts/words/en-US.ts';
import { common as russian } from '#web/parts/words/ru-RU.ts';
import { common as chinese } from '#web/parts/words/zh-CN.ts';
import { makeDevice } from '../factories.ts';
import { makeRollout } from '../rollouts.ts';
import { type House, openHouse } from './house.ts';

const words = {
  'en-US': { common: english, firmware: firmwareEnglish, system: systemEnglish },
  'ru-RU': { common: russian, firmware: firmwareRussian, system: systemRussian },
  'zh-CN': { common: chinese, firmware: firmwareChinese, system: systemChinese },
};
const content = Buffer.from('firmware of a switch');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const sha256 = createHash('sha256').update(content).digest('hex');
const signed = (to: string): string =>
  sign(
    null,
    Buffer.from(firmwareStatement({ type: 3, to, size: content.length, sha256 })),
    privateKey,
  ).toString('base64');

let house: House;
let rollout: number;
/** Two failed jobs with their reasons, for the list of jobs. */
const ended = [
  ['restore', 'backup.damaged', { file: '0009.000' }],
  ['backup', 'backup.noSpace', { free: 300 }],
] as const;
beforeAll(async () => {
  house = await openHouse();
  const { db, admin } = house;
  await db
    .insertInto('firmware_keys')
    .values({
      name: 'Vendor',
      public_key: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
      added_by: 'admin',
      added_at: new Date(),
    })
    .execute();
  const device = await makeDevice(db);
  rollout = await makeRollout(db, { deviceIds: [device.id], authorId: admin, type: 3, to: '9.9.9' });
  await db.updateTable('rollouts').set({ state: 'stopped', ended_at: new Date() }).execute();
  await db
    .updateTable('rollout_devices')
    .set({ state: 'failed', reason: 'firmware.lied', reason_with: JSON.stringify({ version: '1.4.2' }) })
    .execute();
  for (const [kind, fault, about] of ended)
    await db
      .insertInto('maintenance_jobs')
      .values({
        ...{ id: randomUUID(), kind, cause: 'manual', state: 'failed', operator: 'admin' },
        ...{ fault, fault_with: JSON.stringify(about) },
        ...{ created_at: new Date(), ended_at: new Date() },
      })
      .execute();
});
afterAll(() => house?.stop());

/** Ant Design writes a blank between two Chinese characters of a button. */
const button = (within: Page | Locator, text: string) =>
  within.getByRole('button', { name: new RegExp(`^(plus )?${[...text].join(' ?')}$`) });

describe.each(languages)('in %s', (language: Language) => {
  const { common, firmware, system } = words[language];
  const said = (code: FaultCode, given = {}) => sentence(code, language, given);
  let page: Page;
  beforeAll(async () => {
    page = await house.pageOf(house.admin, { language, width: language === 'ru-RU' ? 390 : 1440 });
  });
  const goTo = (name: string) => page.goto(`${house.url}/home/${name}`);

  test('firmware with another checksum, or signed for another version, is refused at its field', async () => {
    await goTo('configinfos/dataUpgrade');
    await button(page, firmware.version.add).click();
    const drawer = page.getByRole('dialog', { name: firmware.version.add });
    await drawer.getByLabel(firmware.version.type).click();
    await page.locator('.ant-select-dropdown:visible .ant-select-item-option').nth(2).click();
    for (const [label, text] of [
      [firmware.version.macName, 'Switch'],
      [firmware.version.name, '1.6.0'],
      [firmware.version.platform, '2.0'],
      [firmware.version.sha256, 'a'.repeat(64)],
      [firmware.version.signature, signed('1.6.0')],
    ] as const)
      await drawer.getByLabel(label, { exact: true }).fill(text);
    await drawer
      .locator('input[type=file]')
      .setInputFiles({ name: 'sw.bin', mimeType: 'application/octet-stream', buffer: content });
    const flaws = drawer.locator('.ant-form-item-explain-error');
    await button(drawer, common.dialog.save).click();
    await flaws.getByText(said('firmware.sha256')).waitFor();

    await drawer.getByLabel(firmware.version.sha256, { exact: true }).fill('');
    await drawer.getByLabel(firmware.version.signature, { exact: true }).fill(signed('1.5.0'));
    await button(drawer, common.dialog.save).click();
    await flaws.getByText(said('firmware.signature')).waitFor();
    await flaws.getByText(said('firmware.sha256')).waitFor({ state: 'hidden' });
    const stored = await house.db.selectFrom('firmware_versions').select('app_version').execute();
    expect(stored).toEqual([{ app_version: '9.9.9' }]);
  });

  test('a rollout names a device that reports a false version', async () => {
    await goTo(`configinfos/dataUpgrade?tab=rollouts&rollout=${rollout}`);
    await page.getByText(said('firmware.lied', { version: '1.4.2' })).waitFor();
  });

  test('a damaged backup and a full disk are named in the list of jobs', async () => {
    await goTo('configinfos/databasemanage?tab=jobs');
    for (const [, fault, about] of ended) await page.getByText(said(fault, about)).first().waitFor();
  });

  test('a setting out of its range is refused at its field', async () => {
    await goTo('system?tab=settings');
    const { name } = system.settings.words.control_evidenceS;
    await page
      .getByRole('button', { name: system.settings.changeNamed.replace('{{name}}', name), exact: true })
      .click();
    const drawer = page.getByRole('dialog', { name });
    const field = drawer.getByRole('spinbutton', { name });
    await field.fill('121');
    await button(drawer, common.dialog.save).click();
    const flaw = drawer.locator('.ant-form-item-explain-error');
    await flaw.waitFor();
    expect(await flaw.textContent()).toContain('120');
    expect(await house.db.selectFrom('setting_edits').select('name').execute()).toEqual([]);
  });
});

test('the backup of an older schema is not offered for a restore, and the dialog says how to do it', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/configinfos/databasemanage?tab=backups`);
  await page.getByRole('button', { name: 'Back up everything' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(house.adminPassword);
  await dialog.getByRole('button', { name: 'Back up everything' }).click();
  const row = page.getByRole('row', { name: /everything/ });
  await row.getByText('complete', { exact: true }).waitFor();
  await house.pool.query(`insert into migrations (name) values ('9999_future.sql')`);
  for (const [language, text] of [
    ['en-US', 'The backup is from an older version'],
    ['zh-CN', '备份来自旧版本'],
    ['ru-RU', 'Резервная копия сделана старой версией'],
  ] as const) {
    const reader = await house.pageOf(house.admin, { language });
    const [backup] = await house.db
      .selectFrom('maintenance_jobs')
      .select('backup')
      .where('state', '=', 'done')
      .execute();
    await reader.goto(
      `${house.url}/home/configinfos/databasemanage?tab=backups&restore=${backup?.backup ?? ''}`,
    );
    const offer = reader.getByRole('dialog');
    await offer.getByText(text).waitFor();
    expect(await offer.getByRole('button').last().isDisabled()).toBe(true);
  }
});
