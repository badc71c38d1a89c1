import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type House, openDemoHouse } from './house.ts';
import { settled } from './move.ts';

let house: House;
let device: number;
let project: number;
beforeAll(async () => {
  house = await openDemoHouse();
  device = (
    await house.db
      .selectFrom('devices')
      .select('id')
      .where('type', '=', 4)
      .orderBy('id')
      .executeTakeFirstOrThrow()
  ).id;
  project = (await house.db.selectFrom('projects').select('id').orderBy('id').executeTakeFirstOrThrow()).id;
});
afterAll(() => house?.stop());

it('a drag across a chart zooms, the address keeps the range, and the back button undoes it', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/devicedetails?device_id=${device}&tab=readings&hours=24&q=P`);
  const canvas = page.locator('.chart-canvas canvas').first();
  await canvas.waitFor();
  await settled(page);
  const box = (await canvas.boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 });
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/zoom=\d+-\d+/);
  const [from, to] = /zoom=(\d+)-(\d+)/.exec(page.url())!.slice(1).map(Number);
  expect(to! - from!).toBeGreaterThan(3 * 3600);
  expect(to! - from!).toBeLessThan(7 * 3600);

  // The table and the file contain the range of the address, also after a reload.
  await page.reload();
  await page.getByRole('button', { name: /^Table: Power/ }).click();
  const rows = page.locator('.numbers tbody tr[aria-rowindex]');
  await rows.first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Save as CSV: Power/ }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n').slice(1);
  expect(Number(await page.locator('.numbers table').getAttribute('aria-rowcount'))).toBe(lines.length + 1);
  // Lines are compared in Shanghai's time zone, which the browser of this test uses.
  for (const line of lines) {
    const at = Date.parse(`${line.split(',')[0]!.replace(' ', 'T')}+08:00`) / 1000;
    expect(at).toBeGreaterThanOrEqual(from!);
    expect(at).toBeLessThanOrEqual(to!);
  }
  await page.goBack();
  await page.waitForURL((address) => !address.search.includes('zoom'));
});

it('a chart of readings is not drawn from those of another quantity while its own are loaded', async () => {
  const page = await house.pageOf(house.admin);
  let held = 0;
  // The readings of the current are never answered.
  await page.route('**/device_line/get_series', (route) => {
    const { channels } = route.request().postDataJSON() as { channels: string[] };
    if (!channels.some((channel) => /(^|\.)I(\.|$)/.test(channel))) return route.continue();
    held += 1;
  });
  await page.goto(`${house.url}/home/devicedetails?device_id=${device}&tab=readings&hours=24&q=P`);
  const chart = page.getByRole('button', { name: /^Table: (Power|Current)/ });
  await chart.waitFor();
  await page.getByText('Current', { exact: true }).first().click();
  await page.waitForURL(/q=I\b/);
  await expect.poll(() => held).toBeGreaterThan(0);
  await expect.poll(() => chart.count()).toBe(0);
  await page.context().close();
});

it.each([
  ['over time', () => `/home/devicedetails?device_id=${device}&tab=readings&hours=24`],
  ['by category', () => `/home/configinfo/alarmstatistics?project_id=${project}`],
])('a chart %s that is still drawn for a wider window does not widen the page', async (_kind, address) => {
  const page = await house.pageOf(house.admin);
  // After the first width charts get no new one from the browser, as while the page is in the background.
  await page.addInitScript(() => {
    const observe = ResizeObserver.prototype.observe;
    ResizeObserver.prototype.observe = function (target, options) {
      observe.call(this, target, options);
      if (target.classList.contains('chart-canvas'))
        requestAnimationFrame(() => requestAnimationFrame(() => this.unobserve(target)));
    };
  });
  await page.goto(house.url + address());
  const canvas = page.locator('.chart-canvas canvas').first();
  await canvas.waitFor();
  await settled(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const widths = () =>
    page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  await expect.poll(widths).toEqual([390, 390]);
  expect((await canvas.boundingBox())!.width).toBeGreaterThan(390);
  await page.context().close();
});
