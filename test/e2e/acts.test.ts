import type { Page } from '@playwright/test';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faults } from '#contract/faults/codes.ts';
import { openSession } from '#server/core/session.ts';
import { makeUser } from '../factories.ts';
import { patienceMs } from '../patience.ts';
import { type Person, people, screens, settings } from './acts.ts';
import { type House, openDemoHouse } from './house.ts';
import { moveTo, settled } from './move.ts';

let house: House;
let device: { id: number; project: number; part: number; region: number };
beforeAll(async () => {
  house = await openDemoHouse();
  // A device in a part with an alarm that everybody may see.
  const { rows } = await sql<{ id: number; project_id: number; part_id: number; region_id: number }>`
    select devices.id, devices.project_id, devices.part_id, projects.region_id
    from shown_alarms(now()) alarm join devices on devices.id = alarm.device_id
      join projects on projects.id = devices.project_id
    where devices.type in (3, 4) and devices.part_id is not null and not alarm.processed and alarm.line_id is not null
      and alarm.part_id = devices.part_id
    order by alarm.id limit 1`.execute(house.db);
  const [found] = rows;
  if (!found) throw new Error('no part has an unprocessed alarm');
  device = { id: found.id, project: found.project_id, part: found.part_id, region: found.region_id };
  const { id } = await makeUser(house.db, { role: 3, projects: [{ id: device.project }] });
  const { token } = await openSession(house.db, id, Date.now(), { address: '127.0.0.1', agent: 'test' });
  const add = async (path: string, body: object) => {
    const answer = await fetch(house.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', usertoken: token },
      body: JSON.stringify(body),
    });
    expect([path, answer.status]).toEqual([path, 200]);
  };
  await add('/maintenance/add_record', {
    ...{ project_id: device.project, device_id: device.id, maintenance_time: new Date().toISOString() },
    ...{ content: 'Terminals tightened', handler_name: '张小明', handler_phone: '13800000000' },
  });
  const { id: line_id } = await house.db
    .selectFrom('lines')
    .select('id')
    .where('device_id', '=', device.id)
    .where('n', '>', 0)
    .orderBy('n')
    .executeTakeFirstOrThrow();
  // Three days from now, when this product is long gone.
  const weekday = `w${((new Date().getUTCDay() + 2) % 7) + 1}`;
  await add('/device_timing/add_device_timing', {
    ...{ line_id, type: 'weekly', [weekday]: true, time: '12:00', action: 'open' },
  });
  await house.db
    .insertInto('feedback')
    .values({
      user_id: id,
      project_id: device.project,
      type: 'problem',
      content: 'A door is missing',
      at: new Date(),
    })
    .execute();
});
afterAll(() => house?.stop());

const pageOf = async ({ role, letters }: Person): Promise<Page> => {
  const { id } = await makeUser(house.db, {
    role,
    letters: role > 100 ? letters : '',
    ...(role === 2 ? { region_id: device.region } : {}),
    projects: role < 3 ? [] : [{ id: device.project, parts: role === 32 ? [device.part] : [] }],
  });
  return house.pageOf(id);
};

/** The names of the acts that the screen offers: see `acts.ts`. */
const offered = async (page: Page): Promise<string[]> => {
  const main = page.locator('main');
  const found = await main.evaluate((main, denied) => {
    // A switch button of a line that the reader may not switch stands there, disabled, with this reason.
    const isDenied = (each: HTMLElement) =>
      document.getElementById(each.getAttribute('aria-describedby') ?? '')?.textContent === denied;
    const shown = [...main.querySelectorAll<HTMLElement>('button, [role=button]')].filter(
      (each) => each.offsetParent !== null && each.getAttribute('role') !== 'switch' && !isDenied(each),
    );
    const has = (selector: string) => main.querySelector(selector) !== null;
    return [
      ...shown.map((each) => (each.getAttribute('aria-label') ?? each.textContent ?? '').trim()),
      ...(has('button[role=switch]:not(:disabled)') ? ['toggle'] : []),
      ...(has('tbody input[type=checkbox]') ? ['select'] : []),
    ];
  }, faults['permission.denied']['en-US']);
  const more = main.getByRole('button', { name: /^More actions for / }).first();
  if ((await more.count()) === 0) return found;
  await more.click();
  const menu = page.locator('.ant-dropdown:not(.ant-dropdown-hidden)');
  const items = menu.getByRole('menuitem');
  await items.first().waitFor();
  found.push(...(await items.allTextContents()).map((item) => `row: ${item}`));
  await page.keyboard.press('Escape');
  return found;
};

/** Acts of the table that are offered against it, and those that it expects in vain. */
const wrongOn = async (page: Page, acts: (typeof screens)[string], person: Person): Promise<string[]> => {
  const names = await offered(page);
  return Object.entries(acts).flatMap(([act, may]) => {
    const isThere = names.some((name) => name === act || new RegExp(`^${act} ?\\d|^${act} Line`).test(name));
    return isThere === may(person) ? [] : [`${act}: ${isThere ? 'must not be there' : 'missing'}`];
  });
};

test.each(people)('role $role with letters ($letters) finds its acts and no others', async (person) => {
  const page = await pageOf(person);
  const wrong: Record<string, string[]> = {};
  await page.goto(`${house.url}/home/search`);
  await settled(page);
  const places = [
    ...Object.entries(screens).map(([place, acts]): [string, typeof acts] => [
      place.replace('DEVICE', String(device.id)).replace('PROJECT', String(device.project)),
      acts,
    ]),
    ...Object.entries(settings)
      .filter(([, { letter }]) => person.letters.includes(letter))
      .map(([place, { acts }]): [string, typeof acts] => [`configinfos/${place}`, acts]),
  ];
  for (const [place, acts] of places) {
    await moveTo(page, `/home/${place}`);
    await settled(page);
    // Rows may come after the screen has settled.
    await expect
      .poll(() => wrongOn(page, acts, person), { timeout: patienceMs, interval: 100 })
      .toEqual([])
      .catch(async () => {
        wrong[place] = await wrongOn(page, acts, person);
      });
  }
  await page.context().close();
  expect(wrong).toEqual({});
});
