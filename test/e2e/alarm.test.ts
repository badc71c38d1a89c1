import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSession } from '#server/core/session.ts';
import { typicalDevice } from '#simulator/arguments.ts';
import { createFleet, type Fleet } from '#simulator/fleet.ts';
import { makeAlarm } from '../alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { patienceMs } from '../patience.ts';
import { type House, openHouse } from './house.ts';

let house: House;
let fleet: Fleet;
let device: Awaited<ReturnType<typeof makeDevice>>;
let operator: number;
let elsewhere: number;
let looker: number;

beforeAll(async () => {
  house = await openHouse();
  const project = await makeProject(house.db, { name: 'Bay Tower' });
  const other = await makeProject(house.db, { name: 'Far Mill', region_id: 310000 });
  device = await makeDevice(house.db, { type: 4, number: 'E2E0000001', project_id: project.id });
  operator = (await makeUser(house.db, { role: 3, username: 'operator', projects: [project] })).id;
  elsewhere = (
    await makeUser(house.db, { role: 2, username: 'elsewhere', region_id: 310000, projects: [other] })
  ).id;
  looker = (await makeUser(house.db, { role: 200, letters: 'A', username: 'looker', projects: [project] }))
    .id;
  fleet = createFleet({
    brokerUrl: house.mqttUrl,
    seed: 1,
    devices: [typicalDevice(device.number, device.secret, 4, 1, 'office', 5)],
  });
  fleet.start();
});
afterAll(async () => {
  await fleet?.stop();
  await house?.stop();
});

const row = (page: Page, text: RegExp) => page.locator('tr', { hasText: text }).first();
const asks = async (userId: number, path: string, body: unknown) => {
  const { token } = await openSession(house.db, userId, Date.now(), { address: '127.0.0.1', agent: 'test' });
  const response = await fetch(new URL(path, house.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', usertoken: token, 'accept-language': 'en' },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    answer: (await response.json()) as { msg: string; data: Record<string, unknown> },
  };
};

it('an overload arrives live and is handled; closing is refused while an alarm is active; the meter proves the opening', async () => {
  const page = await house.pageOf(operator);
  await page.goto(`${house.url}/home/alarmList`);
  await page.getByRole('heading', { name: 'Alarms', level: 1 }).waitFor();

  // The alarm reaches the open screen by itself: first announced, then shown on request.
  fleet.play('overload', device.number, { speed: 1 });
  const overload = row(page, /Overpower|Overcurrent/);
  const announced = page.getByRole('button', { name: /new/ });
  await expect
    .poll(async () => (await announced.count()) > 0 || (await overload.count()) > 0, {
      timeout: 2 * patienceMs,
    })
    .toBe(true);
  if ((await announced.count()) > 0) await announced.first().click();
  await overload.waitFor();

  await overload.getByRole('button', { name: 'Handle', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What was done').fill('Load shed, checked on site');
  await dialog.getByRole('button', { name: 'Handle', exact: true }).click();
  await expect
    .poll(async () => {
      const alarm = await house.db
        .selectFrom('alarms')
        .select(['handling_content'])
        .where('code', 'in', [201, 202])
        .where('handled_at', 'is not', null)
        .executeTakeFirst();
      return alarm?.handling_content;
    })
    .toBe('Load shed, checked on site');

  // The line has an active leakage alarm: closing is refused with the reason, on the screen and by the API.
  fleet.play('leakStep', device.number);
  await page.goto(`${house.url}/home/devicedetails?device_id=${device.id}&tab=lines`);
  const line = page.getByRole('article').first();
  const close = line.getByRole('button', { name: /^Close:/ });
  await expect
    .poll(async () => (await line.textContent())?.includes('Refused while an alarm is active'))
    .toBe(true);
  expect(await close.isDisabled()).toBe(true);
  const refused = await asks(operator, '/device_do/device_do', {
    device_id: device.id,
    line_id: device.lines[0]!.id,
    action: 'close',
  });
  expect(refused.status).toBe(409);
  expect(refused.answer.msg).toContain('Refused while an alarm is active');

  // The dialog names the consequence, and the screen says 'open' because the device reported it.
  await line.getByRole('button', { name: /^Open:/ }).click();
  const ask = page.getByRole('dialog');
  await ask.getByText('will be de-energised').waitFor();
  await ask.getByRole('button', { name: 'Open: cut the power' }).click();
  await line.locator('.line-position', { hasText: /open/i }).waitFor();
  await expect
    .poll(async () => {
      const command = await house.db
        .selectFrom('commands')
        .selectAll()
        .where('verb', '=', 'open')
        .executeTakeFirst();
      return command?.state;
    })
    .toBe('verified');
  await page.goto(`${house.url}/home/devicedetails?device_id=${device.id}&tab=history`);
  const history = row(page, /verified/);
  await history.waitFor();
  expect(await history.textContent()).toMatch(/sent.*answered.*ended|sent.*acknowledged.*/i);
});

it('a text written without a connection is kept, sent after reconnecting, and refused if the alarm changed', async () => {
  const quiet = await makeDevice(house.db, { type: 4, number: 'E2E0000002', project_id: device.project_id });
  const place = { ...quiet, part_id: null };
  const [kept, changed] = [
    await makeAlarm(house.pool, place, { at: Date.now() - 60_000, code: 103 }),
    await makeAlarm(house.pool, place, { at: Date.now() - 60_000, code: 104 }),
  ];
  const stateOf = (id: number) =>
    house.db
      .selectFrom('alarms')
      .select(['handling_content', 'processed'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const page = await house.pageOf(operator);
  const write = async (id: number) => {
    await page.goto(`${house.url}/home/alarmList?alarm=${id}&full=true`);
    await page.locator('.incident-foot').getByRole('button', { name: 'Handle', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What was done').waitFor();
    await page.context().setOffline(true);
    await dialog.getByText('kept on this device').waitFor();
    await dialog.getByLabel('What was done').fill('Fuse replaced');
    await dialog.getByRole('button', { name: 'Keep and send later' }).click();
    await page.locator('.outbox').getByText('not sent yet').waitFor();
    expect(await stateOf(id)).toMatchObject({ processed: false });
  };
  await write(kept);
  await page.context().setOffline(false);
  await expect.poll(() => stateOf(kept)).toMatchObject({ handling_content: 'Fuse replaced' });
  await page.locator('.outbox').waitFor({ state: 'detached' });

  await write(changed);
  await asks(operator, '/device_warning/toPush', { id: changed });
  await page.context().setOffline(false);
  await page.locator('.outbox').getByText('has changed since the note was written').waitFor();
  expect(await stateOf(changed)).toMatchObject({ processed: false });
  // A refused text stays until its author has seen it, also after a reload.
  await page.reload();
  await page.locator('.outbox').getByRole('button', { name: 'Discard' }).click();
  await page.locator('.outbox').waitFor({ state: 'detached' });
  await page.context().close();
});

it('each role sees what it may: a user without a project sees nothing, a reader sees no buttons', async () => {
  const far = await house.pageOf(elsewhere);
  await far.goto(`${house.url}/home/alarmList`);
  await far.getByText('No alarms yet').waitFor();
  expect((await asks(elsewhere, '/device/get_device_detail', { device_id: device.id })).status).toBe(404);

  const page = await house.pageOf(looker);
  await page.goto(`${house.url}/home/alarmList`);
  await row(page, /Leakage/).waitFor();
  expect(await page.getByRole('button', { name: 'Handle', exact: true }).count()).toBe(0);
  expect(
    (
      await asks(looker, '/device_do/device_do', {
        device_id: device.id,
        line_id: device.lines[0]!.id,
        action: 'open',
      })
    ).status,
  ).toBe(403);
});

it('names the same alarm in the language of each reader', async () => {
  for (const [language, name] of [
    ['zh-CN', '剩余电流'],
    ['en-US', 'Leakage'],
    ['ru-RU', 'Превышение дифференциального тока'],
  ] as const) {
    const page = await house.pageOf(operator, { language });
    await page.goto(`${house.url}/home/alarmList`);
    await row(page, new RegExp(name)).waitFor();
    await page.context().close();
  }
});
