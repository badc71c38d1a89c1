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
/** Files and calls of a first view, the live link and the page itself included. */
const usualRequests = 29;
const mostRequests: Readonly<Record<string, number>> = { devicelist: 25, projectlist: 27 };

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
/** What was moved about, if it was more than is let pass. */
const expectStill = async () => {
  const moved = await page.evaluate(() =>
    (window as unknown as { takeMoved: () => { by: number; what: string[] }[] }).takeMoved(),
  );
  const sum = moved.reduce((all, { by }) => all + by, 0);
  expect({ sum, moved: sum > mostShift ? moved : [] }).toEqual({ sum: expect.any(Number), moved: [] });
};
/** Holds back all that fills a screen until `answer` is called; the session's own call builds its frame. */
const holdAnswers = async (): Promise<() => void> => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(
    ({ pathname }) => !pathname.startsWith('/assets/') && !pathname.startsWith('/sign_user/'),
    async (route) => {
      if (route.request().method() === 'POST') await asked;
      await route.fallback();
    },
  );
  return answer;
};
const letGo = async () => {
  await page.unrouteAll({ behavior: 'wait' });
  await page.route('**/live', (route) => route.abort());
};
/** Counts what the page asks for from now on. */
const countRequests = (): (() => number) => {
  let count = 0;
  page.on('request', (request) => {
    if (request.url().startsWith('http') && request.resourceType() !== 'eventsource') count += 1;
  });
  return () => count;
};
/** Two frames later all that is known by now is drawn. */
const drawn = () =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test.each(lists)('the rows of %s come where their places were kept', async (path) => {
  const answer = await holdAnswers();
  const requests = countRequests();
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
  await letGo();
  await expectStill();
  expect(requests()).toBeLessThanOrEqual(mostRequests[path] ?? usualRequests);
});

/** Screens whose parts come one after the other, and what shows that each is whole. */
const inParts = [
  { path: 'datascreen', whole: '.figures' },
  { path: 'devicedetails', whole: '.readings-place canvas', tab: 'readings' },
];
test.each(inParts)('$path stands still while its parts come', async ({ path, whole, tab }) => {
  const { id } = await house.db
    .selectFrom('devices')
    .select('id')
    .where('type', '=', 4)
    .executeTakeFirstOrThrow();
  const answer = await holdAnswers();
  await page.goto(`${house.url}/home/${path}${tab ? `?device_id=${id}&tab=${tab}` : ''}`);
  await page.locator('.ant-skeleton').first().waitFor();
  await drawn();
  answer();
  await page.locator(whole).first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await drawn();
  await letGo();
  await expectStill();
});
