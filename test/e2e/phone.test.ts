import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { typicalDevice } from '#simulator/arguments.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { testPassword } from '../world.ts';
import { type House, openHouse } from './house.ts';
import { settled } from './move.ts';
import { tooWide } from './too-wide.ts';

const phone = { width: 390, height: 844 };
let house: House;
let fleet: Fleet;
let electrician: number;
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  house = await openHouse();
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  device = await makeDevice(house.db, { type: 3, number: 'E2E0000031', project_id: project.id });
  electrician = (await makeUser(house.db, { role: 3, username: 'electrician', projects: [project] })).id;
  fleet = createFleet({
    brokerUrl: house.mqttUrl,
    seed: 1,
    devices: [typicalDevice(device.number, device.secret, 3, 1, 'office', 5)],
  });
  fleet.start();
});
afterAll(async () => {
  await fleet?.stop();
  await house?.stop();
});

test('the state that a switching dialog shows is never cut, in the language of the longest words', async () => {
  const page = await house.pageOf(electrician, { language: 'ru-RU', touch: true });
  await page.setViewportSize(phone);
  await page.goto(`${house.url}/p/${device.number}`);
  await page.locator('.switch-button').first().click();
  const facts = page.locator('.switch-facts');
  await facts.waitFor();
  const edges = await facts.evaluate((list) => ({
    room: list.getBoundingClientRect().right,
    widest: Math.max(...[...list.querySelectorAll('*')].map((part) => part.getBoundingClientRect().right)),
  }));
  expect(edges.widest).toBeLessThanOrEqual(edges.room + 0.5);
  await page.context().close();
});

test('settings that wait fit into 320 px with letters of double size, whoever set them', async () => {
  const username = 'высоковольтноэлектротехнический';
  const engineer = await makeUser(house.db, { role: 1, username });
  const away = await makeDevice(house.db, { type: 3, project_id: device.project_id, online: false });
  const page = await house.pageOf(engineer.id, { language: 'ru-RU', touch: true });
  await page
    .context()
    .addCookies([{ name: 'text_size', value: '200', domain: new URL(house.url).hostname, path: '/' }]);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`${house.url}/home/devicedetails?device_id=${away.id}&tab=parameters`);
  const fields = page.locator('.setting-table input');
  await fields.first().waitFor();
  const sent = await page.request.post(`${house.url}/device/device_set`, {
    data: { device_id: away.id, settings: [{ key: 'il_w', n: 1, value: 10 }] },
    headers: { 'accept-serial': crypto.randomUUID() },
  });
  expect(sent.ok(), await sent.text()).toBe(true);
  await page.reload();
  await page.locator('.setting-stand').getByText(username).first().waitFor();
  expect(await tooWide(page)).toEqual([]);
  await page.context().close();
});

test('a technician gets from the QR code to a tagged, open, proven dead line in at most six taps', async () => {
  const page = await house.pageOf(electrician, phone);
  let taps = 0;
  const tap = async (target: Locator) => {
    await target.click();
    taps += 1;
  };
  await page.goto(`${house.url}/p/${device.number}`);
  const card = page.getByRole('article');
  await card.locator('.line-position').getByText('Closed').waitFor();
  await tap(card.getByRole('button', { name: 'Apply lock-out tag' }));
  const dialog = page.getByRole('dialog');
  // The field of the reason already has the focus.
  await expect
    .poll(() => dialog.getByLabel('Reason').evaluate((field) => field === document.activeElement))
    .toBe(true);
  await tap(dialog.getByRole('button', { name: 'Work on this line' }));
  await tap(dialog.getByRole('button', { name: 'Open, then tag' }));
  await page.getByText('Tag applied. Closing is forbidden.').waitFor();
  await card.locator('.line-position').getByText('Open').waitFor();
  await card.getByRole('button', { name: 'Work on this line' }).waitFor();
  expect(await card.locator('.tag-live').count()).toBe(0);
  expect(taps).toBeLessThanOrEqual(6);
  const latest = await house.db
    .selectFrom('line_latest')
    .select('position')
    .where('line_id', '=', device.lines[0]!.id)
    .executeTakeFirstOrThrow();
  expect(latest.position).toBe(0);
});

test('filters and tools take one row each above a list, in the language of the longest words', async () => {
  const page = await house.pageOf(house.admin, { ...phone, language: 'ru-RU', touch: true });
  const rowPx = 60;
  for (const screen of ['devicelist', 'timingconfig', 'maintenanceRecord', 'news']) {
    await page.goto(`${house.url}/home/${screen}`);
    for (const bar of ['.filter-bar', '.table-tools']) {
      const box = await page.locator(bar).boundingBox();
      expect(box?.height, `${screen} ${bar}`).toBeLessThan(rowPx);
    }
  }
  await page.context().close();
});

test.each([
  ['ru-RU', 390],
  ['ru-RU', 320],
  ['zh-CN', 390],
] as const)(
  'no single tool has a row of its own and no word of a title is broken, %s at %i px',
  async (language, width) => {
    const page = await house.pageOf(house.admin, { width, height: 844, language, touch: true });
    const found: string[] = [];
    for (const screen of [
      ...['epstatistics', 'loadstatistics', 'energydetail', 'alarmstatisticsShezhi', 'alarmquality'].map(
        (each) => `configinfos/${each}`,
      ),
      ...['timingconfig', 'maintenanceRecord', 'news', 'configinfos/earlywarning'],
    ]) {
      await page.goto(`${house.url}/home/${screen}`);
      await settled(page);
      const faults = await page.evaluate(() => {
        /** The boxes of a row overlap in height. */
        const lastRow = (bar: Element) => {
          const boxes = [...bar.querySelectorAll('h1, a, button, .ant-select')].map((each) =>
            each.getBoundingClientRect(),
          );
          const lowest = Math.max(...boxes.map(({ top }) => top));
          return { row: boxes.filter(({ bottom }) => bottom > lowest), of: boxes.length };
        };
        const lone = [
          ...document.querySelectorAll('main :is(.page-header, .table-tools, .range-step)'),
        ].filter((bar) => {
          const { row, of } = lastRow(bar);
          return of > 1 && row.length === 1 && row[0]!.width < 60;
        });
        const title = document.querySelector('h1')!;
        const text = title.firstChild!;
        const broken = [...(text.textContent ?? '').matchAll(/\S+/gu)].filter(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return range.getClientRects().length > 1;
        });
        return [...lone.map(({ className }) => className), ...broken.map(([word]) => word)];
      });
      found.push(...faults.map((fault) => `${screen}: ${fault}`));
    }
    await page.context().close();
    expect(found).toEqual([]);
  },
);

test('the tabs of a device are within the upper third of the screen, below one row of buttons', async () => {
  const page = await house.pageOf(house.admin, { ...phone, language: 'ru-RU', touch: true });
  await page.goto(`${house.url}/home/devicedetails?device_id=${device.id}`);
  const tabs = page.getByRole('tablist').first();
  await tabs.waitFor();
  expect((await tabs.boundingBox())?.y).toBeLessThan(phone.height / 3);
  await page.context().close();
});

test('the main button of a dialog is in reach on a phone on its side, also above a keyboard', async () => {
  const page = await house.pageOf(electrician, { width: 844, height: 390, touch: true });
  await page.goto(`${house.url}/p/${device.number}`);
  await page.getByRole('button', { name: 'Apply lock-out tag' }).first().click();
  const main = page.getByRole('dialog').locator('.ant-btn-primary').last();
  for (const height of [390, 220]) {
    await page.setViewportSize({ width: 844, height });
    await expect.poll(() => main.evaluate(isOnTop), { message: `${height} px` }).toBe(true);
  }
  await page.context().close();
});

test.each([phone, { width: 844, height: 390 }])(
  'a phone of $width × $height shows the lines of a device as a board',
  async (size) => {
    const board = await makeDevice(house.db, { type: 3, project_id: device.project_id, lines: 4 });
    const page = await house.pageOf(house.admin, { ...size, touch: true });
    await page.goto(`${house.url}/home/linelist?device_id=${board.id}`);
    await expect.poll(() => page.locator('.line-board .line-tile').count()).toBe(4);
    await page.context().close();
  },
);

test('a calendar is within the screen of a phone, for one time and for a range', async () => {
  const page = await house.pageOf(house.admin, { ...phone, language: 'ru-RU', touch: true });
  const openedAt = async (field: Locator) => {
    await field.tap();
    const calendar = page.locator('.ant-picker-dropdown').last();
    await calendar.locator('.ant-picker-cell').first().waitFor();
    const { x, y, width, height } = (await calendar.boundingBox())!;
    return { left: x >= 0, top: y >= 0, right: x + width <= phone.width, foot: y + height <= phone.height };
  };
  const within = { left: true, top: true, right: true, foot: true };
  await page.goto(`${house.url}/p/${device.number}`);
  await page.getByRole('button', { name: 'Вывесить плакат' }).first().click();
  expect(await openedAt(page.getByRole('dialog').locator('.ant-picker'))).toEqual(within);
  await page.goto(`${house.url}/home/alarmList`);
  await page.getByRole('button', { name: 'Фильтры' }).click();
  const sheet = page.getByRole('dialog');
  // A field that may be typed into would bring the keyboard on top of the calendar.
  expect(await sheet.locator('.ant-picker input:not([readonly])').count()).toBe(0);
  expect(await openedAt(sheet.locator('.ant-picker'))).toEqual(within);
  await page.goBack();
  await expect.poll(() => sheet.locator('.ant-btn-primary').evaluate(isOnTop)).toBe(true);
  await page.context().close();
});

test('with letters of double size the title and the number of the alarms are one line each', async () => {
  const page = await house.pageOf(house.admin, { width: 320, height: 640, language: 'ru-RU', touch: true });
  await page
    .context()
    .addCookies([{ name: 'text_size', value: '200', domain: new URL(house.url).hostname, path: '/' }]);
  await page.goto(`${house.url}/home/alarmList`);
  for (const part of [page.locator('h1'), page.locator('.alarm-head-note span')]) {
    await part.waitFor();
    const lines = await part.evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      return new Set([...text.getClientRects()].map(({ top }) => top)).size;
    });
    expect(lines).toBe(1);
  }
  await page.context().close();
});

test('buttons for selected rows are above the bottom bar', async () => {
  const page = await house.pageOf(house.admin, phone);
  await page.goto(`${house.url}/home/devicelist`);
  await page.getByRole('checkbox').first().check();
  const acts = page.locator('.bulk-acts button');
  await acts.first().waitFor();
  for (const act of await acts.all()) {
    await act.scrollIntoViewIfNeeded();
    expect(await act.evaluate(isOnTop), `${await act.textContent()}`).toBe(true);
  }
});
function isOnTop(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

/** The copy of the console that the browser makes while it is idle. */
const keepShell = (page: Page) =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    active?.postMessage({ kind: 'keep', language: 'en-US' }, [port2]);
    await new Promise((resolve) => {
      port1.onmessage = resolve;
    });
  });
/** What the device keeps of the server's answers: the paths of the calls. */
const keptAnswers = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const found = (await indexedDB.databases()).find(({ name }) => name === 'last-state');
    if (!found) return '';
    const opening = indexedDB.open('last-state');
    const database = await new Promise<IDBDatabase>((resolve) => {
      opening.onsuccess = () => resolve(opening.result);
    });
    if (!database.objectStoreNames.contains('answers')) return '';
    const asking = database.transaction('answers').objectStore('answers').getAllKeys();
    await new Promise((resolve) => {
      asking.onsuccess = resolve;
    });
    database.close();
    return JSON.stringify(asking.result);
  });

test('without a network the console opens with its last data and refuses to switch; a sign-out deletes that data', async () => {
  const before = await house.pageOf(electrician, { ...phone, worker: true });
  const context = before.context();
  const address = `${house.url}/home/linelist?device_id=${device.id}`;
  await before.goto(address);
  await before.locator('.line-tile, article').first().waitFor();
  await keepShell(before);
  await expect.poll(() => keptAnswers(before)).toContain(String(device.id));
  await before.close();

  await context.setOffline(true);
  const page = await context.newPage();
  await page.goto(address);
  const card = page.getByRole('article');
  await card.locator('.line-position').waitFor();
  await expect
    .poll(() => page.locator('.link-strip').textContent())
    .toMatch(/No contact with the server since \d\d:\d\d/);
  const open = card.getByRole('button', { name: /^(Open|Close):/ }).first();
  expect(await open.isDisabled()).toBe(true);

  await context.setOffline(false);
  await expect.poll(() => page.locator('.link-badge').getAttribute('class')).toContain('link-live');
  await page.locator('header').getByRole('button').last().click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('textbox', { name: 'Account' }).waitFor();
  expect(await keptAnswers(page)).toBe('');
  await context.setOffline(true);
  await page.goto(address);
  await page.getByText('You are offline').waitFor();
  expect(await page.getByRole('article').count()).toBe(0);
  // For an address outside the console, the service worker shows its own offline page with style and logo.
  await page.goto(`${house.url}/docs`);
  await page.getByText('The server cannot be reached').waitFor();
  await expect.poll(() => page.evaluate(() => document.images[0]?.naturalWidth ?? 0)).toBeGreaterThan(0);
  expect(await page.evaluate(() => document.styleSheets.length)).toBe(1);
  await context.setOffline(false);
});

test('the QR code on a panel leads a user through the sign-in to its panel page', async () => {
  const page = await house.stranger('en-US');
  await page.goto(`${house.url}/p/${device.number}`);
  await page.getByRole('textbox', { name: 'Account' }).fill('electrician');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**/home/linelist?device_id=${device.id}`);
  await page.getByRole('article').first().waitFor();
});

test('the screen that follows loads while its reader signs in, even if the words of the door come late', async () => {
  const page = await house.stranger('en-US');
  const isScript = (url: string) => url.endsWith('.js');
  const asked: string[] = [];
  page.on('request', (request) => isScript(request.url()) && asked.push(new URL(request.url()).pathname));
  const loaded = page.waitForEvent('load');
  // The words are the only script that the first page asks for by itself.
  await page.route('**/assets/en-US-*.js', async (route) => {
    await loaded;
    await route.continue();
  });
  await page.goto(`${house.url}/?next=${encodeURIComponent('/home/alarmList')}`);
  await page.getByRole('textbox', { name: 'Account' }).waitFor();
  await expect.poll(() => asked.some((path) => path.includes('AlarmListPage'))).toBe(true);
  await page.waitForLoadState('networkidle');
  asked.length = 0;
  await page.getByRole('textbox', { name: 'Account' }).fill('electrician');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Alarms', exact: true }).waitFor();
  expect(asked.filter((path) => !path.includes('extras'))).toEqual([]);
});

test('an unknown device number leads to the search, which shows the number', async () => {
  const page = await house.pageOf(electrician, phone);
  await page.goto(`${house.url}/p/NOSUCH0001`);
  await page.waitForURL('**/home/search?text=NOSUCH0001');
});

test('the codes of a project are listed with their addresses, for printing', async () => {
  const page = await house.pageOf(electrician);
  await page.goto(`${house.url}/home/panelcodes?device_id=${device.id}`);
  await page.getByText(`/p/${device.number}`).waitFor();
  await page.getByRole('button', { name: 'Print' }).waitFor();
});
