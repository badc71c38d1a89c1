import 'i18next';
import type { access } from '../features/access/words/en-US.ts';
import type { alarmStatistics } from '../features/alarm-statistics/words/en-US.ts';
import type { alarmTypes } from '../features/alarm-types/words/en-US.ts';
import type { alarms } from '../features/alarms/words/en-US.ts';
import type { backups } from '../features/backups/words/en-US.ts';
import type { categories } from '../features/categories/words/en-US.ts';
import type { content } from '../features/content/words/en-US.ts';
import type { control } from '../features/control/words/en-US.ts';
import type { dashboard } from '../features/dashboard/words/en-US.ts';
import type { demo } from '../features/demo/words/en-US.ts';
import type { deviceJobs } from '../features/device-jobs/words/en-US.ts';
import type { deviceSettings } from '../features/device-settings/words/en-US.ts';
import type { devices } from '../features/devices/words/en-US.ts';
import type { feedback } from '../features/feedback/words/en-US.ts';
import type { firmware } from '../features/firmware/words/en-US.ts';
import type { keys } from '../features/keys/words/en-US.ts';
import type { lines } from '../features/lines/words/en-US.ts';
import type { maintenance } from '../features/maintenance/words/en-US.ts';
import type { notices } from '../features/notices/words/en-US.ts';
import type { oneKey } from '../features/one-key/words/en-US.ts';
import type { operationLog } from '../features/operation-log/words/en-US.ts';
import type { personnel } from '../features/personnel/words/en-US.ts';
import type { profile } from '../features/profile/words/en-US.ts';
import type { projects } from '../features/projects/words/en-US.ts';
import type { roles } from '../features/roles/words/en-US.ts';
import type { search } from '../features/search/words/en-US.ts';
import type { signIn } from '../features/sign-in/words/en-US.ts';
import type { statistics } from '../features/statistics/words/en-US.ts';
import type { system } from '../features/system/words/en-US.ts';
import type { tags } from '../features/tags/words/en-US.ts';
import type { timers } from '../features/timers/words/en-US.ts';
import type { trends } from '../features/trends/words/en-US.ts';
import type { users } from '../features/users/words/en-US.ts';
import type { words } from './words/en-US.ts';

interface FeatureWords {
  access: typeof access;
  alarmStatistics: typeof alarmStatistics;
  alarmTypes: typeof alarmTypes;
  alarms: typeof alarms;
  backups: typeof backups;
  categories: typeof categories;
  content: typeof content;
  control: typeof control;
  feedback: typeof feedback;
  dashboard: typeof dashboard;
  demo: typeof demo;
  deviceJobs: typeof deviceJobs;
  deviceSettings: typeof deviceSettings;
  devices: typeof devices;
  search: typeof search;
  firmware: typeof firmware;
  signIn: typeof signIn;
  keys: typeof keys;
  lines: typeof lines;
  maintenance: typeof maintenance;
  notices: typeof notices;
  oneKey: typeof oneKey;
  operationLog: typeof operationLog;
  personnel: typeof personnel;
  profile: typeof profile;
  projects: typeof projects;
  roles: typeof roles;
  statistics: typeof statistics;
  system: typeof system;
  tags: typeof tags;
  timers: typeof timers;
  trends: typeof trends;
  users: typeof users;
}
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    enableSelector: true;
    resources: typeof words & FeatureWords;
  }
}
