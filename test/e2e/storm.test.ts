import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { typicalDevice } from '#simulator/arguments.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import { makeAlarm } from '../alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { type House, openHouse } from './house.ts';
import { moveTo, settled } from './move.ts';

const deviceCount = 14;
let house: House;
let fleet: Fleet;
let operator: number;
let numbers: string[];
let devices: Awaited<ReturnType<typeof makeDevice>>[];
/** The storm has a separate project, so that the counts of other projects do not change. */
let apart: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  house = await openHouse();
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  devices = await Promise.all(
    Array.from({ length: deviceCount }, (_, index) =>
      makeDevice(house.db, { type: 4, number: `STORM${1000 + index}`, project_id: project.id }),
    ),
  );
  const quiet = await makeProject(house.db, { name: 'Quiet Pier' });
  apart = await makeDevice(house.db, { type: 4, number: 'STORM2000', project_id: quiet.id });
  numbers = devices.map(({ number }) => number);
  operator = (await makeUser(house.db, { role: 3, username: 'operator', projects: [project] })).id;
  fleet = createFleet({
    brokerUrl: house.mqttUrl,
    seed: 1,
    devices: [...devices, apart].map(({ number, secret }) =>
      typicalDevice(number, secret, 4, 1, 'office', 5),
    ),
  });
  fleet.start();
});
afterAll(async () => {
  await fleet?.stop();
  await house?.stop();
});

const popup = (page: Page) => page.getByRole('region', { name: 'New alarms' });
/** A device has several alarms, so the number of alarms differs from the number of devices. */
const devicesAlarmed = async () => {
  const rows = await house.db
    .selectFrom('alarms')
    .select('device_id')
    .distinct()
    .where('handled_at', 'is', null)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.length;
};

it('one alarm pops up and is snoozed by key; a storm is one pop-up whose alarms are reminded and handled together', async () => {
  const page = await house.pageOf(operator);
  await page.goto(`${house.url}/home/alarmList`);
  await page.getByRole('heading', { name: 'Alarms', level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();

  fleet.play('leakStep', numbers[0]!);
  await popup(page).getByText('Bay Tower', { exact: false }).waitFor();
  // The list was empty, so no row has to keep its place.
  await page.locator('.queue-show').first().waitFor();
  await page.locator('#main').focus();
  await page.keyboard.press('Enter');
  await page.locator('.alarm-drawer').getByText('History', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('alarm')).toMatch(/^\d+$/);
  await page.keyboard.press('Escape');

  // All alarms come at once: one pop-up shows them, the rows on the screen stay, and the counter shows how
  // many came.
  for (const number of numbers) fleet.play('leakStep', number);
  await popup(page)
    .getByText(/^\d+ new alarms$/)
    .waitFor();
  await expect.poll(devicesAlarmed).toBe(deviceCount);
  await page.locator('#main').focus();
  // Alarms after the end of a snooze pop up again.
  await expect
    .poll(async () => {
      await page.keyboard.press('Escape');
      return popup(page).count();
    })
    .toBe(0);

  await page.goto(`${house.url}/home/alarmList?status=unprocessed&group=storm`);
  const storm = page.locator('.queue-head').filter({ hasText: `${deviceCount} devices` });
  await storm.waitFor();
  await storm.getByRole('button', { name: 'Remind', exact: true }).click();
  await expect
    .poll(async () => {
      const urged = await house.db
        .selectFrom('alarm_history')
        .select('alarm_id')
        .where('kind', '=', 'urged')
        .execute();
      return urged.length;
    })
    .toBeGreaterThanOrEqual(deviceCount);

  await page.goto(`${house.url}/home/alarmList?status=unprocessed`);
  await page.getByRole('button', { name: /^Handle all \d+ unprocessed$/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What was done').fill('Trial of all lines, nothing wrong');
  await dialog.getByRole('button', { name: 'Handle', exact: true }).click();
  await expect
    .poll(async () => {
      const handled = await house.db
        .selectFrom('alarms')
        .select('id')
        .where('handling_content', '=', 'Trial of all lines, nothing wrong')
        .execute();
      return handled.length;
    })
    .toBeGreaterThanOrEqual(deviceCount);
});

it('an alarm that comes while the pop-ups are still loading pops up when they are loaded', async () => {
  const page = await house.pageOf(house.admin);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = 0;
  await page.route('**/*.js', async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    if (text.includes('popup-foot')) {
      held += 1;
      await released;
    }
    await route.fulfill({ response: answer, body: text });
  });
  await page.goto(`${house.url}/home/devicelist`);
  await page.getByText('Live', { exact: true }).waitFor();
  await expect.poll(() => held).toBeGreaterThan(0);
  fleet.play('leakStep', apart.number);
  await expect
    .poll(() =>
      house.db.selectFrom('alarms').select('id').where('device_id', '=', apart.id).executeTakeFirst(),
    )
    .toBeDefined();
  release();
  await popup(page).getByText('Quiet Pier', { exact: false }).waitFor();
  await page.context().close();
});

/** Names of 60 characters in three scripts, two of them without a space. */
const longNames = [
  '深圳湾科技生态园二期东区地下二层高低压配电室三号变压器出线柜备用馈线回路照明应急消防电梯动力总进线开关柜测试用超长名称示例',
  'Главный распределительный щит второй очереди корпуса №17 АБК',
  'Emergency_generator_switchboard_feeder_to_cold_store_No_0017',
];
/** Elements that are wider than the window, and elements that cut a name. */
const cutOn = (page: Page): Promise<string[]> =>
  page.evaluate((names) => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const isCut = (part: HTMLElement) => {
      const { overflowX, overflowY } = getComputedStyle(part);
      return (
        (overflowX === 'hidden' && part.scrollWidth > part.clientWidth) ||
        (overflowY === 'hidden' && part.scrollHeight > part.clientHeight + 1)
      );
    };
    const cut = [...document.querySelectorAll<HTMLElement>('main *')]
      // A select shows the start of a name that its title and the heading show whole.
      .filter((part) => !part.closest('.ant-select') && names.some((name) => part.textContent.includes(name)))
      .filter(isCut)
      .map(({ className, scrollWidth, clientWidth, scrollHeight, clientHeight, outerHTML }) => {
        const sizes = `${scrollWidth} × ${scrollHeight} in ${clientWidth} × ${clientHeight}`;
        return `cut: ${className}, ${sizes}: ${outerHTML.slice(0, 300)}`;
      });
    return scrollWidth > clientWidth ? [`${scrollWidth} px wide`, ...cut] : cut;
  }, longNames);

it('no name of 60 characters is cut on a phone or where lines are switched, and none makes a page wider than its window, during an alarm flood too', async () => {
  for (const table of ['projects', 'devices', 'lines'])
    await house.pool.query(`update ${table} set name = ($1::text[])[1 + id % 3]`, [longNames]);
  for (const device of devices)
    await makeAlarm(house.pool, { ...device, part_id: null }, { at: Date.now() - 60_000, code: 103 });
  const { id: project } = await house.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  const page = await house.pageOf(house.admin, { width: 320, height: 640, touch: true });
  const found: Record<string, string[]> = {};
  await page.goto(`${house.url}/home/projectlist`);
  await page.locator('.flood-banner').waitFor();
  for (const path of [
    '/home/projectlist',
    '/home/devicelist',
    '/home/alarmList?status=all',
    `/home/configinfo/lines?project_id=${project}`,
    `/home/configinfo/loadstatistics?project_id=${project}`,
  ]) {
    await page.setViewportSize({ width: 320, height: 640 });
    await moveTo(page, path);
    const wrong = await cutOn(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await settled(page);
    // Names in rows of lists have two lines there (decision 0531).
    if (path.includes('/configinfo/')) wrong.push(...(await cutOn(page)));
    if (wrong.length > 0) found[path] = wrong;
  }
  expect(found).toEqual({});
  await page.context().close();
});

it('with forced colours the shown alarm and the current menu entry have frames, and chart series keep their colours', async () => {
  const page = await house.pageOf(house.admin);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${house.url}/home/alarmList?status=processed&show=first`);
  const outlineOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((part) => getComputedStyle(part).outlineStyle);
  await page.locator('.queue-row.is-shown').waitFor();
  expect(await outlineOf('.queue-row.is-shown')).toBe('solid');
  expect(await outlineOf('.queue-row:not(.is-shown)')).toBe('none');
  expect(await outlineOf('nav .ant-menu-item-selected')).toBe('solid');
  await page.goto(`${house.url}/home/datascreen`);
  const sign = page.locator('.chart-sign').first();
  await sign.waitFor();
  expect(await sign.evaluate((part) => getComputedStyle(part).forcedColorAdjust)).toBe('none');
  await page.context().close();
});

it.each([false, true])('with forced colours a bar differs from its ground (dark: %s)', async (dark) => {
  const page = await house.pageOf(house.admin, { dark });
  await page.emulateMedia({ forcedColors: 'active' });
  const { id: project } = await house.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  await page.goto(`${house.url}/home/configinfo/lines?project_id=${project}`);
  const bar = page.locator('.gauge').first();
  await bar.waitFor();
  const contrast = await bar.evaluate((part) => {
    const light = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((level) => {
        const share = Number(level) / 255;
        return share <= 0.04 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const { backgroundColor, backgroundImage } = getComputedStyle(part);
    const [fill] = backgroundImage.match(/rgb\([^)]*\)/) ?? [''];
    const [low = 0, high = 0] = [light(fill), light(backgroundColor)].toSorted((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  });
  // GrayText is the colour of what is off; a ground of it looks like a state in some of the readers' themes.
  expect(contrast).toBeGreaterThanOrEqual(4.5);
  await page.context().close();
});
