import { accessEndpoints } from './access.ts';
import { alarmQualityEndpoints } from './alarm-quality.ts';
import { alarmStatisticsEndpoints } from './alarm-statistics.ts';
import { alarmTypeEndpoints } from './alarm-types.ts';
import { alarmEndpoints } from './alarms.ts';
import { backupEndpoints } from './backups.ts';
import { categoryEndpoints } from './categories.ts';
import { contentEndpoints } from './content.ts';
import { controlEndpoints } from './control.ts';
import { dashboardEndpoints } from './dashboard.ts';
import { demoEndpoints } from './demo.ts';
import { deviceJobEndpoints } from './device-jobs.ts';
import { deviceSettingEndpoints } from './device-settings.ts';
import { deviceEndpoints } from './devices.ts';
import type { Endpoint } from './endpoint.ts';
import { evidencePackEndpoints } from './evidence-pack.ts';
import { feedbackEndpoints } from './feedback.ts';
import { firmwareEndpoints } from './firmware.ts';
import { frameEndpoints } from './frame.ts';
import { healthEndpoints } from './health.ts';
import { lineTableEndpoints } from './line-table.ts';
import { lineEndpoints } from './lines.ts';
import { liveEndpoints } from './live.ts';
import { maintenanceEndpoints } from './maintenance.ts';
import { messageEndpoints } from './messages.ts';
import { noticeEndpoints } from './notices.ts';
import { oneKeyEndpoints } from './one-key.ts';
import { operationLogEndpoints } from './operation-log.ts';
import { personnelEndpoints } from './personnel.ts';
import { projectEndpoints, tableListEndpoint } from './projects.ts';
import { pushEndpoints } from './push.ts';
import { roleEndpoints } from './roles.ts';
import { scheduledEndpoints } from './scheduled.ts';
import { searchEndpoints } from './search.ts';
import { aliasEndpoints, sessionEndpoints } from './session.ts';
import { settingsEndpoints } from './settings.ts';
import { statisticsEndpoints } from './statistics.ts';
import { tagEndpoints } from './tags.ts';
import { timerEndpoints } from './timers.ts';
import { trendEndpoints } from './trends.ts';
import { uploadEndpoints } from './uploads.ts';
import { userEndpoints } from './users.ts';
import { whatIfEndpoints } from './what-if.ts';

/** Every endpoint of the contract, by feature. A new feature is added here; a test holds that each is bound exactly once. */
export const features = {
  session: sessionEndpoints,
  alias: { ...aliasEndpoints, tableList: tableListEndpoint },
  live: liveEndpoints,
  devices: deviceEndpoints,
  'device-settings': deviceSettingEndpoints,
  'device-jobs': deviceJobEndpoints,
  lines: { ...lineEndpoints, ...lineTableEndpoints },
  control: controlEndpoints,
  oneKey: oneKeyEndpoints,
  timers: timerEndpoints,
  tags: tagEndpoints,
  dashboard: dashboardEndpoints,
  statistics: statisticsEndpoints,
  projects: projectEndpoints,
  maintenance: maintenanceEndpoints,
  search: searchEndpoints,
  trends: trendEndpoints,
  uploads: uploadEndpoints,
  alarms: alarmEndpoints,
  whatIf: whatIfEndpoints,
  alarmStatistics: { ...alarmStatisticsEndpoints, ...alarmQualityEndpoints },
  alarmTypes: alarmTypeEndpoints,
  demo: demoEndpoints,
  notices: noticeEndpoints,
  push: pushEndpoints,
  messages: messageEndpoints,
  operationLog: operationLogEndpoints,
  evidencePack: evidencePackEndpoints,
  content: contentEndpoints,
  categories: categoryEndpoints,
  feedback: feedbackEndpoints,
  scheduled: scheduledEndpoints,
  settings: settingsEndpoints,
  health: healthEndpoints,
  users: userEndpoints,
  access: accessEndpoints,
  personnel: personnelEndpoints,
  roles: roleEndpoints,
  backups: backupEndpoints,
  firmware: firmwareEndpoints,
  frame: frameEndpoints,
};
export const endpoints: readonly Endpoint[] = Object.values(features).flatMap((feature) =>
  Object.values<Endpoint>(feature),
);
