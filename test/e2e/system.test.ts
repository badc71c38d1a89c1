import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../factories.ts';
import { violationsOf } from './axe.ts';
import { type House, openHouse } from './house.ts';

let house: House;
let adminId: number;
beforeAll(async () => {
  house = await openHouse();
  adminId = (await makeUser(house.db, { role: 1 })).id;
});
afterAll(() => house.stop());

it('shows health, runs a job and changes a setting, without accessibility errors', async () => {
  const page = await house.pageOf(adminId);
  await page.goto(`${house.url}/home/datascreen`);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'System', exact: true }).click();
  await page.getByRole('heading', { name: 'Database', exact: true }).waitFor();
  await page.getByText('No problems.').waitFor();
  const faults = async () => (await violationsOf(page)).map(({ id, nodes }) => [id, nodes[0]?.html]);
  expect(await faults()).toEqual([]);

  await page.getByRole('tab', { name: 'Scheduled jobs' }).click();
  const row = page.getByRole('row', { name: /Unused images/ });
  await row.getByText('Succeeded').waitFor();
  expect(await faults()).toEqual([]);
  await row.getByRole('button', { name: 'Run now' }).click();
  await page.getByText('Unused images starts in a moment').waitFor();

  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Change “Verification time”' }).click();
  await page.getByRole('spinbutton', { name: 'Verification time' }).fill('20');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Verification time” is saved').waitFor();
  await page.getByText('20 s', { exact: true }).waitFor();
  expect(await faults()).toEqual([]);
  const edits = await house.db.selectFrom('setting_edits').select(['name', 'after']).execute();
  expect(edits).toEqual([{ name: 'control.evidenceS', after: 20 }]);
});

it('backs up, proves, downloads and deletes a backup, optimises and repairs a table, each with the password', async () => {
  const page = await house.pageOf(1);
  const faults = async () => (await violationsOf(page)).map(({ id, nodes }) => [id, nodes[0]?.html]);
  await page.goto(`${house.url}/home/configinfos/databasemanage?tab=backups`);
  await page.getByText('There is no backup yet.').waitFor();
  /** Presses a button, or an entry of an open menu, and confirms its dialog, whose button has the same name. */
  const act = async (name: string, within: Page | Locator = page, role: 'button' | 'menuitem' = 'button') => {
    await within.getByRole(role, { name, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill(house.adminPassword);
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  const ended = (kind: string) =>
    expect
      .poll(() =>
        house.db
          .selectFrom('maintenance_jobs')
          .select(['state', 'fault'])
          .where('kind', '=', kind as 'backup')
          .execute(),
      )
      .toEqual([{ state: 'done', fault: null }]);
  await act('Back up everything');
  await ended('backup');
  const row = page.getByRole('row', { name: /everything/ });
  await row.getByText('complete', { exact: true }).waitFor();
  await act('Run a restore drill');
  await ended('drill');
  const proven = page.locator('dl', { hasText: 'Last successful restore drill' });
  await proven.getByText(/rows: /).waitFor();
  expect(await faults()).toEqual([]);

  await row.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByLabel('Type the name of the backup').waitFor();
  expect(await faults()).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });

  // A download must not add a history step, so it is done twice.
  for (let time = 1; time <= 2; time += 1) {
    const [file] = await Promise.all([page.waitForEvent('download'), act('Download', row)]);
    expect(file.suggestedFilename()).toMatch(/^ampwatch-\d{8}-\d{6}-\w+\.tar$/);
    expect(await file.failure()).toBeNull();
  }
  await act('Delete', row);
  await page.getByText('1 backup deleted').waitFor();
  await page.getByText('There is no backup yet.').waitFor();

  await page.goto(`${house.url}/home/configinfos/databasemanage?name=alarm_types`);
  const table = page.getByRole('row').filter({ has: page.getByText('alarm_types', { exact: true }) });
  for (const [name, kind] of [
    ['Optimise', 'optimise'],
    ['Repair', 'repair'],
  ] as const) {
    await table.getByRole('button', { name: 'More actions for alarm_types' }).click();
    await act(name, page, 'menuitem');
    await ended(kind);
  }
  await page.getByRole('tab', { name: 'Jobs' }).click();
  await page.getByText('no constraint is broken').waitFor();
});
