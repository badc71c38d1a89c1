import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeProject, makeUser } from '../factories.ts';
import { type House, openHouse } from './house.ts';

let house: House;
let operator: number;
beforeAll(async () => {
  house = await openHouse();
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  operator = (await makeUser(house.db, { role: 3, username: 'operator', projects: [project] })).id;
});
afterAll(() => house?.stop());

const overflows = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

it('on a phone the messages, the menus and the profile fit in the language with the longest words', async () => {
  const page = await house.pageOf(operator, { language: 'ru-RU', width: 390, height: 844 });
  await page.goto(`${house.url}/home/news`);
  await page.getByRole('heading', { name: 'Сообщения', level: 1 }).waitFor();

  await page.getByRole('button', { name: /Учётная запись/ }).click();
  const items = page.getByRole('menuitem');
  await items.first().waitFor();
  for (const item of await items.all()) {
    const box = await item.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844).toBe(true);
  }
  await items.filter({ hasText: 'Уведомления и окна' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Громкий', { exact: true }).waitFor();
  expect(await overflows(page)).toBe(false);
  for (const button of await dialog.getByRole('button').all()) {
    const box = await button.boundingBox();
    if (box && box.width > 0) expect(box.x + box.width).toBeLessThanOrEqual(390);
  }
  const { violations } = await new AxeBuilder({ page }).include('.ant-modal').analyze();
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);

  // The dialog and the bar show one setting: a choice in the dialog changes the sign in the bar.
  await dialog.getByText('Нет', { exact: true }).click();
  await expect
    .poll(async () => {
      const row = await house.db.selectFrom('popup_settings').select('sound').executeTakeFirst();
      return row?.sound;
    })
    .toBe('off');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  const sound = page.getByRole('button', { name: 'Звук сигналов' });
  expect(await sound.getAttribute('aria-pressed')).toBe('false');
  await sound.click();
  await page.getByRole('button', { name: 'Звук сигналов', pressed: true }).waitFor();

  await page.getByRole('button', { name: 'Меню', exact: true }).click();
  await page.getByRole('menuitem', { name: /Сигналы/ }).click();
  await page.getByRole('heading', { name: 'Сигналы', level: 1 }).waitFor();
});

it('an address that is opened after the session ended leads to a sign-in that says so', async () => {
  const page = await house.pageOf(operator, { language: 'en-US' });
  // As signing in on the screen does.
  await page.context().addCookies([{ name: 'signed_in', value: '1', url: house.url }]);
  await house.db.deleteFrom('sessions').where('user_id', '=', operator).execute();
  await page.goto(`${house.url}/home/news`);
  await page.getByText('Login expired, please log in again').waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toBe('/home/news');

  // A browser in which nobody was signed in shows no notice about a session.
  await page.goto(`${house.url}/home/news`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.getByText('Login expired').count()).toBe(0);
});
