import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { Page, Route } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { typicalDevice } from '#simulator/arguments.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import { makeAlarm } from '../alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { type House, openHouse } from './house.ts';

let house: House;
let fleet: Fleet;
let proxy: Server;
let address: string;
let operator: number;
let alarm: number;
let device: Awaited<ReturnType<typeof makeDevice>>;
const sockets = new Set<Socket>();
let frozen = false;

/** A frozen link keeps every connection open but passes no bytes. */
const freeze = (is: boolean) => {
  frozen = is;
  for (const socket of sockets)
    if (is) socket.pause();
    else socket.resume();
};

beforeAll(async () => {
  house = await openHouse();
  const target = Number(new URL(house.url).port);
  proxy = createServer((client) => {
    const server = dial(target, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('error', () => to.destroy());
      if (frozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  device = await makeDevice(house.db, { type: 4, number: 'E2E0000009', project_id: project.id });
  operator = (await makeUser(house.db, { role: 3, username: 'operator', projects: [project] })).id;
  alarm = await makeAlarm(house.pool, device, { at: Date.now() });
  fleet = createFleet({
    brokerUrl: house.mqttUrl,
    seed: 1,
    devices: [typicalDevice(device.number, device.secret, 4, 1, 'office', 5)],
  });
  fleet.start();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  proxy?.close();
  await fleet?.stop();
  await house?.stop();
});

it('the readings of a device whose address was opened change on the screen as they arrive', async () => {
  const page = await house.pageOf(operator);
  await page.goto(`${address}/home/devicedetails?device_id=${device.id}&tab=lines`);
  const voltage = page.getByRole('row', { name: /Voltage/ }).first();
  const before = await voltage.textContent();
  await expect.poll(() => voltage.textContent()).not.toBe(before);
});

it('a link that is frozen for a minute is shown as cut, refuses switching, and becomes live again by itself', async () => {
  const page = await house.pageOf(operator);
  await page.goto(`${address}/home/devicedetails?device_id=${device.id}&tab=lines`);
  const badge = page.locator('.link-badge');
  const open = page.locator('.switch-button').first();
  await expect.poll(() => badge.textContent()).toContain('Live');
  await expect.poll(() => open.isEnabled()).toBe(true);

  const frozenAt = Date.now();
  freeze(true);
  await expect.poll(() => badge.textContent()).toMatch(/No connection since \d\d:\d\d/);
  expect(Date.now() - frozenAt).toBeLessThan(40_000);
  expect(await open.isDisabled()).toBe(true);
  expect(await page.locator('.switch-reason').first().textContent()).toContain('No connection');
  expect(await page.locator('.link-strip').textContent()).toContain('Switching is refused');
  await page.waitForTimeout(Math.max(0, frozenAt + 60_000 - Date.now()));
  expect(await badge.textContent()).toContain('No connection');
  if (process.env['E2E_SHOTS']) await page.screenshot({ path: `${process.env['E2E_SHOTS']}/cut.png` });

  freeze(false);
  await expect.poll(() => badge.textContent()).toContain('Live');
  await expect.poll(() => open.isEnabled()).toBe(true);
});

it('a list that the server does not refresh says so while the server still sends events', async () => {
  const page = await house.pageOf(operator);
  await page.goto(`${address}/home/devicelist`);
  await page.getByRole('link', { name: device.number }).first().waitFor();
  await expect.poll(() => page.locator('.link-badge').textContent()).toContain('Live');
  await page.waitForLoadState('networkidle');
  // No call and no file has an answer any more, but the stream goes on.
  const held: Route[] = [];
  let isHeld = true;
  await page.route('**', (route) => (isHeld ? void held.push(route) : route.continue()));
  await page.getByRole('button', { name: 'Refresh' }).click();
  const notice = page.locator('.stale-notice');
  await notice.waitFor();
  expect(await notice.textContent()).toContain('The server has not answered yet.');
  expect(await page.locator('.link-badge').textContent()).toContain('Live');
  expect(await page.locator('.part-missing').count()).toBe(0);
  isHeld = false;
  for (const route of held) await route.continue();
  await expect.poll(() => notice.count()).toBe(0);
});

it.each([
  ['the overview', '/home/datascreen', '.figure dd a'],
  ['the list of projects', '/home/projectlist', '.line-counts'],
  ['the list of alarms', '/home/alarmList', '.alarm-counter-unprocessed strong'],
  ['the bell', '/home/devicelist', '.alarm-bell .count-badge'],
  ['the bar of a phone', '/home/devicelist', '.bottom-count'],
  ['a drawer', '/home/alarmList?alarm=', '.ant-drawer .quantity'],
])('figures of %s lose their colour without contact to the server', async (name, path, figure) => {
  const isPhone = ['the bar of a phone', 'a drawer'].includes(name);
  const page = await house.pageOf(
    operator,
    isPhone ? { width: 390, height: 844 } : { dark: name === 'the bell' },
  );
  await page.goto(address + path + (path.endsWith('=') ? alarm : ''));
  const shown = page.locator(figure).first();
  await shown.waitFor();
  const look = () =>
    shown.evaluate((element) => {
      const { color, backgroundColor } = getComputedStyle(element);
      return { color, ground: backgroundColor };
    });
  const colourOf = (colour: string) =>
    page.evaluate((given) => {
      const probe = document.body.appendChild(document.createElement('span'));
      probe.style.color = given;
      return getComputedStyle(probe).color;
    }, colour);
  const [red, faint] = [await colourOf('var(--alarm)'), await colourOf('var(--text-faint)')];
  expect((await look()).color).not.toBe(faint);
  await page.context().setOffline(true);
  await expect.poll(() => page.locator('.is-cut').count()).toBe(1);
  await expect.poll(async () => (await look()).color).toBe(faint);
  expect((await look()).ground).not.toBe(red);
  await page.emulateMedia({ forcedColors: 'active' });
  expect((await look()).color).toBe(await colourOf('GrayText'));
});

it('an alarm that is raised after the list was loaded and before the stream began is announced', async () => {
  const witness = await house.pageOf(operator);
  const page = await house.pageOf(operator);
  const popups = (of: Page) => of.getByRole('region', { name: 'New alarms' });
  await witness.goto(`${address}/home/alarmList`);
  await expect.poll(() => witness.locator('.link-badge').textContent()).toContain('Live');
  const streams: Route[] = [];
  let isHeld = true;
  await page.route('**/live*', (route) => (isHeld ? void streams.push(route) : route.continue()));
  await page.goto(`${address}/home/alarmList`);
  await page.locator('.queue-show').first().waitFor();
  await expect.poll(() => streams.length).toBeGreaterThan(0);
  fleet.play('leakStep', device.number);
  await popups(witness).waitFor();
  isHeld = false;
  for (const stream of streams) await stream.continue();
  await popups(page).waitFor();
  await page.getByRole('button', { name: /new/ }).first().waitFor();
});
