import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pngOf } from '../images.ts';
import { type House, openHouse } from './house.ts';

const tile = pngOf(200);
const patience = { timeout: 60_000 };
const asked: string[] = [];
let stub: Server;
let house: House;
let admin: number;
beforeAll(async () => {
  stub = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'image/png', 'access-control-allow-origin': '*' }).end(tile);
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  const { port } = stub.address() as AddressInfo;
  house = await openHouse(
    {
      DEMO: '1',
      MAP_TILE_URL: `http://127.0.0.1:${port}/{z}/{x}/{y}.png`,
      MAP_TILE_CRS: 'gcj02',
      MAP_TILE_ATTRIBUTION: 'Tiles of <b>nobody</b> & co',
    },
    // There is no graphics card where tests run.
    ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  );
  admin = (
    await house.db.selectFrom('users').select('id').where('username', '=', 'admin').executeTakeFirstOrThrow()
  ).id;
}, 180_000);
afterAll(async () => {
  await house?.stop();
  await new Promise((resolve) => stub.close(resolve));
});

/** What the content security policy refused, and other hosts that the page asked. */
const watched = (page: Page) => {
  const refused: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) refused.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).host);
  });
  return { refused, hosts };
};

it('shows projects on the configured street tiles, by their worst state, and asks no other host', {
  timeout: 120_000,
}, async () => {
  const page = await house.pageOf(admin, { width: 1920, height: 1080 });
  const { refused, hosts } = watched(page);
  await page.goto(`${house.url}/home/datascreen`);
  await page.locator('.street-map canvas').waitFor();
  await expect.poll(() => asked.some((path) => /^\/\d+\/\d+\/\d+\.png$/.test(path)), patience).toBe(true);
  await page.locator('.street-map').getByText('Tiles of <b>nobody</b> & co').waitFor();
  const worst = page.getByRole('button', { name: /, alarm$/ }).first();
  await worst.waitFor();
  const places = await page.locator('.street-mark').count();
  for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
  // Closer by, marks part.
  await expect.poll(async () => (await page.locator('.street-mark').count()) > places, patience).toBe(true);
  await worst.press('Enter');
  await page.getByRole('dialog').getByRole('link').first().waitFor();
  expect(refused).toEqual([]);
  const { port } = stub.address() as AddressInfo;
  expect([...hosts].sort()).toEqual([new URL(house.url).host, `127.0.0.1:${port}`].sort());
});
