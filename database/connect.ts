import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { nameStatements, StatementNames } from './statement-names.ts';
import type * as alarms from './tables/alarms.ts';
import type * as control from './tables/control.ts';
import type * as dashboard from './tables/dashboard.ts';
import type * as directory from './tables/directory.ts';
import type * as firmware from './tables/firmware.ts';
import type * as health from './tables/health.ts';
import type * as jobs from './tables/jobs.ts';
import type * as maintenance from './tables/maintenance.ts';
import type * as maintenanceRecords from './tables/maintenance-records.ts';
import type * as notices from './tables/notices.ts';
import type * as personnel from './tables/personnel.ts';
import type * as readings from './tables/readings.ts';
import type * as records from './tables/records.ts';
import type * as scheduled from './tables/scheduled.ts';
import type * as search from './tables/search.ts';
import type * as settingEdits from './tables/setting-edits.ts';
import type * as settings from './tables/settings.ts';
import type * as sitePlaces from './tables/site-places.ts';
import type * as statistics from './tables/statistics.ts';
import type * as timers from './tables/timers.ts';

export interface Tables {
  regions: directory.RegionsTable;
  projects: directory.ProjectsTable;
  project_parts: directory.ProjectPartsTable;
  roles: directory.RolesTable;
  users: directory.UsersTable;
  user_projects: directory.UserProjectsTable;
  user_scopes: directory.UserScopesView;
  persons: personnel.PersonsTable;
  person_projects: personnel.PersonProjectsTable;
  sessions: directory.SessionsTable;
  one_time_links: directory.OneTimeLinksTable;
  captchas: directory.CaptchasTable;
  two_step: directory.TwoStepTable;
  two_step_tickets: directory.TwoStepTicketsTable;
  sms_codes: directory.SmsCodesTable;
  sms_outbox: directory.SmsOutboxTable;
  sign_in_tries: directory.SignInTriesTable;
  failed_sign_ins: directory.FailedSignInsTable;
  known_browsers: directory.KnownBrowsersTable;
  serials: directory.SerialsTable;
  devices: directory.DevicesTable;
  device_past_owners: directory.DevicePastOwnersTable;
  device_ownerships: directory.DeviceOwnershipsView;
  device_state: directory.DeviceStateTable;
  lines: directory.LinesTable;
  effective_thresholds: directory.EffectiveThresholdsView;
  settings: directory.SettingsTable;
  uploads: directory.UploadsTable;
  operation_log: directory.OperationLogTable;
  operation_log_head: directory.OperationLogHeadTable;
  dashboard_layouts: dashboard.DashboardLayoutsTable;
  alarm_types: alarms.AlarmTypesTable;
  default_thresholds: alarms.DefaultThresholdsTable;
  work_orders: alarms.WorkOrdersTable;
  alarms: alarms.AlarmsTable;
  alarm_history: alarms.AlarmHistoryTable;
  alarm_events: alarms.AlarmEventsTable;
  late_stretches: alarms.LateStretchesTable;
  returned_alarms: alarms.ReturnedAlarmsTable;
  alarm_tallies: alarms.AlarmTalliesTable;
  alarm_days: alarms.AlarmDaysTable;
  alarm_days_changed: alarms.AlarmDaysChangedTable;
  alarm_days_closed: alarms.AlarmDaysClosedTable;
  shelved_alarms: alarms.ShelvedAlarmsTable;
  line_conditions: alarms.LineConditionsTable;
  line_trips: alarms.LineTripsTable;
  uninspected_trips: alarms.LineTripsTable;
  commands: control.CommandsTable;
  command_answers: control.CommandAnswersTable;
  position_events: control.PositionEventsTable;
  judged_positions: control.JudgedPositionsTable;
  lockout_tags: control.LockoutTagsTable;
  active_tags: control.ActiveTagsView;
  timers: timers.TimersTable;
  timer_runs: timers.TimerRunsTable;
  timer_copies: timers.TimerCopiesTable;
  batches: timers.BatchesTable;
  batch_lines: timers.BatchLinesTable;
  site_places: sitePlaces.SitePlacesTable;
  search_names: search.SearchNamesTable;
  maintenance_records: maintenanceRecords.MaintenanceRecordsTable;
  notices: notices.NoticesTable;
  alarm_notices: notices.AlarmNoticesTable;
  deliveries: notices.DeliveriesTable;
  push_subscriptions: notices.PushSubscriptionsTable;
  wechat_followers: notices.WechatFollowersTable;
  popup_settings: notices.PopupSettingsTable;
  messages: notices.MessagesTable;
  readings: readings.ReadingsTable;
  line_latest: readings.LineLatestTable;
  rollup_minute: readings.RollupTable;
  rollup_quarter: readings.RollupTable;
  rollup_hour: readings.RollupTable;
  rollup_day: readings.RollupTable;
  rollup_month: readings.RollupTable;
  rollup_dirty: readings.RollupDirtyTable;
  rollup_rebuild: readings.RollupRebuildTable;
  load_quarter: readings.LoadQuarterTable;
  load_dirty: readings.LoadDirtyTable;
  load_rebuild: readings.LoadRebuildTable;
  metered_times: readings.MeteredTimesView;
  energy_lines: readings.EnergyLinesView;
  energy_corrections: statistics.EnergyCorrectionsTable;
  energy_correction_parts: statistics.EnergyCorrectionPartsTable;
  tariffs: statistics.TariffsTable;
  line_capacity: readings.LineCapacityTable;
  device_reported: readings.DeviceReportedTable;
  device_settings: settings.DeviceSettingsTable;
  setting_changes: settings.SettingChangesTable;
  device_jobs: jobs.DeviceJobsTable;
  device_job_rows: jobs.DeviceJobRowsTable;
  device_desired: settings.DeviceDesiredTable;
  config_messages: settings.ConfigMessagesTable;
  contents: records.ContentsTable;
  categories: records.CategoriesTable;
  feedback: records.FeedbackTable;
  scheduled_jobs: scheduled.ScheduledJobsTable;
  setting_edits: settingEdits.SettingEditsTable;
  node_reports: health.NodeReportsTable;
  health_problems: health.HealthProblemsTable;
  maintenance_jobs: maintenance.MaintenanceJobsTable;
  firmware_keys: firmware.FirmwareKeysTable;
  firmware_versions: firmware.FirmwareVersionsTable;
  rollouts: firmware.RolloutsTable;
  rollout_devices: firmware.RolloutDevicesTable;
}
export type Db = Kysely<Tables>;

const parsers = pg.types;
// Counts and ids stay far below 2^53; dates stay calendar text.
parsers.setTypeParser(parsers.builtins.INT8, Number);
parsers.setTypeParser(parsers.builtins.DATE, (text) => text);

/**
 * A client machine that vanishes keeps its locks and blocks others: with these settings the database notices
 * within half a minute.
 */
const keepAlives = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

/** A pool of connections in UTC; `max` limits it, and a caller waits at most 10 s for a connection. */
export const connectPool = (connectionString: string, max = 10): pg.Pool => {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 10_000,
    options: `-c timezone=UTC ${keepAlives}`,
  });
  // A lost connection rejects its current and later queries; the pool opens another one.
  pool.on('error', () => {});
  const names = new StatementNames();
  pool.on('connect', (client) => {
    client.on('error', () => {});
    nameStatements(client, names);
  });
  return pool;
};

export const connect = (pool: pg.Pool): Db => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
