import { alarmTypes } from '../../features/alarm-types/words/ru-RU.ts';
import { alarms } from '../../features/alarms/words/ru-RU.ts';
import { control } from '../../features/control/words/ru-RU.ts';
import { dashboard } from '../../features/dashboard/words/ru-RU.ts';
import { deviceSettings } from '../../features/device-settings/words/ru-RU.ts';
import { devices } from '../../features/devices/words/ru-RU.ts';
import { door } from '../../features/door/words/ru-RU.ts';
import { lines } from '../../features/lines/words/ru-RU.ts';
import { messages } from '../../features/messages/words/ru-RU.ts';
import { notices } from '../../features/notices/words/ru-RU.ts';
import { oneKey } from '../../features/one-key/words/ru-RU.ts';
import { popups } from '../../features/popups/words/ru-RU.ts';
import { profile } from '../../features/profile/words/ru-RU.ts';
import { projects } from '../../features/projects/words/ru-RU.ts';
import { tags } from '../../features/tags/words/ru-RU.ts';
import { timers } from '../../features/timers/words/ru-RU.ts';
import { common } from '../../parts/words/ru-RU.ts';
import { shell } from '../shell/words/ru-RU.ts';

export const words = {
  common,
  shell,
  alarms,
  alarmTypes,
  dashboard,
  devices,
  door,
  lines,
  messages,
  notices,
  popups,
  profile,
  projects,
  timers,
  oneKey,
  tags,
  deviceSettings,
  control,
};
