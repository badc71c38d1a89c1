import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Language, languages } from '#contract/languages.ts';
import { makeUser } from '../factories.ts';
import { violationsOf } from './axe.ts';
import { type House, openDemoHouse } from './house.ts';
import { moveTo } from './move.ts';
import { rawKeys } from './raw-keys.ts';
import { projectScreens } from './screens.ts';

/** TOUR=full visits every page in every role and language, and examines each with axe. */
const isFull = process.env['TOUR'] === 'full';
/** Section 2 of the specification. */
const settings = {
  ...{ alarmstatisticsShezhi: 'A', alarmquality: 'A', energydetail: 'B', policestatistics: 'B' },
  ...{ epstatistics: 'C', loadstatistics: 'C', earlywarning: 'D', alarmtype: 'E', bouncednotice: 'E' },
  ...{ contentmanage: 'F', permanage: 'G', rolemanage: 'H', USERManage: 'I', devicemanage: 'J' },
  ...{ dataUpgrade: 'K', databasemanage: 'L', FeedbackRecord: 'M', operationlog: 'N' },
} as const;
type SettingsPath = keyof typeof settings;
const settingsPaths = Object.keys(settings) as SettingsPath[];
const inMenu = [
  'datascreen',
  'alarmList',
  'projectlist',
  'timingconfig',
  'search',
  'maintenanceRecord',
  'news',
];
/** Screens that a button or the palette leads to. */
const outsideMenus = ['access', 'system', 'information', 'firststeps', 'feedback'];
const field = 'ABCDN';
interface Role {
  role: number;
  letters: string;
  language: Language;
}
const roles: readonly Role[] = [
  { role: 1, letters: 'ABCDEFGHIJKLMN', language: 'zh-CN' },
  { role: 2, letters: field, language: 'ru-RU' },
  { role: 3, letters: field, language: 'en-US' },
  { role: 32, letters: field, language: 'ru-RU' },
  { role: 150, letters: 'CEHM', language: 'zh-CN' },
  { role: 156, letters: '', language: 'en-US' },
];
const visits = isFull ? roles.flatMap((role) => languages.map((language) => ({ ...role, language }))) : roles;
const scripts = { 'zh-CN': /\p{Script=Han}/u, 'ru-RU': /\p{Script=Cyrillic}/u, 'en-US': /[A-Za-z]/ };

let house: House;
let project: number;
let device: number;
let part: number;
beforeAll(async () => {
  house = await openDemoHouse();
  const found = await house.db
    .selectFrom('devices')
    .select(['id', 'project_id', 'part_id'])
    .where('type', '=', 4)
    .where('project_id', 'is not', null)
    .where('part_id', 'is not', null)
    .orderBy('id')
    .executeTakeFirstOrThrow();
  device = found.id;
  project = found.project_id!;
  part = found.part_id!;
});
afterAll(() => house?.stop());

const userOf = async ({ role, letters }: Role): Promise<number> => {
  const { region_id } = await house.db
    .selectFrom('projects')
    .select('region_id')
    .where('id', '=', project)
    .executeTakeFirstOrThrow();
  return (
    await makeUser(house.db, {
      role,
      letters: role > 100 ? letters : '',
      ...(role === 2 ? { region_id } : {}),
      projects: role === 1 || role === 2 ? [] : [{ id: project, parts: role === 32 ? [part] : [] }],
    })
  ).id;
};

const wrongOn = async (page: Page, complaints: string[]): Promise<string[]> => {
  const keys = await rawKeys(page);
  const found = isFull ? await violationsOf(page) : [];
  return [
    ...complaints.splice(0),
    ...keys.map((key) => `raw key ${key}`),
    ...found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id }) => `axe: ${id}`),
  ];
};

test.each(visits)('role $role in $language reaches its own pages and no other', async (visit) => {
  const { letters, language, role } = visit;
  const page = await house.pageOf(await userOf(visit), { language });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  // A page may catch what its content security policy refuses, so each violation is printed to the console.
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`${violatedDirective} refused ${blockedURI}`);
    });
  });
  const permitted = settingsPaths.filter((path) => letters.includes(settings[path]));
  const settingsOf = (path: SettingsPath) =>
    permitted.length === 0
      ? '/home/datascreen'
      : `/home/configinfos/${permitted.includes(path) ? path : permitted[0]}`;
  const projectView = '/home/configinfo';
  const home = [...inMenu, ...(role === 1 ? ['devicelist'] : [])];
  // axe.test.ts visits the screens of role 1, which are all of the menu, in each language.
  const isVisitedThere = role === 1 && !isFull;
  const screens: [to: string, expected: string][] = [
    ...home.map((path): [string, string] => [`/home/${path}`, `/home/${path}`]),
    [`/home/linelist?device_id=${device}`, '/home/linelist'],
    ...settingsPaths.map((path): [string, string] => [`/home/configinfos/${path}`, settingsOf(path)]),
  ];
  const routes: [to: string, expected: string][] = [
    [`/home/devicedetails?device_id=${device}`, '/home/devicedetails'],
    ['/home/configinfos', settingsOf('alarmstatisticsShezhi')],
    ...outsideMenus.map((path): [string, string] => [`/home/${path}`, `/home/${path}`]),
    [`/home/panelcodes?project_id=${project}`, '/home/panelcodes'],
    [`/home/whatif?device_id=${device}&type=101&key=ov_w&value=250`, '/home/whatif'],
    ...(isVisitedThere ? [] : screens),
  ];
  await page.goto(`${house.url}/home`);
  await page.waitForURL(/\/home\/datascreen/);
  await page.locator('h1').first().waitFor();

  const closed = page.locator('nav [role="menuitem"][aria-haspopup][aria-expanded="false"]');
  while ((await closed.count()) > 0) await closed.first().click();
  const links = await page
    .locator('nav a[href^="/home/"]')
    .evaluateAll((all) => all.map((link) => [link.getAttribute('href') ?? '', link.textContent ?? '']));
  expect(links.map(([href]) => href).toSorted()).toEqual(
    [
      ...home.map((path) => `/home/${path}`),
      ...permitted.map((path) => `/home/configinfos/${path}`),
    ].toSorted(),
  );
  for (const [href, label] of links) expect(label, href).toMatch(scripts[language]);

  const wrong: Record<string, string[]> = {};
  const note = async (to: string) => {
    const found = await wrongOn(page, complaints);
    if (found.length > 0) wrong[to] = found;
  };
  for (const [to, expected] of routes) {
    await moveTo(page, to, expected);
    await note(to);
  }
  const first = /[AB]/.test(letters) ? 'alarmstatistics' : 'devicesurvey';
  await moveTo(page, `${projectView}?project_id=${project}`, `${projectView}/${first}`);
  await note(projectView);
  for (const screen of isVisitedThere ? [] : projectScreens) {
    const to = `${projectView}/${screen}`;
    await moveTo(page, `${to}?project_id=${project}`, to);
    await note(to);
  }
  await page.context().close();
  expect(wrong).toEqual({});
});
