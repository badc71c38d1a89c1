import type { Locator } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { typicalDevice } from '#simulator/arguments.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { testPassword } from '../world.ts';
import { type House, openHouse } from './house.ts';

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

test('one hand at the panel: from the QR code to a tagged, open, proven dead line in at most six taps', async () => {
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
  // The field of the reason has the focus already.
  await expect
    .poll(() => dialog.getByLabel('Reason').evaluate((field) => field === document.activeElement))
    .toBe(true);
  await page.keyboard.type('Replacing the terminal');
  await tap(dialog.getByRole('button', { name: 'Open, then tag' }));
  await page.getByText('Tag applied. Closing is forbidden.').waitFor();
  await card.locator('.line-position').getByText('Open').waitFor();
  await card.getByRole('button', { name: 'Replacing the terminal' }).waitFor();
  expect(await card.locator('.tag-live').count()).toBe(0);
  expect(taps).toBeLessThanOrEqual(6);
  const latest = await house.db
    .selectFrom('line_latest')
    .select('position')
    .where('line_id', '=', device.lines[0]!.id)
    .executeTakeFirstOrThrow();
  expect(latest.position).toBe(0);
});

test('the code on a panel leads a stranger through the sign-in to its board', async () => {
  const page = await house.stranger('en-US');
  await page.goto(`${house.url}/p/${device.number}`);
  await page.getByRole('textbox', { name: 'Account' }).fill('electrician');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**/home/linelist?device_id=${device.id}`);
  await page.getByRole('article').first().waitFor();
});

test('an unknown number leads to the search, which names it', async () => {
  const page = await house.pageOf(electrician, phone);
  await page.goto(`${house.url}/p/NOSUCH0001`);
  await page.waitForURL('**/home/search?text=NOSUCH0001');
});

test('the codes of a project are listed with their addresses, to be printed', async () => {
  const page = await house.pageOf(electrician);
  await page.goto(`${house.url}/home/panelcodes?device_id=${device.id}`);
  await page.getByText(`/p/${device.number}`).waitFor();
  await page.getByRole('button', { name: 'Print' }).waitFor();
});
