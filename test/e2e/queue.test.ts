import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type House, openDemoHouse } from './house.ts';

let house: House;
beforeAll(async () => {
  house = await openDemoHouse();
});
afterAll(() => house?.stop());

const settled = async (page: Page) => {
  await page.locator('.queue-row .queue-show').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
};
/** Rows of which nothing is cut off by the window. */
const wholeRows = (page: Page) =>
  page
    .locator('.queue-row')
    .evaluateAll(
      (rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= window.innerHeight).length,
    );
/** What of the page has moved by itself since it was asked for. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const state = { shifted: 0 };
    Object.assign(window, { layout: state });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[])
        if (!entry.hadRecentInput) state.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
const shifted = (page: Page) =>
  page.evaluate(() => (window as unknown as { layout: { shifted: number } }).layout.shifted);

it('22 alarms fit the window, nothing shifts, and the page itself does not scroll', async () => {
  const page = await house.pageOf(house.admin);
  await watchShifts(page);
  await page.goto(`${house.url}/home/alarmList`);
  await settled(page);
  expect(await wholeRows(page)).toBeGreaterThanOrEqual(22);
  const { page: whole, window: seen } = await page.evaluate(() => ({
    page: document.documentElement.scrollHeight,
    window: window.innerHeight,
  }));
  expect(whole).toBeLessThanOrEqual(seen);
  expect(await shifted(page)).toBeLessThanOrEqual(0.02);
  await page.context().close();
});

it('beside a shown alarm the page itself does not scroll either', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/alarmList?show=first`);
  await page.locator('.incident .alarm-timeline').waitFor();
  await settled(page);
  await page.locator('.incident').evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
  expect(
    await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight),
  ).toBeLessThanOrEqual(0);
  await page.context().close();
});

it('the gravest alarm is understood and handled with four keys; its row stays in its place', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/devicelist`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('w');
  const panel = page.locator('.incident');
  await panel.getByText('First checks').waitFor();
  await settled(page);
  const worst = Number(new URL(page.url()).searchParams.get('alarm'));
  const order = () =>
    page.locator('.queue-show').evaluateAll((rows) => rows.slice(0, 10).map(({ id }) => id));
  const before = await order();
  expect(before[0]).toBe(`queue-alarm-${worst}`);
  await page.keyboard.press('h');
  await page.getByRole('dialog').getByLabel('What was done').waitFor();
  await page.waitForFunction(() => document.activeElement?.closest('.handle-phrases') !== null);
  await page.keyboard.press('1');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => {
      const alarm = await house.db
        .selectFrom('alarms')
        .select('handling_content')
        .where('id', '=', worst)
        .executeTakeFirstOrThrow();
      return alarm.handling_content;
    })
    .toBe('Checked on site, all normal');
  await page.locator('.queue-row.is-done').first().waitFor();
  expect(await order()).toEqual(before);
  // The next one by one key, without the mouse and without leaving.
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('j');
  await expect
    .poll(() => new URL(page.url()).searchParams.get('alarm'))
    .toBe(before[1]!.slice('queue-alarm-'.length));
  await page.context().close();
});
