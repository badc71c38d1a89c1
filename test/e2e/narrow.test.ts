import { afterAll, beforeAll, expect, it } from 'vitest';
import { type House, openDemoHouse } from './house.ts';
import { settled } from './move.ts';
import { everyScreen } from './screens.ts';
import { tooWide } from './too-wide.ts';

let house: House;
beforeAll(async () => {
  house = await openDemoHouse();
});
afterAll(() => house?.stop());

it('facts of a device and of an alarm fit into a phone on its side with letters of double size', async () => {
  const page = await house.pageOf(house.admin, { language: 'ru-RU', touch: true });
  const addresses = await everyScreen(house, page, ['info']);
  await page
    .context()
    .addCookies([{ name: 'text_size', value: '200', domain: new URL(house.url).hostname, path: '/' }]);
  await page.setViewportSize({ width: 844, height: 390 });
  const found: Record<string, string[]> = {};
  for (const address of addresses.filter((each) => /devicedetails|alarm=/.test(each))) {
    await page.goto(`${house.url}${address}`);
    await page.locator('.ant-descriptions-row').first().waitFor();
    await settled(page);
    const wide = await tooWide(page);
    if (wide.length > 0) found[address] = wide;
  }
  await page.context().close();
  expect(found).toEqual({});
});
