import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../factories.ts';
import { type House, openDemoHouse } from './house.ts';

let house: House;
/** Of this file alone: the layout that it saves is the user's. */
let admin: number;
beforeAll(async () => {
  house = await openDemoHouse();
  admin = (await makeUser(house.db, { role: 1 })).id;
});
afterAll(() => house?.stop());

const headings = '.datascreen-grid h2';

it('shows the panels that the user chose, in their order, also after a reload', async () => {
  const page = await house.pageOf(admin, { width: 1920, height: 1080 });
  await page.goto(`${house.url}/home/datascreen`);
  await page.getByRole('heading', { name: 'Which site first' }).waitFor();
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('checkbox', { name: 'Map of projects' }).uncheck();
  await page.getByRole('button', { name: 'Move up: Latest alarms' }).click();
  await page.getByRole('button', { name: 'Save for me' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.reload();
  await page.locator(headings).first().waitFor();
  expect((await page.locator(headings).allTextContents()).slice(0, 2)).toEqual([
    'Latest alarms',
    'Which site first',
  ]);
  expect(await page.getByText('Projects by their worst state').count()).toBe(0);
});

it('leads from a region to its project', async () => {
  const page = await house.pageOf(admin, { width: 1920, height: 1080 });
  await page.goto(`${house.url}/home/datascreen`);
  await page.locator('.sites-regions button').first().click();
  await page.waitForURL(/region=/);
  await page.locator('.sites-list a').first().click();
  await page.waitForURL(/\/home\/configinfo\/\w+\?project_id=\d+/);
});

it.each([
  [1920, 1080],
  [3840, 2160],
])('needs no scrolling on a wall of %i × %i', async (width, height) => {
  const page = await house.pageOf(admin, { width, height });
  await page.goto(`${house.url}/home/datascreen`);
  await page.locator('.chart-canvas canvas').first().waitFor();
  const room = await page.evaluate(() => [
    document.documentElement.scrollHeight - document.documentElement.clientHeight,
    document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ]);
  expect(room).toEqual([0, 0]);
});
