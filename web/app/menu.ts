import {
  AlertOutlined,
  ClockCircleOutlined,
  DashboardOutlined,
  HddOutlined,
  MessageOutlined,
  ProjectOutlined,
  SearchOutlined,
  ToolOutlined,
} from '@ant-design/icons';
import type { ComponentType } from 'react';
import type { Letter, Permission } from '#contract/permissions.ts';
import type { Session } from '#web/api/session.ts';
import type { ProjectScreenPath } from '#web/parts/paths.ts';
import { withWords } from './feature.ts';

type Load = () => Promise<ComponentType>;
/** A child of /home. `inMenu`: which roles see it in the menu; every signed-in user may open its address. */
export interface HomeScreen {
  key:
    | 'datascreen'
    | 'projectlist'
    | 'devicelist'
    | 'alarmList'
    | 'devicedetails'
    | 'linelist'
    | 'timingconfig'
    | 'access'
    | 'search'
    | 'panelcodes'
    | 'whatif'
    | 'system'
    | 'maintenanceRecord'
    | 'news'
    | 'information'
    | 'firststeps'
    | 'feedback';
  /** Only screens in the menu have an icon. */
  icon?: ComponentType;
  inMenu: 'everyone' | 'nobody' | readonly number[];
  load: Load;
}
const alarmList = withWords(
  ['alarms'],
  async () => (await import('#web/features/alarms/AlarmListPage.tsx')).AlarmListPage,
);
const earlyWarning = withWords(
  ['alarms'],
  async () => (await import('#web/features/alarms/AlarmListPage.tsx')).EarlyWarningPage,
);
const noticeList = withWords(
  ['notices'],
  async () => (await import('#web/features/notices/NoticeListPage.tsx')).NoticeListPage,
);
const energy = withWords(
  ['statistics'],
  async () => (await import('#web/features/statistics/EnergyPage.tsx')).EnergyPage,
);
const electricity = withWords(
  ['statistics'],
  async () => (await import('#web/features/statistics/ElectricityPage.tsx')).ElectricityPage,
);
const load = withWords(
  ['statistics'],
  async () => (await import('#web/features/statistics/LoadPage.tsx')).LoadPage,
);
const operationLog = withWords(
  ['operation-log'],
  async () => (await import('#web/features/operation-log/OperationLogPage.tsx')).OperationLogPage,
);
const alarmStatistics = withWords(
  ['alarm-statistics'],
  async () => (await import('#web/features/alarm-statistics/AlarmStatisticsPage.tsx')).AlarmStatisticsPage,
);
const alarmAnalysis = withWords(
  ['alarm-statistics'],
  async () => (await import('#web/features/alarm-statistics/AlarmStatisticsPage.tsx')).AlarmAnalysisPage,
);
const alarmQuality = withWords(
  ['alarm-statistics'],
  async () => (await import('#web/features/alarm-statistics/AlarmQualityPage.tsx')).AlarmQualityPage,
);
const maintenance = withWords(
  ['maintenance'],
  async () => (await import('#web/features/maintenance/MaintenancePage.tsx')).MaintenancePage,
);
const projectAnalysis = withWords(
  ['alarm-statistics', 'trends'],
  async () => (await import('./pages/ProjectAnalysis.tsx')).ProjectAnalysis,
);
export const homeScreens: readonly HomeScreen[] = [
  {
    key: 'datascreen',
    icon: DashboardOutlined,
    inMenu: 'everyone',
    load: withWords(
      ['dashboard'],
      async () => (await import('#web/features/dashboard/DatascreenPage.tsx')).DatascreenPage,
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
      async () => (await import('#web/features/projects/ProjectListPage.tsx')).ProjectListPage,
    ),
  },
  {
    key: 'devicelist',
    icon: HddOutlined,
    inMenu: [1],
    load: withWords(
      ['devices'],
      async () => (await import('#web/features/devices/DeviceListPage.tsx')).DeviceListPage,
    ),
  },
  {
    key: 'devicedetails',
    inMenu: 'nobody',
    load: withWords(
      ['access', 'devices', 'lines', 'one-key', 'tags'],
      async () => (await import('./pages/DevicePage.tsx')).DevicePage,
    ),
  },
  {
    key: 'linelist',
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
    load: withWords(['timers'], async () => (await import('#web/features/timers/TimersPage.tsx')).TimersPage),
  },
  {
    key: 'system',
    inMenu: 'nobody',
    load: withWords(['system'], async () => (await import('#web/features/system/SystemPage.tsx')).SystemPage),
  },
  {
    key: 'access',
    inMenu: 'nobody',
    load: withWords(['access'], async () => (await import('#web/features/access/AccessPage.tsx')).AccessPage),
  },
  {
    key: 'whatif',
    inMenu: 'nobody',
    load: withWords(
      ['what-if'],
      async () => (await import('#web/features/what-if/WhatIfPage.tsx')).WhatIfPage,
    ),
  },
  {
    key: 'panelcodes',
    inMenu: 'nobody',
    load: withWords(
      ['devices'],
      async () => (await import('#web/features/devices/PanelCodesPage.tsx')).PanelCodesPage,
    ),
  },
  {
    key: 'search',
    icon: SearchOutlined,
    inMenu: 'everyone',
    load: withWords(['search'], async () => (await import('#web/features/search/SearchPage.tsx')).SearchPage),
  },
  {
    key: 'maintenanceRecord',
    icon: ToolOutlined,
    inMenu: 'everyone',
    load: maintenance,
  },
  {
    key: 'news',
    icon: MessageOutlined,
    inMenu: 'everyone',
    load: async () => (await import('#web/features/messages/NewsPage.tsx')).NewsPage,
  },
  {
    key: 'information',
    inMenu: 'nobody',
    load: withWords(
      ['content'],
      async () => (await import('#web/features/content/InformationPage.tsx')).InformationPage,
    ),
  },
  {
    key: 'firststeps',
    inMenu: 'nobody',
    load: withWords(
      ['first-steps'],
      async () => (await import('#web/features/first-steps/FirstStepsPage.tsx')).FirstStepsPage,
    ),
  },
  {
    key: 'feedback',
    inMenu: 'nobody',
    load: withWords(
      ['feedback'],
      async () => (await import('#web/features/feedback/FeedbackPage.tsx')).FeedbackPage,
    ),
  },
];

/** Arguments of a screen in the project view. */
export interface ProjectPlace {
  id: number;
  name: string;
}
type LoadOfProject = () => Promise<ComponentType<{ project: ProjectPlace }>>;
/** A child of /home/configinfo, for one project. A screen without `load` does not exist yet: no menu item, no route. */
export interface ProjectScreen {
  path: ProjectScreenPath;
  group?: 'supervision' | 'energy' | 'notices';
  permission: Permission;
  load?: LoadOfProject;
}
/** In the order of the project view's menu; screens of one group are consecutive. */
export const projectScreens: readonly ProjectScreen[] = [
  {
    path: 'devicesurvey',
    permission: 'line.read',
    load: withWords(['projects'], async () => (await import('#web/features/projects/SitePage.tsx')).SitePage),
  },
  {
    path: 'lines',
    permission: 'line.read',
    load: withWords(
      ['lines'],
      async () => (await import('#web/features/lines/LineTablePage.tsx')).LineTablePage,
    ),
  },
  { path: 'alarmstatistics', permission: 'statistics.alarm', load: alarmStatistics },
  { path: 'alarmquality', permission: 'statistics.alarm', load: alarmQuality },
  { path: 'energydetail', group: 'supervision', permission: 'statistics.energy', load: energy },
  { path: 'policestatistics', group: 'supervision', permission: 'statistics.alarm', load: projectAnalysis },
  { path: 'epstatistics', group: 'energy', permission: 'statistics.electricity', load: electricity },
  { path: 'loadstatistics', group: 'energy', permission: 'statistics.electricity', load },
  { path: 'maintenancerecord', permission: 'maintenance.read', load: maintenance },
  { path: 'earlywarning', permission: 'alarm.read', load: earlyWarning },
  { path: 'warningnotice', group: 'notices', permission: 'notice.read', load: noticeList },
  { path: 'operationlog', group: 'notices', permission: 'operationLog.read', load: operationLog },
];
type ExistingOfProject = ProjectScreen & { load: LoadOfProject };
export const existingProjectScreens = (
  screens: readonly ProjectScreen[] = projectScreens,
): readonly ExistingOfProject[] =>
  screens.filter((screen): screen is ExistingOfProject => screen.load !== undefined);
export const projectScreensFor = (
  { permissions }: Pick<Session, 'permissions'>,
  screens: readonly ProjectScreen[] = projectScreens,
): readonly ExistingOfProject[] =>
  existingProjectScreens(screens).filter(({ permission }) => permissions.includes(permission));
export const projectScreenPath = ({ path }: Pick<ProjectScreen, 'path'>): string =>
  `/home/configinfo/${path}`;
/** Target of /home/configinfo: the alarm statistics, else the first screen that the session may see. */
export const projectTarget = (
  session: Pick<Session, 'permissions'>,
  screens: readonly ProjectScreen[] = projectScreens,
): string => {
  const permitted = projectScreensFor(session, screens);
  const target = permitted.find(({ path }) => path === 'alarmstatistics') ?? permitted[0];
  return target ? projectScreenPath(target) : homePath('projectlist');
};

/** A page below /home/configinfos, shown by its letter. A page without `load` does not exist yet: no menu item, no route. */
export interface SettingsPage {
  path: string;
  letter: Letter;
  /** The menu lists pages of one group together under its name. */
  group?: 'supervision' | 'energy' | 'alarms';
  icon?: ComponentType;
  load?: Load;
}
export const settingsPages: readonly SettingsPage[] = [
  { path: 'alarmstatisticsShezhi', letter: 'A', load: alarmStatistics },
  { path: 'alarmquality', letter: 'A', load: alarmQuality },
  { path: 'energydetail', letter: 'B', group: 'supervision', load: energy },
  { path: 'policestatistics', letter: 'B', group: 'supervision', load: alarmAnalysis },
  { path: 'epstatistics', letter: 'C', group: 'energy', load: electricity },
  { path: 'loadstatistics', letter: 'C', group: 'energy', load },
  { path: 'earlywarning', letter: 'D', load: earlyWarning },
  {
    path: 'alarmtype',
    letter: 'E',
    group: 'alarms',
    load: withWords(
      ['alarm-types'],
      async () => (await import('#web/features/alarm-types/AlarmTypesPage.tsx')).AlarmTypesPage,
    ),
  },
  { path: 'bouncednotice', letter: 'E', group: 'alarms', load: noticeList },
  {
    path: 'contentmanage',
    letter: 'F',
    load: withWords(
      ['content'],
      async () => (await import('#web/features/content/ContentPage.tsx')).ContentPage,
    ),
  },
  {
    path: 'permanage',
    letter: 'G',
    load: withWords(
      ['personnel'],
      async () => (await import('#web/features/personnel/PersonListPage.tsx')).PersonListPage,
    ),
  },
  {
    path: 'rolemanage',
    letter: 'H',
    load: withWords(
      ['roles'],
      async () => (await import('#web/features/roles/RoleListPage.tsx')).RoleListPage,
    ),
  },
  {
    path: 'USERManage',
    letter: 'I',
    load: withWords(
      ['users'],
      async () => (await import('#web/features/users/UserListPage.tsx')).UserListPage,
    ),
  },
  {
    path: 'devicemanage',
    letter: 'J',
    load: withWords(
      ['categories'],
      async () => (await import('#web/features/categories/CategoriesPage.tsx')).CategoriesPage,
    ),
  },
  {
    path: 'dataUpgrade',
    letter: 'K',
    load: withWords(
      ['firmware'],
      async () => (await import('#web/features/firmware/FirmwarePage.tsx')).FirmwarePage,
    ),
  },
  {
    path: 'databasemanage',
    letter: 'L',
    load: withWords(
      ['backups'],
      async () => (await import('#web/features/backups/DatabasePage.tsx')).DatabasePage,
    ),
  },
  {
    path: 'FeedbackRecord',
    letter: 'M',
    load: withWords(
      ['feedback'],
      async () => (await import('#web/features/feedback/FeedbackRecordPage.tsx')).FeedbackRecordPage,
    ),
  },
  { path: 'operationlog', letter: 'N', load: operationLog },
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

/** Target of an address below /home/configinfos: itself if permitted, else the first permitted page. */
export const settingsTarget = (
  asked: string,
  session: Pick<Session, 'letters'>,
  pages: readonly SettingsPage[] = settingsPages,
): string => {
  const permitted = settingsFor(session, pages);
  const target = permitted.find(({ path }) => path === asked) ?? permitted[0];
  return target ? settingsPath(target) : homePath('datascreen');
};
