import { alarmTypes } from '../../features/alarm-types/words/en-US.ts';
import { alarms } from '../../features/alarms/words/en-US.ts';
import { control } from '../../features/control/words/en-US.ts';
import { dashboard } from '../../features/dashboard/words/en-US.ts';
import { deviceSettings } from '../../features/device-settings/words/en-US.ts';
import { devices } from '../../features/devices/words/en-US.ts';
import { door } from '../../features/door/words/en-US.ts';
import { lines } from '../../features/lines/words/en-US.ts';
import { messages } from '../../features/messages/words/en-US.ts';
import { notices } from '../../features/notices/words/en-US.ts';
import { oneKey } from '../../features/one-key/words/en-US.ts';
import { popups } from '../../features/popups/words/en-US.ts';
import { profile } from '../../features/profile/words/en-US.ts';
import { projects } from '../../features/projects/words/en-US.ts';
import { tags } from '../../features/tags/words/en-US.ts';
import { timers } from '../../features/timers/words/en-US.ts';
import { common } from '../../parts/words/en-US.ts';
import { shell } from '../shell/words/en-US.ts';

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
