import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../factories.ts';
import { type House, openDemoHouse } from './house.ts';

let house: House;
/** For this file alone, because the layout that it saves belongs to the user. */
let admin: number;
beforeAll(async () => {
  house = await openDemoHouse();
  admin = (await makeUser(house.db, { role: 1 })).id;
});
afterAll(() => house?.stop());

const headings = '.datascreen-grid h2';

it('the overview shows the panels in the order that the user chose, also after a reload', async () => {
  const page = await house.pageOf(admin, { width: 1920, height: 1080 });
  await page.goto(`${house.url}/home/datascreen`);
  await page.getByRole('heading', { name: 'Projects by urgency' }).waitFor();
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('checkbox', { name: 'Map of projects' }).uncheck();
  await page.getByRole('button', { name: 'Move up: Latest alarms' }).click();
  await page.getByRole('button', { name: 'Save for me' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.reload();
  await page.locator(headings).first().waitFor();
  expect((await page.locator(headings).allTextContents()).slice(0, 2)).toEqual([
    'Latest alarms',
    'Projects by urgency',
  ]);
  expect(await page.getByText('Projects by their worst state').count()).toBe(0);
});

it('shows the common layout to users without a layout of their own, and a user’s own layout to that user', async () => {
  const chosenBy = (await makeUser(house.db, { role: 1 })).id;
  const another = (await makeUser(house.db, { role: 1 })).id;
  const firstOf = async (user: number) => {
    const page = await house.pageOf(user, { width: 1920, height: 1080 });
    await page.goto(`${house.url}/home/datascreen`);
    await page.locator(headings).nth(2).waitFor();
    const shown = (await page.locator(headings).allTextContents()).slice(0, 3);
    await page.context().close();
    return shown;
  };
  const page = await house.pageOf(chosenBy, { width: 1920, height: 1080 });
  await page.goto(`${house.url}/home/datascreen`);
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('button', { name: 'Move up: Latest alarms' }).click();
  try {
    await page.getByRole('button', { name: 'Save for everybody' }).click();
    await page
      .getByRole('dialog', { name: 'Save for everybody' })
      .getByRole('button', { name: 'Save for everybody' })
      .click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    expect(await firstOf(another)).toEqual([
      'Projects by their worst state',
      'Latest alarms',
      'Projects by urgency',
    ]);
    expect((await firstOf(admin)).slice(0, 2)).toEqual(['Latest alarms', 'Projects by urgency']);
  } finally {
    await house.db.deleteFrom('dashboard_layouts').where('user_id', '=', 0).execute();
  }
});

it('leads from a region to its project', async () => {
  const page = await house.pageOf(admin, { width: 1920, height: 1080 });
  await page.goto(`${house.url}/home/datascreen`);
  await page.locator('.sites-regions button').first().click();
  await page.waitForURL(/region=/);
  await page.locator('.sites-list a').first().click();
  await page.waitForURL(/\/home\/configinfo\/\w+\?project_id=\d+/);
});

it.each([
  [1920, 1080],
  [3840, 2160],
])('needs no scrolling on a wall of %i × %i', async (width, height) => {
  const page = await house.pageOf(admin, { width, height });
  await page.goto(`${house.url}/home/datascreen`);
  await page.locator('.chart-canvas canvas').first().waitFor();
  const room = () =>
    page.evaluate(() => [
      document.documentElement.scrollHeight - document.documentElement.clientHeight,
      document.documentElement.scrollWidth - document.documentElement.clientWidth,
    ]);
  expect(await room()).toEqual([0, 0]);
  // A note as high as the banner of an alarm flood.
  await page.locator('.shell-notes').evaluate((notes) => {
    const note = document.createElement('div');
    note.style.height = '3rem';
    notes.append(note);
  });
  expect(await room()).toEqual([0, 0]);
  const [notes, panels] = await Promise.all(
    ['.shell-notes > div:last-child', '.datascreen'].map((place) => page.locator(place).boundingBox()),
  );
  expect(panels!.y + panels!.height).toBeLessThanOrEqual(notes!.y);
  const legends = await page
    .locator('.chart-legend')
    .evaluateAll((all) => all.map((legend) => legend.scrollHeight - legend.clientHeight));
  expect(legends.length).toBeGreaterThan(0);
  for (const hidden of legends) expect(hidden).toBeLessThanOrEqual(0);
});
