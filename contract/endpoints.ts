import { alarmTypeEndpoints } from './alarm-types.ts';
import { alarmEndpoints } from './alarms.ts';
import { controlEndpoints } from './control.ts';
import { dashboardEndpoints } from './dashboard.ts';
import { deviceEndpoints } from './devices.ts';
import type { Endpoint } from './endpoint.ts';
import { lineEndpoints } from './lines.ts';
import { liveEndpoints } from './live.ts';
import { messageEndpoints } from './messages.ts';
import { noticeEndpoints } from './notices.ts';
import { projectEndpoints } from './projects.ts';
import { pushEndpoints } from './push.ts';
import { aliasEndpoints, sessionEndpoints } from './session.ts';

/** Every endpoint of the contract, by feature. A new feature is added here; a test holds that each is bound exactly once. */
export const features = {
  session: sessionEndpoints,
  alias: aliasEndpoints,
  live: liveEndpoints,
  devices: deviceEndpoints,
  lines: lineEndpoints,
  control: controlEndpoints,
  dashboard: dashboardEndpoints,
  projects: projectEndpoints,
  alarms: alarmEndpoints,
  alarmTypes: alarmTypeEndpoints,
  notices: noticeEndpoints,
  push: pushEndpoints,
  messages: messageEndpoints,
};
export const endpoints: readonly Endpoint[] = Object.values(features).flatMap((feature) =>
  Object.values<Endpoint>(feature),
);
