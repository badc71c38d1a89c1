import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { type House, openHouse } from './house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.stop());

test('an empty installation leads from sign-in to the first project, device, report and notification rule', async () => {
  const page = await house.stranger();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(house.url);
  await page.getByRole('textbox', { name: 'Account' }).fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(house.adminPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/home\/datascreen/);
  const strip = page.getByRole('complementary', { name: 'First steps' });

  await strip.getByText('First steps: 0 of 4 done').waitFor();
  await strip.getByRole('link', { name: 'Create the first project' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Project', { exact: true }).fill('Bay Tower');
  const region = drawer.getByLabel('Region');
  await region.click();
  await region.pressSequentially('nanshan');
  await page
    .locator('.ant-cascader-menu-item')
    .filter({ hasText: /Nanshan/i })
    .first()
    .click();
  await drawer.getByLabel('Contact', { exact: true }).fill('Li Wei');
  await drawer.getByLabel('Contact phone').fill('13800000000');
  await drawer.getByLabel('Password').fill('abc12345');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.waitFor({ state: 'hidden' });

  await strip.getByText('First steps: 1 of 4 done').waitFor();
  await strip.getByRole('link', { name: 'Add the first device' }).click();
  await drawer.getByLabel('Number', { exact: true }).fill('FIRST001');
  await drawer.getByLabel('Name', { exact: true }).fill('Main board');
  await drawer.getByRole('combobox', { name: 'Project' }).click();
  await page.getByTitle('Bay Tower').last().click();
  await drawer.getByRole('button', { name: 'Add device' }).click();
  const credentials = page.getByRole('dialog', { name: 'Credentials of the device' });
  const secret = (await credentials.locator('.secret-text').nth(1).textContent()) ?? '';
  await credentials.getByRole('button').last().click();

  await strip.getByText('First steps: 2 of 4 done').waitFor();
  const device = await mqtt.connectAsync(house.mqttUrl, {
    ...{ clientId: 'FIRST001', username: 'FIRST001', password: secret.trim(), reconnectPeriod: 0 },
  });
  const reading = { v: 1, boot: 1, seq: 1, t: Date.now(), ln: [{ n: 1, sw: 0, trip: 0, U: { a: 230 } }] };
  await device.publishAsync(topicOf('FIRST001', 'tele'), JSON.stringify(reading), { qos: 1 });

  await strip.getByText('First steps: 3 of 4 done').waitFor();
  // A step that was done stays done while the device is offline.
  await device.endAsync();
  await house.db.updateTable('device_state').set({ online: false }).execute();
  await page.reload();
  await strip.getByText('First steps: 3 of 4 done').waitFor();
  await strip.getByRole('link', { name: 'All steps' }).click();
  await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
  expect(await page.locator('.first-steps .is-done').count()).toBe(3);
  await page.locator('.first-steps').getByRole('link', { name: 'Add the first notification rule' }).click();
  await drawer.getByRole('checkbox', { name: /contacts/ }).check();
  await drawer.getByRole('checkbox', { name: 'Alarm', exact: true }).check();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await strip.waitFor({ state: 'detached' });

  // The steps stay available in the account menu.
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'First steps' }).click();
  await page.getByText('All steps are done').waitFor();
  expect(await page.locator('.first-steps .is-done').count()).toBe(4);
  expect(complaints).toEqual([]);
});

test('a page whose scripts did not arrive says what to do, in the language of the reader', async () => {
  const page = await house.stranger('ru-RU');
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto(house.url);
  await page.getByRole('alert').filter({ hasText: 'Обновите страницу' }).waitFor();
  await page.unroute('**/assets/*.js');
  await page.getByRole('link', { name: 'Обновить' }).click();
  await page.getByRole('textbox').first().waitFor();
  await page.context().close();
});
