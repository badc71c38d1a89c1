import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { type House, openHouse } from './house.ts';

const phone = { width: 390, height: 844, touch: true };
let house: House;
let admin: number;
let device: Awaited<ReturnType<typeof makeDevice>>;
beforeAll(async () => {
  house = await openHouse();
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  device = await makeDevice(house.db, { type: 3, lines: 2, number: 'E2E0000051', project_id: project.id });
  admin = (await makeUser(house.db, { role: 1, username: 'chief' })).id;
});
afterAll(() => house?.stop());

/** The handling of Back is loaded after the screen. */
const visit = async (page: Page, address: string) => {
  await page.goto(house.url + address);
  await page.locator('body[data-watches-back]').waitFor();
};
const back = (page: Page) => page.evaluate(() => window.history.back());
const dialogs = (page: Page) => page.getByRole('dialog').filter({ visible: true });
const guarded = (page: Page) => page.waitForFunction(() => window.history.state?.guards === true);
const unguarded = (page: Page) => page.waitForFunction(() => window.history.state?.guards !== true);

test('Back closes the palette, the menu and a dialog before it leaves the screen', async () => {
  const page = await house.pageOf(admin, phone);
  await visit(page, '/home/alarmList');
  await visit(page, `/home/linelist?device_id=${device.id}`);
  const here = page.url();
  const bar = page.getByRole('navigation', { name: 'Main screens' });
  for (const name of ['Search', 'Menu']) {
    await bar.getByRole('button', { name }).click();
    await dialogs(page).waitFor();
    await guarded(page);
    await back(page);
    await expect.poll(() => dialogs(page).count()).toBe(0);
    await unguarded(page);
    expect(page.url()).toBe(here);
  }
  await back(page);
  await page.waitForURL('**/home/alarmList*');
});

test('the first Back closes a dialog, the second one the sheet below it that the address opened', async () => {
  const page = await house.pageOf(admin, phone);
  await visit(page, `/home/linelist?device_id=${device.id}`);
  await page.getByRole('button', { name: /Line 2/ }).click();
  const sheet = page.locator('.line-sheet').getByRole('dialog');
  await sheet.getByRole('article').waitFor();
  expect(page.url()).toContain(`line_id=${device.lines[1]!.id}`);
  await sheet.getByRole('button', { name: 'Apply lock-out tag' }).click();
  await page.getByLabel('Reason').fill('Replacing the terminal');
  await guarded(page);
  await back(page);
  await expect.poll(() => page.getByLabel('Reason').filter({ visible: true }).count()).toBe(0);
  await unguarded(page);
  await sheet.getByRole('article').waitFor();
  await back(page);
  await expect.poll(() => sheet.filter({ visible: true }).count()).toBe(0);
  expect(page.url()).toBe(`${house.url}/home/linelist?device_id=${device.id}`);
});

test('Back asks before it discards unsaved work, and can be cancelled', async () => {
  const page = await house.pageOf(admin, phone);
  await visit(page, `/home/linelist?device_id=${device.id}&line_id=${device.lines[0]!.id}`);
  await page.getByRole('button', { name: 'Edit line 1' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Kitchen');
  await guarded(page);
  const question = page.locator('.ant-modal-confirm-title');
  await back(page);
  await question.waitFor();
  await guarded(page);
  await back(page);
  await question.waitFor({ state: 'hidden' });
  await guarded(page);
  expect(await name.inputValue()).toBe('Kitchen');
  await back(page);
  await question.waitFor();
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => name.filter({ visible: true }).count()).toBe(0);
});
