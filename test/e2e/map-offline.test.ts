import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type House, openDemoHouse } from './house.ts';
import { centreOf, watched } from './map-tiles.ts';

let house: House;
beforeAll(async () => {
  house = await openDemoHouse();
});
afterAll(() => house?.stop());

const overview = async (page: Page) => {
  await page.goto(`${house.url}/home/datascreen`);
  const marks = page.locator('.map-mark');
  // The map starts without a size and therefore with one mark.
  await expect.poll(() => marks.count(), { timeout: 180_000 }).toBeGreaterThan(1);
  return marks;
};

/** Whether the element stays where it is for ten frames. */
const isStill = (element: Locator): Promise<boolean> =>
  element.evaluate(async (mark) => {
    const place = () => JSON.stringify(mark.getBoundingClientRect());
    const before = place();
    for (let frame = 0; frame < 10; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      if (place() !== before) return false;
    }
    return true;
  });

it('the offline map is drawn from files of the product only', async () => {
  const page = await house.pageOf(house.admin);
  const { refused, hosts } = watched(page);
  await overview(page);
  await expect.poll(() => page.locator('.map-outlines path').count()).toBe(35);
  expect(refused).toEqual([]);
  expect([...hosts]).toEqual([new URL(house.url).host]);
});

it('the offline map separates its marks on zoom by buttons and wheel, and can be dragged with the pointer', async () => {
  const page = await house.pageOf(house.admin);
  const marks = await overview(page);
  const all = await marks.count();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  const frame = await centreOf(page.locator('.map-ground'));
  await page.mouse.move(frame.x, frame.y);
  for (let step = 0; step < 4; step += 1) await page.mouse.wheel(0, -400);
  await expect.poll(() => marks.count()).toBeGreaterThan(all);
  // The browser may still be handling the last turns of the wheel.
  await expect.poll(() => isStill(marks.first())).toBe(true);
  const before = await centreOf(marks.first());
  await page.mouse.down();
  await page.mouse.move(frame.x + 50, frame.y + 20, { steps: 4 });
  await page.mouse.up();
  const after = await centreOf(marks.first());
  expect(after.x - before.x).toBeCloseTo(50, 0);
  expect(after.y - before.y).toBeCloseTo(20, 0);
});

it('a mark of the offline map leads to its project, with the keyboard only', async () => {
  const page = await house.pageOf(house.admin);
  const marks = await overview(page);
  await marks.first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('link').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/home\/configinfo\/\w+\?project_id=\d+/);
});

it('a region of the offline map leads to its project and on to a device, by touch on a phone', async () => {
  const page = await house.pageOf(house.admin, { width: 390, height: 844, touch: true });
  const marks = await overview(page);
  const all = await marks.count();
  await page.locator('.sites-regions button').first().tap();
  await page.waitForURL(/region=/);
  await expect.poll(() => marks.count()).toBeLessThan(all);
  await marks.first().tap();
  await page.getByRole('dialog').getByRole('link', { name: 'Devices', exact: true }).first().tap();
  await page.waitForURL(/\/home\/devicelist\?project_id=\d+/);
  await page.locator('a[href*="/home/devicedetails"]').first().tap();
  await page.waitForURL(/\/home\/devicedetails/);
});

it('a mark of the offline map keeps the focus while the figures change', async () => {
  const page = await house.pageOf(house.admin);
  const marks = await overview(page);
  await marks.first().focus();
  // Only this page sees the change, because other tests use the same product.
  await page.route('**/index/getProjectPlace', async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = await response.json();
    const list = data.list.map((project: { name: string }) => ({ ...project, name: `${project.name} 2` }));
    await route.fulfill({ response, json: { ...rest, data: { ...data, list } } });
  });
  const again = page.waitForResponse(/getProjectPlace/);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await again;
  expect(await marks.first().evaluate((element) => element === document.activeElement)).toBe(true);
});
