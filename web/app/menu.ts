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
import type { FetchFirst } from '#web/api/query.ts';
import type { Session } from '#web/api/session.ts';
import type { ProjectScreenPath } from '#web/parts/paths.ts';
import { withWords } from './feature.ts';
import { type ScreenAddress, screens } from './screens.ts';

/** Loads a screen with its words. `first`: what its file exports as `fetchFirst`. */
type LoadOf<Props> = (() => Promise<ComponentType<Props>>) & {
  first?: () => Promise<FetchFirst | undefined>;
};
type Load = LoadOf<object>;
const pages = import.meta.glob<Record<string, unknown>>([
  '../features/*/*Page.tsx',
  './pages/{DevicePage,LineListPage,ProjectAnalysis}.tsx',
]);
const screen = <Props = object>(address: ScreenAddress): LoadOf<Props> => {
  const { file, shows, words } = screens[address];
  const load = pages[file.startsWith('app/') ? `.${file.slice('app'.length)}` : `../${file}`]!;
  return Object.assign(
    withWords(words, async () => (await load())[shows] as ComponentType<Props>),
    { first: async () => (await load())['fetchFirst'] as FetchFirst | undefined },
  );
};

/** A child of /home. `inMenu`: which roles see it in the menu; every signed-in user may open its address. */
interface HomeScreen {
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
export const homeScreens: readonly HomeScreen[] = [
  {
    key: 'datascreen',
    icon: DashboardOutlined,
    inMenu: 'everyone',
    load: screen('datascreen'),
  },
  {
    key: 'alarmList',
    icon: AlertOutlined,
    inMenu: 'everyone',
    load: screen('alarmList'),
  },
  {
    key: 'projectlist',
    icon: ProjectOutlined,
    inMenu: 'everyone',
    load: screen('projectlist'),
  },
  {
    key: 'devicelist',
    icon: HddOutlined,
    inMenu: [1],
    load: screen('devicelist'),
  },
  {
    key: 'devicedetails',
    inMenu: 'nobody',
    load: screen('devicedetails'),
  },
  {
    key: 'linelist',
    inMenu: 'nobody',
    load: screen('linelist'),
  },
  {
    key: 'timingconfig',
    icon: ClockCircleOutlined,
    inMenu: 'everyone',
    load: screen('timingconfig'),
  },
  {
    key: 'system',
    inMenu: 'nobody',
    load: screen('system'),
  },
  {
    key: 'access',
    inMenu: 'nobody',
    load: screen('access'),
  },
  {
    key: 'whatif',
    inMenu: 'nobody',
    load: screen('whatif'),
  },
  {
    key: 'panelcodes',
    inMenu: 'nobody',
    load: screen('panelcodes'),
  },
  {
    key: 'search',
    icon: SearchOutlined,
    inMenu: 'everyone',
    load: screen('search'),
  },
  {
    key: 'maintenanceRecord',
    icon: ToolOutlined,
    inMenu: 'everyone',
    load: screen('maintenanceRecord'),
  },
  {
    key: 'news',
    icon: MessageOutlined,
    inMenu: 'everyone',
    load: screen('news'),
  },
  {
    key: 'information',
    inMenu: 'nobody',
    load: screen('information'),
  },
  {
    key: 'firststeps',
    inMenu: 'nobody',
    load: screen('firststeps'),
  },
  {
    key: 'feedback',
    inMenu: 'nobody',
    load: screen('feedback'),
  },
];

/** Arguments of a screen in the project view. */
export interface ProjectPlace {
  id: number;
  name: string;
}
type LoadOfProject = LoadOf<{ project: ProjectPlace }>;
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
    load: screen('configinfo/devicesurvey'),
  },
  {
    path: 'lines',
    permission: 'line.read',
    load: screen('configinfo/lines'),
  },
  { path: 'alarmstatistics', permission: 'statistics.alarm', load: screen('configinfo/alarmstatistics') },
  { path: 'alarmquality', permission: 'statistics.alarm', load: screen('configinfo/alarmquality') },
  {
    path: 'energydetail',
    group: 'supervision',
    permission: 'statistics.energy',
    load: screen('configinfo/energydetail'),
  },
  {
    path: 'policestatistics',
    group: 'supervision',
    permission: 'statistics.alarm',
    load: screen('configinfo/policestatistics'),
  },
  {
    path: 'epstatistics',
    group: 'energy',
    permission: 'statistics.electricity',
    load: screen('configinfo/epstatistics'),
  },
  {
    path: 'loadstatistics',
    group: 'energy',
    permission: 'statistics.electricity',
    load: screen('configinfo/loadstatistics'),
  },
  { path: 'maintenancerecord', permission: 'maintenance.read', load: screen('configinfo/maintenancerecord') },
  { path: 'earlywarning', permission: 'alarm.read', load: screen('configinfo/earlywarning') },
  {
    path: 'warningnotice',
    group: 'notices',
    permission: 'notice.read',
    load: screen('configinfo/warningnotice'),
  },
  {
    path: 'operationlog',
    group: 'notices',
    permission: 'operationLog.read',
    load: screen('configinfo/operationlog'),
  },
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
  { path: 'alarmstatisticsShezhi', letter: 'A', load: screen('configinfos/alarmstatisticsShezhi') },
  { path: 'alarmquality', letter: 'A', load: screen('configinfos/alarmquality') },
  { path: 'energydetail', letter: 'B', group: 'supervision', load: screen('configinfos/energydetail') },
  {
    path: 'policestatistics',
    letter: 'B',
    group: 'supervision',
    load: screen('configinfos/policestatistics'),
  },
  { path: 'epstatistics', letter: 'C', group: 'energy', load: screen('configinfos/epstatistics') },
  { path: 'loadstatistics', letter: 'C', group: 'energy', load: screen('configinfos/loadstatistics') },
  { path: 'earlywarning', letter: 'D', load: screen('configinfos/earlywarning') },
  {
    path: 'alarmtype',
    letter: 'E',
    group: 'alarms',
    load: screen('configinfos/alarmtype'),
  },
  { path: 'bouncednotice', letter: 'E', group: 'alarms', load: screen('configinfos/bouncednotice') },
  {
    path: 'contentmanage',
    letter: 'F',
    load: screen('configinfos/contentmanage'),
  },
  {
    path: 'permanage',
    letter: 'G',
    load: screen('configinfos/permanage'),
  },
  {
    path: 'rolemanage',
    letter: 'H',
    load: screen('configinfos/rolemanage'),
  },
  {
    path: 'USERManage',
    letter: 'I',
    load: screen('configinfos/USERManage'),
  },
  {
    path: 'devicemanage',
    letter: 'J',
    load: screen('configinfos/devicemanage'),
  },
  {
    path: 'dataUpgrade',
    letter: 'K',
    load: screen('configinfos/dataUpgrade'),
  },
  {
    path: 'databasemanage',
    letter: 'L',
    load: screen('configinfos/databasemanage'),
  },
  {
    path: 'FeedbackRecord',
    letter: 'M',
    load: screen('configinfos/FeedbackRecord'),
  },
  { path: 'operationlog', letter: 'N', load: screen('configinfos/operationlog') },
];

export const homePath = (key: HomeScreen['key']): string => `/home/${key}`;
export const settingsPath = (page: SettingsPage): string => `/home/configinfos/${page.path}`;

export const homeScreensFor = (role: number): readonly HomeScreen[] =>
  homeScreens.filter(
    ({ inMenu }) => inMenu === 'everyone' || (typeof inMenu !== 'string' && inMenu.includes(role)),
  );

const addresses = (): string[] => [
  ...homeScreens.map(({ key }) => homePath(key)),
  ...existingProjectScreens().map(projectScreenPath),
  ...existingSettings().map(settingsPath),
];
/** The address of the screen that opens here. The router opens it in any capitals and with a slash at its end. */
export const spelledAsListed = (pathname: string): string => {
  const asked = pathname.replace(/\/+$/, '').toLowerCase();
  return addresses().find((address) => address.toLowerCase() === asked) ?? pathname;
};

/**
 * Details of a device and its lines belong to the device list, or to the projects in a menu without that list; the
 * project view belongs to the projects.
 */
export const parentOf = (address: string, role: number): string => {
  const pathname = spelledAsListed(address);
  if (pathname === '/home/devicedetails' || pathname === '/home/linelist')
    return homePath(
      homeScreensFor(role).some(({ key }) => key === 'devicelist') ? 'devicelist' : 'projectlist',
    );
  return pathname.startsWith('/home/configinfo/') ? '/home/projectlist' : pathname;
};

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
