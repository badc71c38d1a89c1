import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAlarm } from '../alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { type House, openHouse } from './house.ts';
import { moveTo, settled } from './move.ts';
import { tooWide } from './too-wide.ts';

/** Names of 60 characters in three scripts, two of them without a space. */
const names = [
  '深圳湾科技生态园二期东区地下二层高低压配电室三号变压器出线柜备用馈线回路照明应急消防电梯动力总进线开关柜测试用超长名称示例',
  'Главный распределительный щит второй очереди корпуса №17 АБК',
  'Emergency_generator_switchboard_feeder_to_cold_store_No_0017',
] as const;
const lists = [
  '/home/projectlist?view=table',
  '/home/devicelist',
  '/home/alarmList?status=all',
  '/home/alarmList?status=all&group=device',
  '/home/timingconfig',
  '/home/maintenanceRecord',
  '/home/configinfos/permanage',
  '/home/configinfos/rolemanage',
  '/home/configinfos/USERManage',
  '/home/configinfos/devicemanage',
  '/home/configinfos/contentmanage',
  '/home/configinfos/bouncednotice',
];
/** Two lines of links, each as tall as a touch, and the room of a row. */
const twoLinesPx = 64;

let house: House;
beforeAll(async () => {
  house = await openHouse();
  for (const name of names) await fill(name);
});
afterAll(() => house?.stop());

/** A row with the name in every list. */
const fill = async (name: string) => {
  const { db, pool, admin } = house;
  const project = await makeProject(db, { name });
  const device = await makeDevice(db, { type: 4, project_id: project.id });
  await makeUser(db, { role: 3, nickname: name, projects: [project] });
  await makeAlarm(pool, { ...device, part_id: null }, { at: Date.now() - 60_000, code: 103 });
  const [place, line] = [project.id, device.lines[0]!.id];
  const statements: [string, ...(string | number)[]][] = [
    ['update devices set name = $1 where id = $2', name, device.id],
    ['update lines set name = $1 where device_id = $2', name, device.id],
    ["insert into roles (code, name, letters) values ($2, $1, 'A')", name, 900 + place],
    [
      "with person as (insert into persons (name, mobile, position, note, created_at) values ($1, '1380000' || (1000 + $2::integer), $1, $1, now()) returning id) insert into person_projects (person_id, project_id) select id, $2 from person",
      name,
      place,
    ],
    [
      'insert into categories (name, icon_id, description, created_at) values ($1, $2, $1, now())',
      name,
      randomUUID(),
    ],
    [
      "insert into contents (title, content, created_at, updated_at) values ($1, '<p>1</p>', now(), now())",
      name,
    ],
    [
      "insert into notices (owner_id, name, channel, language, project_ids, created_at, updated_at) values ($2, $1, 'app', 'en-US', array[$3::integer], now(), now())",
      name,
      admin,
      place,
    ],
    [
      "insert into timers (created_at, line_id, enabled, author_id, device_id, zone, run_by, type, time, action, days) values (now(), $1, true, $2, $3, 'Asia/Shanghai', 'server', 'weekly', '08:00', 'open', 31)",
      line,
      admin,
      device.id,
    ],
    [
      "insert into maintenance_records (project_id, maintenance_time, before_images, after_images, lines, alarms, author_id, created_at, result, suggestion, fault_content, device_number, device_name, address, handler_name, handler_phone, content, kind) values ($2, now(), '{}', '{}', '[]', '[]', $3, now(), $1, $1, $1, '', '', $1, 'admin', '13800000000', $1, 'inspection')",
      name,
      place,
      admin,
    ],
  ];
  for (const [statement, ...values] of statements) await pool.query(statement, values);
};

/** Rows with such a name; permissions of a role and the like are the product's own words. */
const tallRows = (page: Page): Promise<string[]> =>
  page
    .locator('.data-grid tbody tr, .queue-row')
    .evaluateAll(
      (rows, { names, most }) =>
        rows.flatMap((row) =>
          names.some((name) => row.textContent.includes(name)) && (row as HTMLElement).offsetHeight > most
            ? [`${(row as HTMLElement).offsetHeight} px: ${row.textContent.slice(0, 200)}`]
            : [],
        ),
      { names, most: twoLinesPx },
    );

it.each(['en-US', 'zh-CN', 'ru-RU'])(
  'names of 60 characters make no row of a list taller than two lines, and no page wider than its window, in %s',
  async (language) => {
    const page = await house.pageOf(house.admin, { language });
    await page.goto(`${house.url}/home/news`);
    await settled(page);
    const found: Record<string, string[]> = {};
    for (const list of lists) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await moveTo(page, list);
      await page.getByText(names[2], { exact: false }).first().waitFor();
      const wrong = [...(await tallRows(page)), ...(await tooWide(page))];
      await page.setViewportSize({ width: 390, height: 844 });
      await settled(page);
      wrong.push(...(await tooWide(page)));
      if (wrong.length > 0) found[list] = wrong;
    }
    expect(found).toEqual({});
    await page.context().close();
  },
);

it('a shortened name is shown whole by its title, and on a phone it is not shortened', async () => {
  const page = await house.pageOf(house.admin);
  await page.goto(`${house.url}/home/devicelist`);
  const cell = page.locator('.is-name > .grid-cell').filter({ hasText: names[0] }).first();
  await cell.hover();
  await expect.poll(() => cell.getAttribute('title')).toBe(names[0]);
  await page.goto(`${house.url}/home/alarmList?status=all`);
  const place = page.locator('.queue-project .short-text').filter({ hasText: names[0] }).first();
  await place.hover();
  await expect.poll(() => place.getAttribute('title')).toBe(names[0]);
  await page.setViewportSize({ width: 390, height: 844 });
  await moveTo(page, '/home/projectlist');
  const link = page.locator('.data-card').getByRole('link', { name: names[0] });
  await link.waitFor();
  expect(await link.evaluate((part) => part.scrollHeight - part.clientHeight)).toBeLessThanOrEqual(1);
  await page.context().close();
});
