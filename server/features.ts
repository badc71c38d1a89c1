import type { FastifyInstance } from 'fastify';
import type { Control } from '#server/control/commands.ts';
import type { Demo } from '#server/demo/process.ts';
import { liveRoutes } from '#server/live/listen.ts';
import type { Notices } from '#server/notices/worker.ts';
import type { Batches } from '#server/one-key/batches.ts';
import { accessRoutes } from './access/access.routes.ts';
import { alarmStatisticsRoutes } from './alarm-statistics/alarm-statistics.routes.ts';
import { alarmTypeRoutes } from './alarm-types/alarm-types.routes.ts';
import { alarmRoutes } from './alarms/alarms.routes.ts';
import { type BackupRoutesDeps, backupRoutes } from './backups/backups.routes.ts';
import { categoryRoutes } from './categories/categories.routes.ts';
import { contentRoutes } from './content/content.routes.ts';
import { controlRoutes } from './control/control.routes.ts';
import type { Clock } from './core/clock.ts';
import type { Live } from './core/live.ts';
import type { Serve } from './core/serve.ts';
import { dashboardRoutes } from './dashboard/dashboard.routes.ts';
import { demoRoutes } from './demo/demo.routes.ts';
import { deviceJobRoutes } from './device-jobs/jobs.routes.ts';
import { deviceSettingsRoutes } from './device-settings/settings.routes.ts';
import { deviceRoutes } from './devices/devices.routes.ts';
import { feedbackRoutes } from './feedback/feedback.routes.ts';
import { lineRoutes } from './lines/lines.routes.ts';
import { maintenanceRoutes } from './maintenance/maintenance.routes.ts';
import { messageRoutes } from './messages/messages.routes.ts';
import { noticeRoutes } from './notices/notices.routes.ts';
import { oneKeyRoutes } from './one-key/one-key.routes.ts';
import { operationLogRoutes } from './operation-log/operation-log.routes.ts';
import { personnelRoutes } from './personnel/personnel.routes.ts';
import { projectRoutes } from './projects/projects.routes.ts';
import { roleRoutes } from './roles/roles.routes.ts';
import { scheduledRoutes } from './scheduled/scheduled.routes.ts';
import { type SessionDeps, sessionRoutes } from './session/session.routes.ts';
import { provePassword } from './session/sign-in.ts';
import { statisticsRoutes } from './statistics/statistics.routes.ts';
import { tagRoutes } from './tags/tags.routes.ts';
import { timerRoutes } from './timers/timers.routes.ts';
import { uploadRoutes } from './uploads/uploads.routes.ts';
import { userRoutes } from './users/users.routes.ts';

export interface FeatureParts extends SessionDeps {
  live: Live;
  clock: Clock;
  control: Pick<Control, 'request'>;
  batches: Pick<Batches, 'run'>;
  /** The running simulation, once there is one. */
  demoRun: () => Demo | null;
  notices: Pick<Notices, 'kick'>;
  /** The address under which people reach the console; null: the one that a request came to. */
  publicUrl: string | null;
  maintenance: Omit<BackupRoutesDeps, 'provePassword'>;
}

/** Binds every endpoint of the contract to its feature. */
export const bindFeatures = (serve: Serve, _app: FastifyInstance, parts: FeatureParts): void => {
  sessionRoutes(serve, parts);
  liveRoutes(serve, parts.live, parts.clock);
  dashboardRoutes(serve);
  statisticsRoutes(serve);
  projectRoutes(serve, { ...parts, provePassword });
  deviceRoutes(serve);
  deviceJobRoutes(serve);
  deviceSettingsRoutes(serve, { provePassword });
  lineRoutes(serve, { provePassword });
  controlRoutes(serve, { control: parts.control, provePassword });
  uploadRoutes(serve);
  oneKeyRoutes(serve, { batches: parts.batches, provePassword });
  timerRoutes(serve, { provePassword });
  tagRoutes(serve, { provePassword });
  alarmRoutes(serve);
  alarmStatisticsRoutes(serve);
  alarmTypeRoutes(serve, { provePassword });
  demoRoutes(serve, parts.demoRun);
  noticeRoutes(serve, parts);
  maintenanceRoutes(serve);
  messageRoutes(serve);
  operationLogRoutes(serve);
  contentRoutes(serve);
  categoryRoutes(serve);
  feedbackRoutes(serve);
  scheduledRoutes(serve);
  userRoutes(serve, { provePassword, vault: parts.vault });
  accessRoutes(serve);
  personnelRoutes(serve);
  roleRoutes(serve, { provePassword });
  backupRoutes(serve, { ...parts.maintenance, provePassword });
};
