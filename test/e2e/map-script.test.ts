import { afterAll, beforeAll, expect, it } from 'vitest';
import { toGcj02 } from '#web/parts/map/gcj02.ts';
import { type House, openHouse } from './house.ts';
import { placedProjects } from './map-places.ts';
import { centreOf, serveStub, watched } from './map-tiles.ts';

/** Pixels of the world at zoom 0 in AMap's units. */
const worldPixels = 256;

/**
 * A provider script with the interface of AMap: its map is one plain element, and marks are placed by
 * Mercator.
 */
const providerScript = (callback: string, image: string) => `(() => {
  const world = (zoom) => ${worldPixels} * 2 ** zoom;
  const toPixels = ([lng, lat], zoom) => ({
    x: ((lng + 180) / 360) * world(zoom),
    y: ((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * world(zoom),
  });
  class AMapMap {
    constructor(box, { zoom, center }) {
      this.box = box;
      this.zoom = zoom;
      this.center = center;
      this.markers = new Set();
      this.listeners = { zoomend: new Set(), click: new Set() };
      const style = document.createElement('style');
      style.textContent = '.fake-amap { position: absolute; inset: 0; }';
      document.head.append(style);
      this.ground = document.createElement('div');
      this.ground.className = 'fake-amap';
      this.ground.style.backgroundImage = 'url(${image})';
      this.ground.addEventListener('click', (event) => {
        const { left, top, width, height } = box.getBoundingClientRect();
        const middle = toPixels(this.center, this.zoom);
        const x = middle.x + event.clientX - left - width / 2;
        const y = middle.y + event.clientY - top - height / 2;
        const lng = (x / world(this.zoom)) * 360 - 180;
        const lat = (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / world(this.zoom)))) * 180) / Math.PI;
        for (const listener of this.listeners.click) listener({ lnglat: { getLng: () => lng, getLat: () => lat } });
      });
      box.append(this.ground);
    }
    on(event, listener) { this.listeners[event].add(listener); }
    off(event, listener) { this.listeners[event].delete(listener); }
    getZoom() { return this.zoom; }
    zoomIn() { this.setZoomAndCenter(this.zoom + 1, this.center); }
    zoomOut() { this.setZoomAndCenter(this.zoom - 1, this.center); }
    setZoomAndCenter(zoom, center) {
      this.zoom = zoom;
      this.center = center;
      for (const marker of this.markers) marker.draw();
      for (const listener of this.listeners.zoomend) listener({});
    }
    setCenter(center) { this.setZoomAndCenter(this.zoom, center); }
    setBounds({ southWest, northEast }) {
      this.setZoomAndCenter(4, [(southWest[0] + northEast[0]) / 2, (southWest[1] + northEast[1]) / 2]);
    }
    getBounds() { return { contains: () => true }; }
    setMapStyle() {}
    destroy() { this.ground.remove(); }
  }
  class Marker {
    constructor({ position, content }) { this.position = position; this.content = content; }
    setMap(map) {
      if (!map) { this.content.remove(); return; }
      this.map = map;
      map.markers.add(this);
      map.box.append(this.content);
      this.draw();
    }
    draw() {
      const at = toPixels(this.position, this.map.zoom);
      const middle = toPixels(this.map.center, this.map.zoom);
      const { style } = this.content;
      style.position = 'absolute';
      style.left = 'calc(50% + ' + (at.x - middle.x) + 'px)';
      style.top = 'calc(50% + ' + (at.y - middle.y) + 'px)';
      style.transform = 'translate(-50%, -50%)';
    }
  }
  class Bounds { constructor(southWest, northEast) { this.southWest = southWest; this.northEast = northEast; } }
  window.AMap = { Map: AMapMap, Marker, Bounds };
  window.${callback}();
})();`;

const asked: string[] = [];
let scriptFails = false;
let stub: Awaited<ReturnType<typeof serveStub>>;
let house: House;
let device: Awaited<ReturnType<typeof placedProjects>>['device'];
beforeAll(async () => {
  stub = await serveStub((request, response) => {
    const url = new URL(request.url ?? '', stub.url);
    if (url.pathname !== '/maps')
      return void response
        .writeHead(200, { 'content-type': 'image/svg+xml' })
        .end(
          '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="#7fd37f"/></svg>',
        );
    asked.push(`${url.pathname}${url.search}`);
    if (scriptFails) return void response.writeHead(503).end();
    response
      .writeHead(200, { 'content-type': 'text/javascript' })
      .end(providerScript(url.searchParams.get('callback') ?? '', `${stub.url}/ground.svg`));
  });
  house = await openHouse({
    MAP_SCRIPT_URL: `${stub.url}/maps?key=KEY&callback={callback}`,
    MAP_SCRIPT_PROVIDER: 'amap',
  });
  ({ device } = await placedProjects(house));
});
afterAll(async () => {
  await house?.stop();
  await stub?.stop();
});

it('loads the provider script with its callback once, and only when a map is shown', async () => {
  const page = await house.pageOf(house.admin, { width: 1920, height: 1080, worker: true });
  const { refused, hosts } = watched(page);
  await page.goto(`${house.url}/home/alarmList`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(asked).toEqual([]);
  await page.getByRole('menuitem', { name: 'Overview' }).click();
  const worst = page.getByRole('button', { name: /, alarm$/ }).first();
  await worst.waitFor();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^\/maps\?key=KEY&callback=\w+$/);
  await page.locator('.fake-amap').waitFor();
  const places = await page.locator('.map-mark').count();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect.poll(() => page.locator('.map-mark').count()).toBeLessThan(places);
  await worst.press('Enter');
  await page.getByRole('dialog').getByRole('link').first().waitFor();
  expect(refused).toEqual([]);
  expect([...hosts].sort()).toEqual([new URL(house.url).host, new URL(stub.url).host].sort());
});

it('takes a point from a click on the provider\u2019s map, in WGS-84', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/devicedetails?device_id=${device.id}&tab=map`);
  await page.locator('.map-pin').waitFor();
  const middle = await centreOf(page.locator('.fake-amap'));
  await page.mouse.click(middle.x + 100, middle.y);
  await page.getByRole('button', { name: 'Save this point' }).click();
  await page.getByText('Point saved').waitFor();
  const kept = await house.db
    .selectFrom('devices')
    .select(['lat', 'lng'])
    .where('id', '=', device.id)
    .executeTakeFirstOrThrow();
  const was = toGcj02(device);
  const now = toGcj02({ lat: kept.lat!, lng: kept.lng! });
  // A hundred pixels to the east on the provider's map at zoom 15.
  expect(now.lng - was.lng).toBeCloseTo((100 * 360) / (worldPixels * 2 ** 15), 4);
  expect(now.lat).toBeCloseTo(was.lat, 4);
});

it('shows the offline map with a sentence if the script does not load', async () => {
  scriptFails = true;
  try {
    const page = await house.pageOf(house.admin);
    await page.goto(`${house.url}/home/datascreen`);
    await page.getByText('the offline map is shown').waitFor();
    await expect.poll(() => page.locator('.map-outlines path').count()).toBe(35);
    await page.locator('.map-mark').first().waitFor();
  } finally {
    scriptFails = false;
  }
});

it('shows nothing of the provider\u2019s address to users who are not signed in', async () => {
  const page = await house.stranger();
  const replies: string[] = [];
  page.on('response', async (response) => {
    if (response.request().resourceType() === 'fetch') replies.push(await response.text().catch(() => ''));
  });
  await page.goto(house.url);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(replies.join()).not.toContain('KEY');
});
