/** Addresses of the console, as plain strings with optional search. */
const withSearch = (path: string, search: Record<string, string | number | undefined>): string => {
  const given = Object.entries(search).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

export type ProjectScreenPath =
  | 'devicesurvey'
  | 'lines'
  | 'alarmstatistics'
  | 'alarmquality'
  | 'energydetail'
  | 'policestatistics'
  | 'epstatistics'
  | 'loadstatistics'
  | 'maintenancerecord'
  | 'earlywarning'
  | 'warningnotice'
  | 'operationlog';
type Search = Record<string, string | number | undefined>;
export const paths = {
  door: '/',
  home: '/home',
  datascreen: '/home/datascreen',
  /** The overview with the sites by a figure. */
  sitesBy: (figure: 'load' | 'energy') => withSearch('/home/datascreen', { by: figure }),
  deviceList: (search: Search = {}) => withSearch('/home/devicelist', search),
  device: (deviceId: number, search: Search = {}) =>
    withSearch('/home/devicedetails', { device_id: deviceId, ...search }),
  /** A line among those of its device; without a line, all of them. */
  line: ({ device_id, line_id }: { device_id: number; line_id: number }) =>
    withSearch('/home/devicedetails', { device_id, tab: 'lines', line_id: line_id || undefined }),
  lineList: (deviceId: number) => withSearch('/home/linelist', { device_id: deviceId }),
  timers: (search: Search = {}) => withSearch('/home/timingconfig', search),
  alarmList: (search: Search = {}) => withSearch('/home/alarmList', search),
  alarm: (alarmId: number) => withSearch('/home/alarmList', { alarm: alarmId }),
  /** A screen of one project. */
  project: (screen: ProjectScreenPath, projectId?: number, search: Search = {}) =>
    withSearch(`/home/configinfo/${screen}`, { project_id: projectId, ...search }),
  /** The project view, at its first screen. */
  projectView: (projectId: number) => withSearch('/home/configinfo', { project_id: projectId }),
  search: (text: string) => withSearch('/home/search', { text }),
  /** A page of the system settings. */
  settings: (page: string) => `/home/configinfos/${page}`,
  users: (search: string) => withSearch('/home/configinfos/USERManage', { search }),
  personnel: (search: string) => withSearch('/home/configinfos/permanage', { search }),
  maintenance: (search: Search = {}) => withSearch('/home/maintenanceRecord', search),
  /** Who may do what on a device, and why. */
  access: (search: Search = {}) => withSearch('/home/access', search),
  /** The notification rules of the settings. */
  notices: (search: Search = {}) => withSearch('/home/configinfos/bouncednotice', search),
  /** QR codes of a device or a project, for printing. */
  panelCodes: (of: { device_id: number } | { project_id: number }) => withSearch('/home/panelcodes', of),
  /** A limit, deadband or delay tested on the last days. */
  whatIf: (search: Search = {}) => withSearch('/home/whatif', search),
  firstSteps: '/home/firststeps',
  projectList: (search: Search = {}) => withSearch('/home/projectlist', search),
};

const projectAdmin = 3;
/** The page after signing in. */
export const landingOf = (role: number): string =>
  role === projectAdmin ? paths.projectList() : paths.datascreen;
/** A path inside the console to which a sign-in may return; others are ignored. */
export const safeReturn = (next: string | null): string | null =>
  next !== null && (/^\/home\/[\w/]+(\?[^#]*)?$/.test(next) || /^\/p\/[\w-]+$/.test(next)) ? next : null;
