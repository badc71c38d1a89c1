import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openDemoHouse } from './house.ts';

/** A fifth of what Google calls good. */
const mostShift = 0.02;
const lists = [
  ...['projectlist', 'devicelist', 'maintenanceRecord', 'configinfos/USERManage', 'configinfos/rolemanage'],
  ...['configinfos/permanage', 'configinfos/devicemanage', 'configinfos/databasemanage'],
  ...['configinfos/dataUpgrade', 'configinfos/operationlog', 'configinfos/FeedbackRecord'],
];

let house: House;
let page: Page;
beforeAll(async () => {
  house = await openDemoHouse();
  page = await house.pageOf(house.admin);
  await page.addInitScript(watchShift);
  // What happens meanwhile may move rows: that is news, not loading.
  await page.route('**/live', (route) => route.abort());
});
afterAll(() => house?.stop());

/** Runs in the page before anything else: what moves without the reader's doing. */
function watchShift() {
  const moved: { by: number; what: string[] }[] = [];
  type Shift = PerformanceEntry & {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Node | null }[];
  };
  const note = (entries: PerformanceEntryList) => {
    for (const { value, hadRecentInput, sources } of entries as Shift[])
      if (!hadRecentInput)
        moved.push({
          by: value,
          what: sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 90) : '')),
        });
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  Object.assign(window, {
    takeMoved: () => {
      note(observer.takeRecords());
      return moved;
    },
  });
}
/** Two frames later all that is known by now is drawn. */
const drawn = () =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test.each(lists)('the rows of %s come where their places were kept', async (path) => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // The session's own call builds the screen; all that fills it waits until its frame is drawn.
  await page.route(
    ({ pathname }) => !pathname.startsWith('/assets/') && !pathname.startsWith('/sign_user/'),
    async (route) => {
      if (route.request().method() === 'POST') await asked;
      await route.fallback();
    },
  );
  await page.goto(`${house.url}/home/${path}`);
  await page.locator('.data-table .cell-skeleton').first().waitFor();
  await drawn();
  answer();
  await page.locator('.data-table tbody tr, .empty-notice').first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector('.cell-skeleton') === null &&
      document.querySelector('[aria-busy="true"]') === null,
  );
  await drawn();
  const moved = await page.evaluate(() =>
    (window as unknown as { takeMoved: () => { by: number; what: string[] }[] }).takeMoved(),
  );
  await page.unrouteAll({ behavior: 'wait' });
  await page.route('**/live', (route) => route.abort());
  const sum = moved.reduce((all, { by }) => all + by, 0);
  expect({ sum, moved: sum > mostShift ? moved : [] }).toEqual({ sum: expect.any(Number), moved: [] });
});
