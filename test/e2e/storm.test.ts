import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { typicalDevice } from '#simulator/arguments.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { type House, openHouse } from './house.ts';

const deviceCount = 14;
let house: House;
let fleet: Fleet;
let operator: number;
let numbers: string[];

beforeAll(async () => {
  house = await openHouse();
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  const devices = await Promise.all(
    Array.from({ length: deviceCount }, (_, index) =>
      makeDevice(house.db, { type: 4, number: `STORM${1000 + index}`, project_id: project.id }),
    ),
  );
  numbers = devices.map(({ number }) => number);
  operator = (await makeUser(house.db, { role: 3, username: 'operator', projects: [project] })).id;
  fleet = createFleet({
    brokerUrl: house.mqttUrl,
    seed: 1,
    devices: devices.map(({ number, secret }) => typicalDevice(number, secret, 4, 1, 'office', 5)),
  });
  fleet.start();
});
afterAll(async () => {
  await fleet?.stop();
  await house?.stop();
});

const popup = (page: Page) => page.getByRole('region', { name: 'New alarms' });
/** A device raises several alarms, so that their number says nothing about how many devices have any. */
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

it('one alarm pops up, is snoozed and opened by key; a storm is one pop-up, urged and handled as all that match', async () => {
  const page = await house.pageOf(operator);
  await page.goto(`${house.url}/home/alarmList`);
  await page.getByRole('heading', { name: 'Alarms', level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();

  fleet.play('leakStep', numbers[0]!);
  await popup(page).getByText('Bay Tower', { exact: false }).waitFor();
  // The list was empty: nothing there to keep in its place.
  await page.locator('.queue-show').first().waitFor();
  await page.locator('#main').focus();
  await page.keyboard.press('Enter');
  await page.locator('.alarm-drawer').getByText('History', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('alarm')).toMatch(/^\d+$/);
  await page.keyboard.press('Escape');

  // All at once: the pop-up shows them as one, the rows on the screen stay, the counter says how many came.
  for (const number of numbers) fleet.play('leakStep', number);
  await popup(page)
    .getByText(/^\d+ new alarms$/)
    .waitFor();
  await expect.poll(devicesAlarmed).toBe(deviceCount);
  await page.locator('#main').focus();
  // Alarms after a snooze pop up again.
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
