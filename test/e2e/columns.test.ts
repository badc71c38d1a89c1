import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openDemoHouse } from './house.ts';
import { moveTo, settled } from './move.ts';
import { everyScreen } from './screens.ts';
import { gridsTooWide } from './too-wide.ts';

let house: House;
beforeAll(async () => {
  house = await openDemoHouse();
});
afterAll(() => house?.stop());

// The other two languages are seen where every screen is examined, in axe.test.ts.
test('at 1440 px no usual column of a list is hidden under the fixed actions, in the longest words', async () => {
  const page = await house.pageOf(house.admin, { language: 'ru-RU' });
  const addresses = await everyScreen(house, page, ['alarms', 'history']);
  const found: Record<string, string[]> = {};
  for (const address of addresses) {
    await moveTo(page, address);
    await settled(page);
    const wide = await gridsTooWide(page);
    if (wide.length > 0) found[address] = wide;
  }
  await page.context().close();
  expect(found).toEqual({});
});

test('on paper a list shows every column and every row', async () => {
  const page = await house.pageOf(house.admin);
  // Between the margins of A4.
  const sheetPx = 718;
  const project = await house.db.selectFrom('projects').select('id').orderBy('id').executeTakeFirstOrThrow();
  // Tests beside this one add users and delete devices.
  let answered = 0;
  page.on('response', async (response) => {
    if (/\/(user\/get_list|maintenance\/get_list|device_line\/get_project_lines)$/.test(response.url()))
      answered = (await response.json()).data.list.length;
  });
  for (const screen of [
    'maintenanceRecord',
    'configinfos/USERManage',
    `configinfo/lines?project_id=${project.id}`,
  ]) {
    await page.goto(`${house.url}/home/${screen}`);
    await page.locator('.data-grid tbody td a, .data-grid tbody td button').first().waitFor();
    await settled(page);
    // Scripts do not learn the width of the sheet before it is laid out, so that the window keeps its width.
    await page.evaluate((px) => document.body.style.setProperty('width', `${px}px`), sheetPx);
    await page.emulateMedia({ media: 'print' });
    const seen = async () => {
      const { rows, right, scrolls } = await page.locator('.data-grid').evaluate((grid) => ({
        rows: grid.querySelectorAll('tbody tr').length,
        right: Math.max(
          ...[...grid.querySelectorAll('th, td')].map((cell) => cell.getBoundingClientRect().right),
        ),
        scrolls: grid.scrollHeight > grid.clientHeight + 1,
      }));
      return { missing: answered - rows, over: Math.max(0, right - sheetPx), scrolls };
    };
    // The page learns of the change of medium with its next frame.
    await expect.poll(seen, { message: screen }).toEqual({ missing: 0, over: 0, scrolls: false });
    await page.emulateMedia({ media: 'screen' });
  }
  await page.context().close();
});

test('on paper an alarm stands alone, without the tools of the list', async () => {
  const page = await house.pageOf(house.admin);
  const alarm = await house.db.selectFrom('alarms').select('id').orderBy('id').executeTakeFirstOrThrow();
  await page.goto(`${house.url}/home/alarmList?alarm=${alarm.id}&full=true`);
  await page.locator('.incident-head').waitFor();
  await settled(page);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.incident-head').isVisible()).toBe(true);
  expect(
    await page.locator('.queue-tools:visible, .queue-top:visible, .incident-bar button:visible').count(),
  ).toBe(0);
  await page.context().close();
});

test('on a phone the title of every card begins at the same edge', async () => {
  const page = await house.pageOf(house.admin, { touch: true });
  const addresses = await everyScreen(house, page, ['history']);
  await page.setViewportSize({ width: 390, height: 844 });
  const found: string[] = [];
  // The screens of a project show the same lists.
  for (const address of addresses.filter((each) => !each.startsWith('/home/configinfo/'))) {
    await moveTo(page, address);
    await settled(page);
    const indents = await page.locator('.data-card:first-child .data-card-title').evaluateAll((titles) =>
      titles.map((title) => {
        // The box of a button may begin earlier than what is seen in it.
        const seen = document.createTreeWalker(title, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        const lefts: number[] = [];
        while (seen.nextNode()) {
          const part = seen.currentNode;
          if (part instanceof Element && !part.matches('img, svg, .news-dot')) continue;
          const range = document.createRange();
          range.selectNode(part);
          for (const { left, width } of range.getClientRects()) if (width > 0) lefts.push(left);
        }
        return Math.min(...lefts) - title.getBoundingClientRect().left;
      }),
    );
    for (const px of indents) if (Math.abs(px) > 2) found.push(`${address}: ${px} px`);
  }
  await page.context().close();
  expect(found).toEqual([]);
});
