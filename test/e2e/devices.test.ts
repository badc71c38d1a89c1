import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDevices, makeProject, makeUser } from '../factories.ts';
import { type House, openHouse } from './house.ts';
import { settled } from './move.ts';

const count = 450;
let house: House;
let page: Page;
let project: number;
beforeAll(async () => {
  house = await openHouse();
  project = (await makeProject(house.db)).id;
  await makeDevices(house.db, count, project);
  page = await house.pageOf((await makeUser(house.db, { role: 1 })).id);
});
afterAll(() => house.stop());

test('all matching devices are selected and given an expiry, and the job is followed to its end', async () => {
  await page.goto(`${house.url}/home/devicelist?project_id=${project}`);
  await page.getByRole('table').getByRole('checkbox').first().check();
  await page.getByRole('button', { name: `Select all ${count} that match` }).click();
  await page.getByRole('button', { name: 'Set the expiry' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`All ${count} that match the filter`).waitFor();
  await dialog.getByLabel('Service until').fill('2031-05-01');
  await dialog.getByRole('button', { name: 'Set the expiry' }).click();
  await page.getByRole('dialog', { name: 'Setting the expiry of devices' }).waitFor();
  await page.getByText(`${count} of ${count}`).waitFor();
  const done = await house.db
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('expires_on', '=', '2031-05-01')
    .executeTakeFirstOrThrow();
  expect(done.n).toBe(count);
});

/** The list rows that can be selected. */
const pickable = () =>
  page.getByRole('row').filter({ has: page.getByRole('checkbox', { name: /^Select row/ }) });

test('a note that appears late moves no row', async () => {
  const { promise: measured, resolve: release } = Promise.withResolvers<void>();
  const calls = '**/device_warning/warning_timing_list';
  await page.route(calls, async (route) => {
    await measured;
    await route.continue();
  });
  await page.goto(`${house.url}/home/devicelist?project_id=${project}`);
  await settled(page);
  const before = await pickable().nth(1).boundingBox();
  release();
  await page.getByRole('complementary', { name: 'First steps' }).waitFor();
  expect(await pickable().nth(1).boundingBox()).toEqual(before);
});

test('selecting a row does not move a row away from the pointer', async () => {
  await page.goto(`${house.url}/home/devicelist?project_id=${project}`);
  await settled(page);
  const second = pickable().nth(1);
  const before = await second.boundingBox();
  await second.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Clear the selection' }).waitFor();
  expect(await second.boundingBox()).toEqual(before);
});

test('an unknown device leads back to the list', async () => {
  await page.goto(`${house.url}/home/devicedetails?device_id=999999&tab=info`);
  await page.getByRole('heading', { name: 'Device does not exist' }).waitFor();
  expect(await page.locator('.ant-message-notice').count()).toBe(0);
  await page.getByRole('link', { name: 'Go to the list of devices' }).click();
  await page.waitForURL(/\/home\/devicelist/);
});

test('a waiting job is shown on every screen and can be cancelled', async () => {
  const jobId = await page.evaluate(
    async ({ project, count }) => {
      const answer = await fetch('/device/device_set', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-serial': crypto.randomUUID() },
        body: JSON.stringify({
          filter: { project_id: project },
          expected: count,
          settings: [{ key: 'il_w', value: 20 }],
        }),
      });
      const { data } = (await answer.json()) as { data: { job_id: string } };
      return data.job_id;
    },
    { project, count },
  );
  await page.goto(`${house.url}/home/projectlist`);
  const banner = page.getByRole('status').filter({ hasText: 'Setting parameters of devices' });
  await banner.getByRole('button', { name: 'Show' }).click();
  expect(new URL(page.url()).searchParams.get('job')).toBe(jobId);
  await page.getByRole('button', { name: 'Cancel the job' }).click();
  await page
    .getByRole('dialog', { name: 'Cancel this job?' })
    .getByRole('button', { name: 'Cancel the job' })
    .click();
  await page.getByText(/0 of 450 done, cancelled by user/).waitFor();
  await banner.waitFor({ state: 'detached' });
});
