import {
  AlertOutlined,
  ApartmentOutlined,
  ClockCircleOutlined,
  DashboardOutlined,
  HddOutlined,
  MessageOutlined,
  ProjectOutlined,
} from '@ant-design/icons';
import type { ComponentType } from 'react';
import type { Letter } from '#contract/permissions.ts';
import type { Session } from '../api/session.ts';
import { withWords } from './feature.ts';

type Load = () => Promise<ComponentType>;
/** A child of /home. `inMenu`: which roles see it in the menu; anybody signed in may open its address. */
export interface HomeScreen {
  key:
    | 'datascreen'
    | 'projectlist'
    | 'devicelist'
    | 'alarmList'
    | 'devicedetails'
    | 'linelist'
    | 'timingconfig'
    | 'news'
    | 'configinfo/earlywarning'
    | 'configinfo/warningnotice';
  icon: ComponentType;
  inMenu: 'everyone' | 'nobody' | readonly number[];
  load: Load;
}
const alarmList: Load = withWords(
  ['alarms'],
  async () => (await import('../features/alarms/AlarmListPage.tsx')).AlarmListPage,
);
const noticeList: Load = withWords(
  ['notices'],
  async () => (await import('../features/notices/NoticeListPage.tsx')).NoticeListPage,
);
export const homeScreens: readonly HomeScreen[] = [
  {
    key: 'datascreen',
    icon: DashboardOutlined,
    inMenu: 'everyone',
    load: withWords(
      ['dashboard'],
      async () => (await import('../features/dashboard/DatascreenPage.tsx')).DatascreenPage,
    ),
  },
  {
    key: 'alarmList',
    icon: AlertOutlined,
    inMenu: 'everyone',
    load: alarmList,
  },
  {
    key: 'projectlist',
    icon: ProjectOutlined,
    inMenu: 'everyone',
    load: withWords(
      ['projects'],
      async () => (await import('../features/projects/ProjectListPage.tsx')).ProjectListPage,
    ),
  },
  {
    key: 'devicelist',
    icon: HddOutlined,
    inMenu: [1],
    load: withWords(
      ['devices'],
      async () => (await import('../features/devices/DeviceListPage.tsx')).DeviceListPage,
    ),
  },
  {
    key: 'devicedetails',
    icon: HddOutlined,
    inMenu: 'nobody',
    load: withWords(
      ['devices', 'lines', 'one-key', 'tags'],
      async () => (await import('./pages/DevicePage.tsx')).DevicePage,
    ),
  },
  {
    key: 'linelist',
    icon: ApartmentOutlined,
    inMenu: 'nobody',
    load: withWords(
      ['lines', 'one-key', 'tags'],
      async () => (await import('./pages/LineListPage.tsx')).LineListPage,
    ),
  },
  {
    key: 'timingconfig',
    icon: ClockCircleOutlined,
    inMenu: 'everyone',
    load: withWords(['timers'], async () => (await import('../features/timers/TimersPage.tsx')).TimersPage),
  },
  {
    key: 'news',
    icon: MessageOutlined,
    inMenu: 'everyone',
    load: withWords(['messages'], async () => (await import('../features/messages/NewsPage.tsx')).NewsPage),
  },
  {
    key: 'configinfo/earlywarning',
    icon: AlertOutlined,
    inMenu: 'nobody',
    load: withWords(['alarms'], async () => (await import('./pages/ProjectAlarms.tsx')).ProjectAlarms),
  },
  {
    key: 'configinfo/warningnotice',
    icon: MessageOutlined,
    inMenu: 'nobody',
    load: withWords(['notices'], async () => (await import('./pages/ProjectNotices.tsx')).ProjectNotices),
  },
];

/** A page below /home/configinfos, shown by its letter. A page without `load` does not exist yet: no menu item, no route. */
export interface SettingsPage {
  path: string;
  letter: Letter;
  icon?: ComponentType;
  load?: Load;
}
export const settingsPages: readonly SettingsPage[] = [
  { path: 'alarmstatisticsShezhi', letter: 'A' },
  { path: 'energydetail', letter: 'B' },
  { path: 'policestatistics', letter: 'B' },
  { path: 'epstatistics', letter: 'C' },
  { path: 'loadstatistics', letter: 'C' },
  { path: 'earlywarning', letter: 'D', load: alarmList },
  {
    path: 'alarmtype',
    letter: 'E',
    load: withWords(
      ['alarm-types'],
      async () => (await import('../features/alarm-types/AlarmTypesPage.tsx')).AlarmTypesPage,
    ),
  },
  { path: 'bouncednotice', letter: 'E', load: noticeList },
  { path: 'contentmanage', letter: 'F' },
  { path: 'permanage', letter: 'G' },
  { path: 'rolemanage', letter: 'H' },
  { path: 'USERManage', letter: 'I' },
  { path: 'devicemanage', letter: 'J' },
  { path: 'dataUpgrade', letter: 'K' },
  { path: 'databasemanage', letter: 'L' },
  { path: 'FeedbackRecord', letter: 'M' },
  { path: 'operationlog', letter: 'N' },
];

export const homePath = (key: HomeScreen['key']): string => `/home/${key}`;
export const settingsPath = (page: SettingsPage): string => `/home/configinfos/${page.path}`;

export const homeScreensFor = (role: number): readonly HomeScreen[] =>
  homeScreens.filter(
    ({ inMenu }) => inMenu === 'everyone' || (typeof inMenu !== 'string' && inMenu.includes(role)),
  );

type Existing = SettingsPage & { load: Load };
export const existingSettings = (pages: readonly SettingsPage[] = settingsPages): readonly Existing[] =>
  pages.filter((page): page is Existing => page.load !== undefined);
export const settingsFor = (
  session: Pick<Session, 'letters'>,
  pages: readonly SettingsPage[] = settingsPages,
): readonly Existing[] => existingSettings(pages).filter(({ letter }) => session.letters.includes(letter));

/** Where an address below /home/configinfos leads: to itself when permitted, else to the first permitted page. */
export const settingsTarget = (
  asked: string,
  session: Pick<Session, 'letters'>,
  pages: readonly SettingsPage[] = settingsPages,
): string => {
  const permitted = settingsFor(session, pages);
  const target = permitted.find(({ path }) => path === asked) ?? permitted[0];
  return target ? settingsPath(target) : homePath('datascreen');
};
