import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alarmEndpoints } from '#contract/alarms.ts';
import { type House, openDemoHouse } from './house.ts';
import { pollMs } from './move.ts';

let house: House;
beforeAll(async () => {
  house = await openDemoHouse();
});
afterAll(() => house?.stop());

/** Without a live stream lists are asked for again after four seconds. */
const beforePollingMs = 3_000;
const settled = async (page: Page) => {
  await page.locator('.queue-row .queue-show').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null, undefined, {
    polling: pollMs,
  });
};
/** Rows that are completely inside the window. */
const wholeRows = (page: Page) =>
  page
    .locator('.queue-row')
    .evaluateAll(
      (rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= window.innerHeight).length,
    );
/** Notes how many rows there are with each frame, and how long the list is. */
const watchRows = (page: Page) =>
  page.addInitScript(() => {
    const state: { drawn: [rows: number, length: number][] } = { drawn: [] };
    Object.assign(window, { queue: state });
    const look = () => {
      const rows = document.querySelectorAll('.queue-show').length;
      if (rows > 0) state.drawn.push([rows, document.querySelector('.queue-list')?.scrollHeight ?? 0]);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
const drawnRows = (page: Page) =>
  page.evaluate(() => (window as unknown as { queue: { drawn: [number, number][] } }).queue.drawn);
/** Elements of the page that have moved by themselves since the call. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const state = { shifted: 0 };
    Object.assign(window, { layout: state });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[])
        if (!entry.hadRecentInput) state.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
const shifted = (page: Page) =>
  page.evaluate(() => (window as unknown as { layout: { shifted: number } }).layout.shifted);

it.each(['zh-CN', 'en-US', 'ru-RU'])(
  '22 alarms fit the window, nothing shifts, and the page itself does not scroll, in %s',
  async (language) => {
    const page = await house.pageOf(house.admin, { language });
    await watchShifts(page);
    await watchRows(page);
    // Without the live stream, because live events may move rows as well.
    await page.route('**/live*', (route) => route.abort());
    const lists: number[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith(alarmEndpoints.list.path)) lists.push(Date.now());
    });
    await page.goto(`${house.url}/home/alarmList`);
    await settled(page);
    // The call that is made before the first drawing is not made again by what is drawn.
    expect(lists.filter((at) => at < lists[0]! + beforePollingMs)).toHaveLength(1);
    expect(await wholeRows(page)).toBeGreaterThanOrEqual(22);
    const { page: whole, window: seen } = await page.evaluate(() => ({
      page: document.documentElement.scrollHeight,
      window: window.innerHeight,
    }));
    expect(whole).toBeLessThanOrEqual(seen);
    expect(await shifted(page)).toBeLessThanOrEqual(0.02);
    const drawn = await drawnRows(page);
    expect(drawn[0]![0]).toBeLessThanOrEqual(10);
    const lengths = drawn.map(([, length]) => length);
    // Heights of rows have fractions.
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(5);
    await page.context().close();
  },
);

it('on a phone the first alarm begins within 200 px, and its filters are a sheet', async () => {
  const page = await house.pageOf(house.admin, { width: 390, height: 844, touch: true });
  await page.goto(`${house.url}/home/alarmList`);
  const first = page.locator('.data-card').first();
  await first.getByRole('button', { name: 'Handle' }).waitFor();
  await page.locator('.alarm-head').waitFor();
  expect((await first.boundingBox())?.y).toBeLessThanOrEqual(200);
  await page.getByRole('button', { name: 'Filters' }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await sheet.getByRole('combobox', { name: 'Severity' }).waitFor();
  await sheet.getByRole('button', { name: /^Show \d+ alarms?$/ }).click();
  await sheet.waitFor({ state: 'hidden' });
  await page.context().close();
});

it('the page itself does not scroll while an alarm is shown, either', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/alarmList?show=first`);
  await page.locator('.incident .alarm-timeline').waitFor();
  await settled(page);
  await page.locator('.incident').evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
  expect(
    await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight),
  ).toBeLessThanOrEqual(0);
  await page.context().close();
});

it('a row takes two lines at most beside a shown alarm, in Russian, too', async () => {
  const page = await house.pageOf(house.admin, { language: 'ru-RU' });
  await page.goto(`${house.url}/home/alarmList?show=first`);
  await page.locator('.incident .alarm-timeline').waitFor();
  await settled(page);
  const tall = await page
    .locator('.queue-row')
    .evaluateAll((rows) =>
      rows.flatMap((row) =>
        [...row.querySelectorAll<HTMLElement>('.queue-show')]
          .filter((text) => text.offsetHeight > 2.5 * Number.parseFloat(getComputedStyle(text).lineHeight))
          .map(({ textContent, offsetHeight }) => `${offsetHeight} px: ${textContent}`),
      ),
    );
  expect(tall).toEqual([]);
  await page.context().close();
});

it('the most severe alarm is handled from the overview with four keys, and its row does not move', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/datascreen`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  let keys = 0;
  const press = async (key: string) => {
    keys += 1;
    await page.keyboard.press(key);
  };
  await press('w');
  const panel = page.locator('.incident');
  await panel.getByText('First checks').waitFor();
  await settled(page);
  const worst = Number(new URL(page.url()).searchParams.get('alarm'));
  const order = () =>
    page.locator('.queue-show').evaluateAll((rows) => rows.slice(0, 10).map(({ id }) => id));
  const before = await order();
  expect(before[0]).toBe(`queue-alarm-${worst}`);
  await press('h');
  await page.getByRole('dialog').getByLabel('What was done').waitFor();
  await page.waitForFunction(() => document.activeElement?.closest('.handle-phrases') !== null);
  await press('1');
  await press('Enter');
  await expect
    .poll(async () => {
      const alarm = await house.db
        .selectFrom('alarms')
        .select('handling_content')
        .where('id', '=', worst)
        .executeTakeFirstOrThrow();
      return alarm.handling_content;
    })
    .toBe('Checked on site, all normal');
  expect(keys).toBe(4);
  await page.locator('.queue-row.is-done').first().waitFor();
  expect(await order()).toEqual(before);
  // The next alarm with one key, without the mouse and without leaving.
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('j');
  await expect
    .poll(() => new URL(page.url()).searchParams.get('alarm'))
    .toBe(before[1]!.slice('queue-alarm-'.length));
  await page.context().close();
});

/** Elements that cut off a part of this text. */
const cutOff = (page: Page, text: string) =>
  page.evaluate(
    (wanted) =>
      [...document.querySelectorAll<HTMLElement>('.queue-row *, .incident *, [role=dialog] *')]
        .filter((part) => part.textContent.includes(wanted))
        .filter(
          (part) => getComputedStyle(part).overflowX === 'hidden' && part.scrollWidth > part.clientWidth,
        )
        .map(({ className }) => className),
    text,
  );

it('a line name of 60 characters in three scripts is not cut off, even with large text', async () => {
  const name = '配电室备用馈线 Kitchen spare feeder Резервная линия столовой №'.padEnd(60, '2').slice(0, 60);
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/alarmList`);
  await settled(page);
  // The device number, then the name of its line.
  const shown = page.locator('.queue-row', { has: page.locator('.queue-device', { hasText: ' · ' }) });
  const rowId = (await shown.first().locator('.queue-show').getAttribute('id')) ?? '';
  const alarm = await house.db
    .selectFrom('alarms')
    .innerJoin('lines', 'lines.id', 'alarms.line_id')
    .select(['alarms.id', 'lines.id as line', 'lines.name'])
    .where('alarms.id', '=', Number(rowId.slice('queue-alarm-'.length)))
    .executeTakeFirstOrThrow();
  const rename = (to: string) =>
    house.db.updateTable('lines').set({ name: to }).where('id', '=', alarm.line).execute();
  await rename(name);
  await page.goto(`${house.url}/home/alarmList?alarm=${alarm.id}`);
  await settled(page);
  await page.locator('.incident').getByText(name).first().waitFor();
  await page.locator('.queue-device', { hasText: name }).first().waitFor();
  expect(await cutOff(page, name)).toEqual([]);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  expect(await cutOff(page, name)).toEqual([]);
  // Two panes would not fit side by side, so the list is hidden.
  expect(await page.locator('.queue-list').isVisible()).toBe(false);
  await page.context().close();
  await rename(alarm.name);
});

/** Texts that are cut off and that no title shows in full. */
const unreadable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isCut = (part: HTMLElement) => {
      const { overflowX, overflowY } = getComputedStyle(part);
      return (
        (['hidden', 'clip'].includes(overflowX) && part.scrollWidth > part.clientWidth + 1) ||
        (['hidden', 'clip'].includes(overflowY) && part.scrollHeight > part.clientHeight + 2)
      );
    };
    const hasText = (part: HTMLElement) =>
      [...part.querySelectorAll('*'), part].some((each) =>
        [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()),
      );
    return (
      [
        ...document.querySelectorAll<HTMLElement>(
          'header *, nav *, main :is(td, th, td *, th *, h1, button, label)',
        ),
      ]
        // Without texts for screen readers only, the hidden side of a switch, and drawings.
        .filter((part) => part.clientWidth > 1 && !part.closest('.ant-switch, svg, [title]'))
        .filter((part) => hasText(part) && isCut(part))
        .map(({ className, textContent }) => `${className}: ${textContent}`)
    );
  });

it.each(['en-US', 'zh-CN', 'ru-RU'])(
  'in %s no table, menu or header cuts a text at 1440 px',
  async (language) => {
    const page = await house.pageOf(house.admin, { language });
    const found: Record<string, string[]> = {};
    for (const path of [
      ...['/home/alarmList', '/home/alarmList?show=first', '/home/projectlist', '/home/timingconfig'],
      ...['/home/configinfos/rolemanage', '/home/configinfos/USERManage', '/home/configinfos/dataUpgrade'],
    ]) {
      await page.goto(house.url + path);
      await page.locator('tbody tr').nth(1).waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .cell-skeleton') === null);
      const wrong = await unreadable(page);
      if (wrong.length > 0) found[path] = wrong;
    }
    expect(found).toEqual({});
    await page.context().close();
  },
);
