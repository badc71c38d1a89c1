import { expect, test } from 'vitest';
import { letters, lettersOf, permissionsOf } from '#contract/permissions.ts';
import {
  existingSettings,
  homeScreens,
  homeScreensFor,
  type ProjectScreen,
  parentOf,
  projectScreens,
  projectScreensFor,
  projectTarget,
  type SettingsPage,
  settingsFor,
  settingsPages,
  settingsTarget,
  spelledAsListed,
} from './menu.ts';
import { parseSearch, stringifySearch } from './search.ts';
import { shell as english } from './shell/words/en-US.ts';
import { shell as russian } from './shell/words/ru-RU.ts';
import { shell as chinese } from './shell/words/zh-CN.ts';

const load = async () => () => null;
const allPages: SettingsPage[] = settingsPages.map((page) => ({ ...page, load }));
const who = (role: number, auth = '') => ({ letters: [...lettersOf(role, auth)] });
const seen = (role: number, auth = '') => settingsFor(who(role, auth), allPages).map(({ letter }) => letter);

test('an administrator sees every settings page', () => {
  expect(new Set(seen(1))).toEqual(new Set(letters));
});

test.each([2, 3, 32])('role %i sees no page of the letters E to M', (role) => {
  expect(seen(role).filter((letter) => letter >= 'E' && letter <= 'M')).toEqual([]);
});

test('any other role sees the pages of its letters', () => {
  expect(seen(7, 'AHN')).toEqual(['A', 'A', 'H', 'N']);
});

test('an address whose letter is not permitted leads to the first permitted page', () => {
  expect(settingsTarget('rolemanage', who(7, 'DN'), allPages)).toBe('/home/configinfos/earlywarning');
  expect(settingsTarget('operationlog', who(7, 'DN'), allPages)).toBe('/home/configinfos/operationlog');
});

test('a user without any settings page is led to the overview', () => {
  expect(settingsTarget('rolemanage', who(7, ''), allPages)).toBe('/home/datascreen');
});

test('a page that does not exist yet is neither shown nor linked', () => {
  const pages = allPages.map(({ load: _load, ...page }) => page);
  expect(settingsFor(who(1), pages)).toEqual([]);
  expect(settingsTarget('rolemanage', who(1), pages)).toBe('/home/datascreen');
});

test('only role 1 has the device list in the menu', () => {
  expect(homeScreensFor(1).map(({ key }) => key)).toContain('devicelist');
  expect(homeScreensFor(3).map(({ key }) => key)).not.toContain('devicelist');
});

test('a device number keeps every digit in the address', () => {
  const search = { number: '00860100000001', iccid: '89860012345678901234', empty: '' };
  expect(parseSearch(stringifySearch(search))).toEqual({ number: search.number, iccid: search.iccid });
});

const projectPages: ProjectScreen[] = projectScreens.map((screen) => ({ ...screen, load }));
const mayIn = (role: number, auth = '') => ({ permissions: [...permissionsOf(role, auth)] });

test('the project view begins with the alarm statistics, or with the first page that the session may see', () => {
  expect(projectTarget(mayIn(3), projectPages)).toBe('/home/configinfo/alarmstatistics');
  expect(projectTarget(mayIn(7, ''), projectPages)).toBe('/home/configinfo/devicesurvey');
  expect(projectTarget({ permissions: [] }, projectPages)).toBe('/home/projectlist');
});

test('the project view shows a role only the screens of its permissions', () => {
  const shown = projectScreensFor(mayIn(7, 'C'), projectPages).map(({ path }) => path);
  expect(shown).toEqual([
    'devicesurvey',
    'lines',
    'epstatistics',
    'loadstatistics',
    'maintenancerecord',
    'earlywarning',
  ]);
  expect(projectScreensFor(mayIn(3), projectPages)).toHaveLength(12);
});

test.each([
  [1, '/home/devicelist'],
  [3, '/home/projectlist'],
])('the menu of role %i marks %s for a device', (role, marked) => {
  expect(parentOf('/home/devicedetails', role)).toBe(marked);
  expect(parentOf('/home/linelist', role)).toBe(marked);
  expect(parentOf('/home/LineList', role)).toBe(marked);
  expect(parentOf('/home/alarmlist', role)).toBe('/home/alarmList');
});

test.each([chinese, english, russian])(
  'no two items of the menu have the same words ($menuWord)',
  (words) => {
    const named: Record<string, unknown> = { ...words.menu, ...words.settings };
    const names = [
      ...homeScreens.filter(({ inMenu }) => inMenu !== 'nobody').map(({ key }) => named[key]),
      ...existingSettings().map(({ path }) => named[path]),
    ];
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  },
);

test.each([
  ['/home/alarmlist', '/home/alarmList'],
  ['/Home/AlarmList/', '/home/alarmList'],
  ['/home/configinfo/DeviceSurvey', '/home/configinfo/devicesurvey'],
  ['/home/configinfos/usermanage', '/home/configinfos/USERManage'],
  ['/home/nothing', '/home/nothing'],
])('the menu knows the screen that opens at %s as %s', (asked, listed) => {
  expect(spelledAsListed(asked)).toBe(listed);
});
