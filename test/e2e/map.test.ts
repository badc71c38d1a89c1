import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toGcj02 } from '#web/parts/map/gcj02.ts';
import { type House, openHouse } from './house.ts';
import { placedProjects } from './map-places.ts';
import {
  centreOf,
  colourAt,
  distanceOf,
  serveStub,
  shownAt,
  softwareWebGl,
  tileOf,
  watched,
} from './map-tiles.ts';

const patience = { timeout: 60_000 };
/** The zoom level for a single place. */
const tileZoom = 16;
/** Tolerance for rounding when drawing, of 256. */
const close = 3;

let tilesFail = false;
let stub: Awaited<ReturnType<typeof serveStub>>;
let house: House;
let place: Awaited<ReturnType<typeof placedProjects>>['place'];
let device: Awaited<ReturnType<typeof placedProjects>>['device'];
/** Sets the tiles as an administrator does. */
const setTiles = async (page: Page) => {
  await page.goto(`${house.url}/home/system?tab=settings`);
  const open = (name: string) => page.getByRole('button', { name: `Change “${name}”` }).click();
  const saved = async (name: string) => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`“${name}” is saved`).waitFor();
  };
  await open('Street tiles');
  await page.getByRole('textbox', { name: 'Street tiles' }).fill('http://tiles.example.org/{z}/{x}/{y}.png');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter an https address such as').waitFor();
  await page.getByRole('textbox', { name: 'Street tiles' }).fill(`${stub.url}/{z}/{x}/{y}.png`);
  await saved('Street tiles');
  await open('Coordinates of the tiles');
  await page.getByRole('combobox', { name: 'Coordinates of the tiles' }).click();
  await page.getByTitle('GCJ-02 (street maps of China)').click();
  await saved('Coordinates of the tiles');
  await open('Source of the tiles');
  await page.getByRole('textbox', { name: 'Source of the tiles' }).fill('Tiles of <b>nobody</b> & co');
  await saved('Source of the tiles');
};
beforeAll(async () => {
  stub = await serveStub((request, response) => {
    const found = /^\/(\d+)\/(\d+)\/(\d+)\.png$/.exec(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*');
    if (tilesFail || !found) return void response.writeHead(503).end();
    const [, z, x, y] = found.map(Number) as [number, number, number, number];
    response.writeHead(200, { 'content-type': 'image/png' }).end(tileOf(z, x, y));
  });
  house = await openHouse({}, softwareWebGl);
  await setTiles(await house.pageOf(house.admin));
  ({ place, device } = await placedProjects(house));
});
afterAll(async () => {
  await house?.stop();
  await stub?.stop();
});

it('shows projects on the configured street tiles by their worst state, and calls no other host', async () => {
  const page = await house.pageOf(house.admin, { width: 1920, height: 1080, worker: true });
  const { refused, hosts } = watched(page);
  await page.goto(`${house.url}/home/datascreen`);
  await page.locator('.map-ground').getByText('Tiles of <b>nobody</b> & co').waitFor();
  const worst = page.getByRole('button', { name: /, alarm$/ }).first();
  await worst.waitFor();
  const places = await page.locator('.map-mark').count();
  for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Zoom out' }).click();
  // At a lower zoom, marks are combined.
  await expect.poll(() => page.locator('.map-mark').count(), patience).toBeLessThan(places);
  await worst.press('Enter');
  await page.getByRole('dialog').getByRole('link').first().waitFor();
  expect(refused).toEqual([]);
  expect([...hosts].sort()).toEqual([new URL(house.url).host, new URL(stub.url).host].sort());
});

it('draws the tiles under a mark at its position in the datum of the tiles', async () => {
  const page = await house.pageOf(house.admin, { width: 1920, height: 1080 });
  await page.goto(`${house.url}/home/datascreen?region=${place.province}`);
  const mark = page.locator('.map-mark');
  await mark.waitFor();
  expect(await mark.count()).toBe(1);
  const { x, y } = await centreOf(mark);
  await mark.evaluate((element) => {
    element.style.visibility = 'hidden';
  });
  const expected = colourAt(toGcj02(place), tileZoom);
  await expect
    .poll(async () => distanceOf(await shownAt(page, x, y), expected), patience)
    .toBeLessThanOrEqual(close);
  // WGS-84 coordinates would lead to another pixel: the shift is some hundred metres.
  expect(distanceOf(colourAt(place, tileZoom), expected)).toBeGreaterThan(20);
});

/** Clicks near the pin of the only map and returns the clicked colour. */
const clickBeside = async (page: Page, from: { lat: number; lng: number }) => {
  const pin = page.locator('.map-pin');
  await pin.waitFor();
  const { x, y, width, height } = (await pin.boundingBox())!;
  const at = { x: Math.round(x + width / 2 + 60), y: Math.round(y + height - 40) };
  const expected = colourAt(toGcj02(from), tileZoom);
  const byPin = { x: Math.round(x + width / 2), y: Math.round(y + height + 4) };
  await expect
    .poll(async () => Math.abs((await shownAt(page, byPin.x, byPin.y))[0] - expected[0]), patience)
    .toBeLessThanOrEqual(close);
  const colour = await shownAt(page, at.x, at.y);
  await page.mouse.click(at.x, at.y);
  return colour;
};
const typed = async (page: Page) => ({
  lat: Number(await page.getByLabel('Latitude').inputValue()),
  lng: Number(await page.getByLabel('Longitude').inputValue()),
});

it('takes the point of a project from a click on the tiles, in WGS-84', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/projectlist`);
  await page.getByRole('row').filter({ hasText: place.name }).getByRole('button', { name: 'Edit' }).click();
  const before = await typed(page);
  const colour = await clickBeside(page, place);
  await expect.poll(() => typed(page), patience).not.toEqual(before);
  const chosen = await typed(page);
  expect(distanceOf(colourAt(toGcj02(chosen), tileZoom), colour)).toBeLessThanOrEqual(close);
  // Sixty pixels to the east, at two metres per pixel.
  expect(chosen.lng).toBeGreaterThan(before.lng);
  expect(Math.abs(chosen.lng - before.lng)).toBeLessThan(0.01);
});

it('takes the point of a device from a click on the tiles, and keeps it', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/devicedetails?device_id=${device.id}&tab=map`);
  const colour = await clickBeside(page, device);
  const save = page.getByRole('button', { name: 'Save this point' });
  await save.click();
  await page.getByText('Point saved').waitFor();
  const kept = await house.db
    .selectFrom('devices')
    .select(['lat', 'lng'])
    .where('id', '=', device.id)
    .executeTakeFirstOrThrow();
  expect(
    distanceOf(colourAt(toGcj02({ lat: kept.lat!, lng: kept.lng! }), tileZoom), colour),
  ).toBeLessThanOrEqual(close);
});

it('shows the offline map with a sentence if the browser has no WebGL 2', async () => {
  const page = await house.pageOf(house.admin);
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...given: [string]) {
      return given[0] === 'webgl2' ? null : getContext.apply(this, given);
    } as typeof getContext;
  });
  await page.goto(`${house.url}/home/datascreen`);
  await page.getByText('the offline map is shown').waitFor();
  await expect.poll(() => page.locator('.map-outlines path').count()).toBe(35);
  await page.locator('.map-mark').first().waitFor();
});

it('shows the offline map with a sentence if the tile host does not answer', async () => {
  const page = await house.pageOf(house.admin);
  tilesFail = true;
  try {
    await page.goto(`${house.url}/home/datascreen`);
    await page.getByText('the offline map is shown').waitFor(patience);
    await page.locator('.map-mark').first().waitFor();
  } finally {
    tilesFail = false;
  }
});
