import { alarmTypes } from '../../features/alarm-types/words/zh-CN.ts';
import { alarms } from '../../features/alarms/words/zh-CN.ts';
import { control } from '../../features/control/words/zh-CN.ts';
import { dashboard } from '../../features/dashboard/words/zh-CN.ts';
import { deviceSettings } from '../../features/device-settings/words/zh-CN.ts';
import { devices } from '../../features/devices/words/zh-CN.ts';
import { door } from '../../features/door/words/zh-CN.ts';
import { lines } from '../../features/lines/words/zh-CN.ts';
import { messages } from '../../features/messages/words/zh-CN.ts';
import { notices } from '../../features/notices/words/zh-CN.ts';
import { oneKey } from '../../features/one-key/words/zh-CN.ts';
import { popups } from '../../features/popups/words/zh-CN.ts';
import { profile } from '../../features/profile/words/zh-CN.ts';
import { projects } from '../../features/projects/words/zh-CN.ts';
import { tags } from '../../features/tags/words/zh-CN.ts';
import { timers } from '../../features/timers/words/zh-CN.ts';
import { common } from '../../parts/words/zh-CN.ts';
import { shell } from '../shell/words/zh-CN.ts';

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
