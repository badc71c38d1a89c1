import type { Page } from '@playwright/test';
import type { House } from './house.ts';
import { settled } from './move.ts';

/** Project screens and device tabs, which no menu of the console leads to. */
export const projectScreens = [
  ...[
    'devicesurvey',
    'lines',
    'alarmstatistics',
    'alarmquality',
    'energydetail',
    'policestatistics',
    'epstatistics',
  ],
  ...['loadstatistics', 'maintenancerecord', 'earlywarning', 'warningnotice', 'operationlog'],
] as const;
export const deviceTabs = [
  'lines',
  'info',
  'sim',
  'alarms',
  'readings',
  'parameters',
  'history',
  'timers',
] as const;

/** The addresses of the menus, and those behind rows, tabs and drawers, for a page of an administrator. */
export const everyScreen = async (
  { db, url }: House,
  page: Page,
  tabs: readonly string[],
): Promise<string[]> => {
  const [device, project, alarm] = await Promise.all([
    db.selectFrom('devices').select('id').where('type', '=', 4).orderBy('id').executeTakeFirstOrThrow(),
    db.selectFrom('projects').select('id').orderBy('id').executeTakeFirstOrThrow(),
    db
      .selectFrom('alarms')
      .select('id')
      .where('handled_at', 'is not', null)
      .where('line_id', 'is not', null)
      .orderBy('id')
      .executeTakeFirstOrThrow(),
  ]);
  await page.goto(`${url}/home/projectlist`);
  await settled(page);
  const closed = page.locator('nav [role="menuitem"][aria-haspopup][aria-expanded="false"]');
  while ((await closed.count()) > 0) await closed.first().click();
  const links = await page
    .locator('nav a[href^="/home/"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return [
    ...new Set(links),
    ...tabs.map((tab) => `/home/devicedetails?device_id=${device.id}&tab=${tab}`),
    `/home/linelist?device_id=${device.id}`,
    `/home/whatif?device_id=${device.id}&type=101&key=ov_w&value=250`,
    ...projectScreens.map((screen) => `/home/configinfo/${screen}?project_id=${project.id}`),
    `/home/alarmList?alarm=${alarm.id}`,
    `/home/alarmList?alarm=${alarm.id}&full=true`,
    '/home/alarmList?group=storm',
  ];
};
