import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { frameParts, overviewParts } from '#contract/frame-parts.ts';
import { type House, openDemoHouse } from './house.ts';
import { pollMs } from './move.ts';

/** A fifth of Google's limit for 'good'. */
const mostShift = 0.02;
const lists = [
  ...['projectlist', 'devicelist', 'maintenanceRecord', 'configinfos/USERManage', 'configinfos/rolemanage'],
  ...['configinfos/permanage', 'configinfos/devicemanage', 'configinfos/databasemanage'],
  ...['configinfos/dataUpgrade', 'configinfos/operationlog', 'configinfos/FeedbackRecord'],
];
/** Files and calls of a first view and the page itself, without the live link. */
const mostRequests = 25;

let house: House;
let page: Page;
beforeAll(async () => {
  house = await openDemoHouse();
  page = await house.pageOf(house.admin);
  await page.addInitScript(watchShift);
  // Live events may move rows: they are news, not loading.
  await page.route('**/live*', (route) => route.abort());
});
afterAll(() => house?.stop());

/** Runs in the page before everything else: records movements that the reader did not cause. */
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
/** Expects no movement beyond the limit, and names what moved. */
const expectStill = async () => {
  const moved = await page.evaluate(() =>
    (window as unknown as { takeMoved: () => { by: number; what: string[] }[] }).takeMoved(),
  );
  const sum = moved.reduce((all, { by }) => all + by, 0);
  expect({ sum, moved: sum > mostShift ? moved : [] }).toEqual({ sum: expect.any(Number), moved: [] });
};
/** Delays all data of a screen until `answer` is called; the frame is drawn from the session call. */
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
  await page.route('**/live*', (route) => route.abort());
};
/** The calls that a common call has answered: without the live link each is made by itself after some seconds. */
const answeredTogether = new Set(
  [...Object.values(frameParts), ...Object.values(overviewParts)].map(
    ({ path, body }) => `${path} ${JSON.stringify(body)}`,
  ),
);
/**
 * Counts the requests of the next screen; a request that is repeated at intervals, as on a slow machine, counts
 * once.
 */
const countRequests = async (): Promise<() => number> => {
  // Leaves the previous screen, which might send further requests.
  await page.goto('about:blank');
  const asked = new Set<string>();
  page.on('request', (request) => {
    // Only the demo asks which scenes a device has, so that call does not count.
    const { pathname } = new URL(request.url());
    const isDemo = pathname.startsWith('/demo/');
    const isRepeated = answeredTogether.has(`${pathname} ${request.postData() ?? ''}`);
    if (
      request.url().startsWith('http') &&
      request.resourceType() !== 'eventsource' &&
      !isDemo &&
      !isRepeated
    )
      asked.add(`${request.url()} ${request.postData() ?? ''}`);
  });
  return () => asked.size;
};
/** After two frames all known data is drawn. */
const drawn = () =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test.each(lists)('the rows of %s appear where space was reserved', async (path) => {
  const answer = await holdAnswers();
  const requests = await countRequests();
  await page.goto(`${house.url}/home/${path}`);
  await page.locator('.data-table .cell-skeleton').first().waitFor();
  await drawn();
  answer();
  await page.locator('.data-table tbody tr, .empty-notice').first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector('.cell-skeleton') === null &&
      document.querySelector('[aria-busy="true"]') === null,
    undefined,
    { polling: pollMs },
  );
  await drawn();
  await letGo();
  await expectStill();
  expect(requests()).toBeLessThanOrEqual(mostRequests);
});

test('the frame stands before the file of its screen has come, and nothing moves when it does', async () => {
  let come = () => {};
  const sent = new Promise<void>((resolve) => {
    come = resolve;
  });
  await page.route(/assets\/AlarmListPage-/, async (route) => {
    await sent;
    await route.fallback();
  });
  await page.goto(`${house.url}/home/alarmList`);
  await page.locator('.shell-bar').getByText('Ampwatch').waitFor();
  expect(await page.locator('h1').count()).toBe(0);
  expect(await page.locator('.shell').getAttribute('aria-busy')).toBe('true');
  come();
  await page.locator('h1').waitFor();
  await page.locator('.queue-show').first().waitFor();
  expect(await page.locator('.shell').getAttribute('aria-busy')).toBeNull();
  await drawn();
  await letGo();
  await expectStill();
});

/** Screens whose parts load one after the other, with the sign that each is complete. */
const inParts = [
  { path: 'datascreen', whole: ':not([aria-busy]) > .figures' },
  { path: 'devicedetails', whole: '.readings-place canvas', tab: 'readings' },
  { path: 'devicedetails', whole: '.data-table tbody tr, .empty-notice', tab: 'alarms' },
];
/** Opens a screen whose answers come late, and expects that nothing moves when they arrive. Returns its requests. */
const opensStill = async (address: string, whole: string): Promise<number> => {
  const answer = await holdAnswers();
  const requests = await countRequests();
  await page.goto(`${house.url}/home/${address}`);
  await page.locator('.skeleton').first().waitFor();
  await drawn();
  // A reader who asked for no motion sees none, and no flicker either.
  expect(await page.evaluate(() => document.getAnimations().map(({ playState }) => playState))).toEqual([]);
  answer();
  await page.locator(whole).first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null, undefined, {
    polling: pollMs,
  });
  await drawn();
  await letGo();
  await expectStill();
  return requests();
};
test.each(inParts)('$path ($whole) does not move while its parts load', async ({ path, whole, tab }) => {
  const { id } = await house.db
    .selectFrom('devices')
    .select('id')
    .where('type', '=', 4)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const address = `${path}${tab ? `?device_id=${id}&tab=${tab}` : ''}`;
  expect(await opensStill(address, whole)).toBeLessThanOrEqual(mostRequests);
});

/** Delays every file that the page itself does not name until `come` is called. */
const holdLateFiles = async (): Promise<() => void> => {
  let come = () => {};
  const sent = new Promise<void>((resolve) => {
    come = resolve;
  });
  const named = new Set<string>();
  await page.route('**/home/**', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    const body = await response.text();
    for (const [, file] of body.matchAll(/\/(assets\/[\w.-]+)/g)) named.add(file!);
    await route.fulfill({ response, body });
  });
  await page.route('**/assets/**', async (route) => {
    if (!named.has(new URL(route.request().url()).pathname.slice(1))) await sent;
    await route.fallback();
  });
  return come;
};
const asPhone = { width: 390, height: 844 };
const asDesk = { width: 1440, height: 900 };
test.each([
  { path: 'configinfos/loadstatistics', window: asDesk, whole: '.ant-picker' },
  { path: 'configinfos/energydetail', window: asPhone, whole: '.ant-picker' },
  { path: 'configinfos/loadstatistics?period=week', window: asPhone, whole: '.ant-picker' },
  { path: 'configinfos/databasemanage', window: asPhone, whole: ':not([aria-busy]) > .backup-summary' },
  { path: 'datascreen', window: asPhone, whole: ':not([aria-busy]) > .figures' },
  { path: 'configinfo/devicesurvey?project_id=1', window: asPhone, whole: '.site-device' },
  { path: 'devicedetails?device_id=DEVICE&tab=control', window: asPhone, whole: '.control-groups' },
  { path: 'devicedetails?device_id=DEVICE&tab=alarms', window: asPhone, whole: '.data-card' },
])('$path does not move when answers, and then its late files, come', async ({ path, window, whole }) => {
  const [device] = await house.db
    .selectFrom('devices')
    .select('id')
    .where('type', '=', 4)
    .orderBy('id')
    .execute();
  await page.setViewportSize(window);
  const come = await holdLateFiles();
  const answer = await holdAnswers();
  await page.goto(`${house.url}/home/${path.replace('DEVICE', String(device!.id))}`);
  await page.locator('h1, .shell').first().waitFor();
  await drawn();
  answer();
  await page.locator('.shell-bar').waitFor();
  await drawn();
  come();
  await page.locator(whole).first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null, undefined, {
    polling: pollMs,
  });
  await drawn();
  await letGo();
  await page.setViewportSize(asDesk);
  await expectStill();
});

test('the early signs below the alarm analysis of a project do not move while the figures load', async () => {
  await opensStill('configinfo/policestatistics?project_id=1', '#trends ~ * .figure-table');
});
