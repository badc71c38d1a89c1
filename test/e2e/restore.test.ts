import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../factories.ts';
import { freePort } from '../mosquitto.ts';
import { type House, openHouse } from './house.ts';

/** Tests what several open consoles show while a restore replaces the data. */
let house: House;
let otherId: number;
beforeAll(async () => {
  // The product starts again within a restore, at the same address.
  house = await openHouse({ PORT: String(await freePort()) });
  otherId = (await makeUser(house.db, { role: 1 })).id;
});
afterAll(() => house.stop());

/** Notes every message over the page, however short. */
const noteMessages = (page: Page) =>
  page.addInitScript(() => {
    const noted: string[] = [];
    Object.assign(window, { noted });
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('.ant-message-notice'))
        if (textContent !== null && !noted.includes(textContent)) noted.push(textContent);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
const messagesOn = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as unknown as { noted: string[] }).noted);

const confirmWithPassword = async (page: Page, name: string, within: Page | Locator = page) => {
  await within.getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(house.adminPassword);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
};
const restore = async (page: Page, row: Locator, choose: (dialog: Locator) => Promise<void>) => {
  await row.getByRole('button', { name: 'Restore', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await choose(dialog);
  const name = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByLabel('Type the name of the backup').fill(name);
  await dialog.getByLabel('Your password').fill(house.adminPassword);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
};
const restoring = (page: Page, text = /^Data is being restored from a backup since/) =>
  page.getByRole('alert').filter({ hasText: text }).waitFor();

it('says in each open console that data is being restored, and goes on by itself', async () => {
  const [page, other] = [await house.pageOf(house.admin), await house.pageOf(otherId, { language: 'ru-RU' })];
  await noteMessages(page);
  await noteMessages(other);
  await other.goto(`${house.url}/home/alarmList`);
  await other.getByText('Онлайн', { exact: true }).waitFor();
  await page.goto(`${house.url}/home/configinfos/databasemanage?tab=backups`);
  await page.getByText('Live', { exact: true }).waitFor();
  await confirmWithPassword(page, 'Back up everything');
  const row = page.getByRole('row', { name: /everything/ });
  await row.getByText('complete', { exact: true }).waitFor();

  await restore(page, row, async (dialog) => {
    await dialog.getByText('Only these tables').click();
    await dialog.getByRole('combobox').fill('alarm_types');
    await page.getByRole('option', { name: /^alarm_types/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
  });
  await Promise.all([
    restoring(page),
    restoring(other, /данные восстанавливаются из резервной копии/),
    page.getByText('The server restarts with the data of the backup.').waitFor(),
  ]);
  // Sessions outlast the restore of a few tables: each console goes on.
  await Promise.all([
    page.getByText('The restore has ended.').waitFor(),
    other.getByText('Восстановление завершено.').waitFor(),
  ]);
  await page.getByText('Live', { exact: true }).waitFor();
  await other.getByText('Онлайн', { exact: true }).waitFor();
  const said = [...(await messagesOn(page)), ...(await messagesOn(other))].join('\n');
  expect(said).not.toMatch(/Network error|Ошибка сети|Сервер недоступен|Login expired/);
});

it('leads each open console to the sign-in and says why, when a restore of everything has ended the sessions', async () => {
  const [page, other] = [await house.pageOf(house.admin), await house.pageOf(otherId, { language: 'zh-CN' })];
  await noteMessages(page);
  await noteMessages(other);
  await other.goto(`${house.url}/home/devicelist`);
  await other.getByText('实时', { exact: true }).waitFor();
  await page.goto(`${house.url}/home/configinfos/databasemanage?tab=backups`);
  await page.getByText('Live', { exact: true }).waitFor();
  const row = page.getByRole('row', { name: /everything/ });
  await restore(page, row.first(), async () => {});
  await Promise.all([restoring(page), restoring(other, /正在从备份恢复数据/)]);
  await Promise.all([
    page.getByText('The data was restored from a backup, which ended all sessions.').waitFor(),
    other.getByText('数据已从备份恢复，所有会话均已结束。').waitFor(),
  ]);
  await page.getByRole('textbox', { name: 'Account' }).fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(house.adminPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // Each console is back on the page where the reader was.
  await page.getByRole('heading', { name: 'Database management' }).waitFor();
});
