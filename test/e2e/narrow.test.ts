import { afterAll, beforeAll, expect, it } from 'vitest';
import { alarmCodes } from '#contract/alarm-codes.ts';
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

it.each(['100', '200'])(
  'the dash between two days stands beside a day at 320 px with letters of %s percent',
  async (size) => {
    const page = await house.pageOf(house.admin, { language: 'ru-RU', touch: true });
    await page
      .context()
      .addCookies([{ name: 'text_size', value: size, domain: new URL(house.url).hostname, path: '/' }]);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${house.url}/home/configinfos/alarmstatisticsShezhi`);
    const range = page.locator('.day-range');
    await range.locator('.date-field').nth(1).waitFor();
    await settled(page);
    const centres = await range.evaluate((element) => {
      const centreOf = (part: Element) => {
        const { top, bottom } = part.getBoundingClientRect();
        return Math.round((top + bottom) / 2);
      };
      const dash = [...element.querySelectorAll('span')].find(({ textContent }) => textContent === '–');
      return {
        dash: dash && centreOf(dash),
        days: [...element.querySelectorAll('.date-field')].map(centreOf),
      };
    });
    expect(centres.days.some((day) => Math.abs(day - (centres.dash ?? 0)) <= 3)).toBe(true);
    expect(await tooWide(page)).toEqual([]);
    await page.context().close();
  },
);

it('at 320 px in Russian a long title meets no button of its drawer, and no word of a card or of the bar is cut', async () => {
  const arc = await house.db
    .selectFrom('alarms')
    .select('id')
    .where('code', '=', alarmCodes.seriesArc)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const page = await house.pageOf(house.admin, { language: 'ru-RU', touch: true });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`${house.url}/home/alarmList?alarm=${arc.id}`);
  const title = page.locator('.ant-drawer-title');
  await title.getByText('дуговой').waitFor();
  await settled(page);
  const edges = await page.locator('.ant-drawer-header').evaluate((header) => {
    const text = document.createRange();
    text.selectNodeContents(header.querySelector('.ant-drawer-title')!);
    return {
      text: text.getBoundingClientRect(),
      tools: header.querySelector('.ant-drawer-extra')!.getBoundingClientRect(),
    };
  });
  expect(
    edges.text.right <= edges.tools.left || edges.text.bottom <= edges.tools.top,
    JSON.stringify(edges),
  ).toBe(true);
  expect(edges.text.right).toBeLessThanOrEqual(320);
  await page.goto(`${house.url}/home/alarmList?typeNumber=${alarmCodes.seriesArc}`);
  const name = page.locator('.data-card-title').getByText('Последовательный дуговой пробой').first();
  await name.waitFor();
  await settled(page);
  // A word that stands on two lines has more boxes than one.
  const boxes = await name.evaluate((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const text = texts.nextNode()!;
    const word = document.createRange();
    word.setStart(text, 0);
    word.setEnd(text, 'Последовательный'.length);
    return word.getClientRects().length;
  });
  expect(boxes).toBe(1);
  const cut = await page
    .locator('.bottom-word')
    .evaluateAll((words) =>
      words.filter((word) => word.scrollWidth > word.clientWidth).map(({ textContent }) => textContent),
    );
  expect(cut).toEqual([]);
  await page.context().close();
});
