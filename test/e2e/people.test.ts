import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faults } from '#contract/faults/codes.ts';
import { makeProject, makeUser } from '../factories.ts';
import { pngOf } from '../images.ts';
import { type House, openHouse } from './house.ts';

let house: House;
let folder: string;
let admin: Page;
let operator: number;
beforeAll(async () => {
  house = await openHouse();
  folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-people-'));
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  operator = (
    await makeUser(house.db, { role: 3, username: 'operator', nickname: 'Wang Li', projects: [project] })
  ).id;
  admin = await house.pageOf(house.admin);
});
afterAll(async () => {
  await house?.stop();
  await rm(folder, { recursive: true, force: true });
});

const settings = (page: string) => `${house.url}/home/configinfos/${page}`;
const drawerOf = (page: Page): Locator => page.locator('.ant-drawer-content-wrapper').getByRole('dialog');
/** Saves a drawer's form; types the administrator's password if the server asks for it. */
const save = async (page: Page, button = 'Save') => {
  const drawer = page.locator('.ant-drawer-open');
  const proof = page.getByRole('dialog', { name: 'Confirm your identity' });
  await drawer.getByRole('button', { name: button }).click();
  await proof.or(page.locator('body:not(:has(.ant-drawer-open))')).first().waitFor();
  if (await proof.isVisible()) {
    await proof.getByLabel('Your password').fill(house.adminPassword);
    await proof.getByRole('button', { name: 'OK' }).click();
  }
  await drawer.waitFor({ state: 'hidden' });
};
const choose = async (page: Page, field: Locator, option: string) => {
  await field.click();
  await page.locator('.ant-select-dropdown:visible').getByTitle(option, { exact: true }).click();
};
const actOn = async (name: string, act: string) => {
  await admin.getByRole('button', { name: `More actions for ${name}` }).click();
  await admin.getByRole('menuitem', { name: act, exact: true }).click();
};
const signIn = async (page: Page, username: string, password: string) => {
  await page.getByRole('textbox', { name: 'Account' }).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};
/** The dialog of an ended session may come before the click, so the click is dispatched directly. */
const goTo = (page: Page, name: string) => page.getByRole('menuitem', { name }).dispatchEvent('click');
const menuOf = async (page: Page): Promise<string[]> => {
  await page.locator('h1').first().waitFor();
  const closed = page.locator('nav [role="menuitem"][aria-haspopup][aria-expanded="false"]');
  while ((await closed.count()) > 0) await closed.first().click();
  return page
    .locator('nav a[href^="/home/"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
};

test('a role with letters, its first user, a new password and a disabled account work on the screens', async () => {
  await admin.goto(settings('rolemanage'));
  await admin.getByRole('button', { name: 'Add role' }).click();
  const role = drawerOf(admin);
  await role.getByLabel('Role name').fill('Night watch');
  await role.getByLabel('Description').fill('Looks at alarms at night');
  for (const letter of [/^A Alarm statistics/, /^D Alarms/, /^N Operation log/])
    await role.getByRole('checkbox', { name: letter }).check();
  await save(admin);
  await admin.getByRole('cell', { name: 'Alarm statistics, Alarms, Operation log', exact: true }).waitFor();

  await admin.goto(settings('USERManage'));
  await admin.getByRole('button', { name: 'Add user' }).click();
  const form = drawerOf(admin);
  await form.getByLabel('Username').fill('nightwatch');
  await form.getByLabel('Nickname').fill('Chen Jie');
  await form.getByLabel('Mobile').fill('13900000001');
  await form.getByLabel('Email').fill('night@example.org');
  await form.getByLabel('Password').fill('abc12345');
  await choose(admin, form.getByRole('combobox', { name: 'Role' }), 'Night watch');
  await choose(admin, form.getByRole('combobox', { name: 'Project' }), 'Bay Tower');
  await save(admin);

  const page = await house.stranger();
  await page.goto(house.url);
  await signIn(page, 'nightwatch', 'abc12345');
  await page.waitForURL(/\/home\/datascreen/);
  expect(await menuOf(page)).toEqual([
    ...['datascreen', 'alarmList', 'projectlist', 'timingconfig', 'search', 'maintenanceRecord', 'news'].map(
      (key) => `/home/${key}`,
    ),
    ...['alarmstatisticsShezhi', 'alarmquality', 'earlywarning', 'operationlog'].map(
      (key) => `/home/configinfos/${key}`,
    ),
  ]);
  await page.goto(settings('USERManage'));
  await page.waitForURL(/\/home\/configinfos\/alarmstatisticsShezhi/);

  await actOn('nightwatch', 'Reset password');
  await drawerOf(admin).getByLabel('Password', { exact: true }).fill('new12345');
  await drawerOf(admin).getByLabel('Password again').fill('new12345');
  await save(admin, 'Set the password');
  const ended = page.getByRole('dialog', { name: 'You have been logged out' });
  await goTo(page, 'Projects');
  await ended.getByRole('button', { name: 'Re-Login' }).click();
  await signIn(page, 'nightwatch', 'new12345');
  await page.waitForURL(/\/home\/projectlist/);
  await page.getByRole('menuitem', { name: 'Messages' }).waitFor();

  await actOn('nightwatch', 'Disable');
  await admin.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await admin.getByText('nightwatch is disabled and signed out').waitFor();
  await goTo(page, 'Messages');
  await ended.getByRole('button', { name: 'Re-Login' }).click();
  await signIn(page, 'nightwatch', 'new12345');
  await page.getByText(faults['signIn.disabled']['en-US']).first().waitFor();
});

test('a role in use and the user’s own account cannot be deleted, and the reason is shown', async () => {
  await house.db.insertInto('roles').values({ code: 170, name: 'Day watch', letters: 'A' }).execute();
  await makeUser(house.db, { role: 170, letters: 'A', username: 'daywatch', nickname: 'Zhao Lei' });
  await house.db
    .updateTable('roles')
    .set({ name: 'Day watch', parent_id: 1 })
    .where('code', '=', 170)
    .execute();
  await admin.goto(settings('rolemanage'));
  await actOn('Day watch', 'Delete');
  await admin.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await admin.getByText(/^The role is in use and cannot be deleted: Zhao Lei/).waitFor();

  await admin.goto(settings('USERManage'));
  await admin.getByRole('checkbox', { name: 'Select row admin', exact: true }).check();
  await admin.getByRole('button', { name: 'Delete' }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await admin.getByRole('dialog').getByText(faults['user.lastAdmin']['en-US']).waitFor();
});

test('a maintenance record with images before and after is written, edited and exported', async () => {
  const page = await house.pageOf(operator);
  const images = ['before.png', 'after.png'].map((name) => path.join(folder, name));
  for (const [index, image] of images.entries()) writeFileSync(image, pngOf(2000 + index));
  await page.goto(`${house.url}/home/maintenanceRecord`);
  await page.getByRole('button', { name: 'Add record' }).click();
  const form = drawerOf(page);
  await choose(page, form.getByRole('combobox', { name: 'Project' }), 'Bay Tower');
  await form.getByLabel('Handler', { exact: true }).fill('Wang Li');
  await form.getByLabel('Phone of the handler').fill('13800000000');
  await form.getByLabel('Maintenance content').fill('Terminals of the main board tightened');
  for (const [index, label] of ['Images before', 'Images after'].entries()) {
    await form.getByLabel(`${label} 1`).setInputFiles(images[index]!);
    await form.getByRole('img', { name: `${label} 1` }).waitFor();
  }
  await save(page);
  await page.getByRole('button', { name: 'Edit' }).click();
  await drawerOf(page).getByLabel('Result').fill('No terminal above 40 °C');
  await save(page);
  const stored = await house.db.selectFrom('maintenance_records').selectAll().executeTakeFirstOrThrow();
  expect(stored).toMatchObject({ result: 'No terminal above 40 °C' });
  expect([stored.before_images, stored.after_images].map((list) => list.length)).toEqual([1, 1]);

  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export .xlsx' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe('Maintenance records.xlsx');
  const [head = [], ...rows] =
    (await readXlsx(new Uint8Array(await readFile(await download.path())))).sheets[0]?.rows ?? [];
  expect(rows).toHaveLength(1);
  expect(rows[0]?.[head.indexOf('Result')]).toBe('No terminal above 40 °C');
});

test('feedback of a user is answered by the administrator, and the user reads the answer', async () => {
  const page = await house.pageOf(operator);
  await page.goto(`${house.url}/home/feedback`);
  await page.getByLabel('Content').fill('The site diagram needs a legend');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('not answered yet').waitFor();

  await admin.goto(settings('FeedbackRecord'));
  const entry = admin.getByRole('row').filter({ hasText: 'The site diagram needs a legend' });
  await entry.getByRole('button', { name: 'Answer' }).click();
  await drawerOf(admin).getByLabel('Answer').fill('It comes with the next version');
  await save(admin, 'Send the answer');

  await page.reload();
  await page.getByText('It comes with the next version').waitFor();
});
