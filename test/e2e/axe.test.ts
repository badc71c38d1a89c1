import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violationsOf } from './axe.ts';
import { type House, openDemoHouse } from './house.ts';
import { moveTo, settled } from './move.ts';
import { rawKeys } from './raw-keys.ts';
import { deviceTabs, everyScreen } from './screens.ts';
import { namelessTables } from './tables.ts';
import { gridsTooWide, tooWide } from './too-wide.ts';

/** Number of pages open in parallel: while one waits for the server, another is examined. */
const sideBySide = 3;
let house: House;
beforeAll(async () => {
  house = await openDemoHouse();
});
afterAll(() => house?.stop());

const findings = async (page: Page): Promise<string[]> =>
  (await violationsOf(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
/** Collects what a page must never do: show an error, fail, call another host. */
const watch = (page: Page): string[] => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^(http|ws)/.test(protocol) && origin !== new URL(house.url).origin)
      complaints.push(`leaves the house: ${request.url()}`);
  });
  return complaints;
};

/** At this width no usual column of a list is hidden under the fixed actions. */
const deskWidth = 1440;
const phone = { width: 390, height: 844 };
const onItsSide = { width: 844, height: 390 };
/** WCAG's viewport of a page that is enlarged to 400 %. */
const smallest = { width: 320, height: 640 };
type Window = typeof phone;

/**
 * Resolves when the screen is drawn for its new window; lists change between rows and cards a frame later.
 */
const resize = async (page: Page, window: Window): Promise<void> => {
  await page.setViewportSize(window);
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  await settled(page);
};

/**
 * All checks of a screen, first at the present width of the window, so that each screen changes the width as
 * rarely as possible.
 */
const examine = async (page: Page, width: number, windows: readonly Window[]): Promise<string[]> => {
  const inFull = async () => {
    await resize(page, { width, height: 900 });
    const hidden = width === deskWidth ? await gridsTooWide(page) : [];
    return [...hidden, ...(await findings(page)), ...(await namelessTables(page))];
  };
  const within = (window: Window) => async () => {
    await resize(page, window);
    return tooWide(page);
  };
  const checks = [inFull, ...windows.map(within)];
  const isAtTheEnd = page.viewportSize()?.width === windows.at(-1)?.width;
  const found: string[] = [];
  for (const check of isAtTheEnd ? checks.toReversed() : checks) found.push(...(await check()));
  return found;
};

/** One run loads every address like a bookmark; the others navigate within the console. */
it.each([
  {
    ...{ language: 'en-US', dark: false, width: deskWidth, text: 100, touch: false },
    ...{ tabs: deviceTabs, windows: [phone, smallest], loads: true },
  },
  {
    ...{ language: 'zh-CN', dark: true, width: deskWidth, text: 100, touch: false },
    ...{ tabs: ['lines'], windows: [phone], loads: false },
  },
  {
    ...{ language: 'ru-RU', dark: false, width: 390, text: 200, touch: true },
    ...{ tabs: [...deviceTabs, 'control', 'enables'], windows: [phone, onItsSide, smallest], loads: false },
  },
])(
  'every screen is accessible and translated, fits a phone and calls no other host: %o',
  async ({ width, text, tabs, windows, loads, ...look }) => {
    const page = await house.pageOf(house.admin, look);
    const addresses = await everyScreen(house, page, tabs);
    expect(addresses).toContain('/home/alarmList');
    const domain = new URL(house.url).hostname;
    await page.context().addCookies([{ name: 'text_size', value: String(text), domain, path: '/' }]);
    const found: Record<string, string[]> = {};
    const examineAll = async (page: Page) => {
      const complaints = watch(page);
      if (!loads) {
        await page.goto(`${house.url}/home/projectlist`);
        await settled(page);
      }
      for (let address = addresses.shift(); address !== undefined; address = addresses.shift()) {
        if (loads) await page.goto(house.url + address);
        else await moveTo(page, address);
        await settled(page);
        const keys = (await rawKeys(page)).map((key) => `raw key ${key}`);
        const all = [...keys, ...(await examine(page, width, windows)), ...complaints.splice(0)];
        if (all.length > 0) found[address] = all;
      }
    };
    const others = Array.from({ length: sideBySide - 1 }, () => page.context().newPage());
    await Promise.all([page, ...(await Promise.all(others))].map(examineAll));
    await page.context().close();
    expect(found).toEqual({});
  },
);

it('a menu opens within the window, also with reduced motion', async () => {
  const page = await house.pageOf(house.admin, { language: 'ru-RU', width: 390, height: 844 });
  await page.goto(`${house.url}/home/projectlist`);
  await settled(page);
  await page.locator('header button').last().click();
  const menu = page.getByRole('menu').last();
  await menu.waitFor();
  const { x, y, width, height } = (await menu.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  expect(x >= 0 && y >= 0 && x + width <= 390 && y + height <= 844).toBe(true);
  await page.context().close();
});

it.each(['en-US', 'zh-CN', 'ru-RU'])('the sign-in page is accessible in %s', async (language) => {
  const page = await house.stranger(language);
  const complaints = watch(page);
  await page.goto(house.url);
  await page.locator('h1').first().waitFor();
  const seen = await findings(page);
  await page.setViewportSize({ width: 390, height: 844 });
  expect([...seen, ...complaints, ...(await tooWide(page))]).toEqual([]);
  await page.goto(`${house.url}/lowversion`);
  await page.locator('h1').first().waitFor();
  expect(await findings(page)).toEqual([]);
  await page.context().close();
});
