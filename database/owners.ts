import type { Tables } from './connect.ts';

/**
 * For each table: the one part of the server that writes it, other writers with the reason, and the readers.
 * Retention (server/core/retention.ts) deletes old rows of the tables that it names. test/owners.test.ts
 * compares this with the Kysely calls and SQL texts.
 */
export interface Owned {
  /** null: a view. */
  readonly writes: string | null;
  readonly also?: Readonly<Record<string, string>>;
  /** How the owner writes the table, if no statement in its folder names it. */
  readonly unseen?: string;
  /** Other parts that read it; 'any': almost all parts do. */
  readonly reads: readonly string[] | 'any';
}

const keptOverRestore = 'what forbids closing is kept over a restore';
const withdrawnBefore = 'what was taken away since the backup stays so';

export const owners = {
  regions: { writes: 'database', unseen: 'the seed, database/seed/regions.ts', reads: 'any' },
  projects: {
    writes: 'projects',
    also: { lines: 'the nominal voltage that was proposed and taken' },
    reads: 'any',
  },
  project_parts: { writes: 'projects', reads: 'any' },
  roles: { writes: 'roles', also: { backups: withdrawnBefore }, reads: 'any' },
  users: {
    writes: 'users',
    also: {
      backups: withdrawnBefore,
      session: 'one’s own profile, password and phone',
      start: 'the first administrator',
    },
    reads: 'any',
  },
  user_projects: {
    writes: 'users',
    also: { backups: withdrawnBefore },
    reads: ['access', 'backups', 'core', 'feedback', 'projects', 'session'],
  },
  user_scopes: { writes: null, reads: 'any' },
  persons: { writes: 'personnel', reads: ['search'] },
  person_projects: { writes: 'personnel', reads: [] },
  sessions: { writes: 'core', reads: ['session', 'start', 'users'] },
  one_time_links: { writes: 'session', reads: [] },
  captchas: { writes: 'session', reads: [] },
  two_step: { writes: 'session', also: { backups: withdrawnBefore }, reads: ['backups', 'core', 'users'] },
  two_step_tickets: { writes: 'session', reads: [] },
  sms_codes: { writes: 'session', reads: [] },
  sms_outbox: { writes: 'session', reads: [] },
  sign_in_tries: { writes: 'session', reads: [] },
  failed_sign_ins: { writes: 'session', reads: ['core'] },
  known_browsers: { writes: 'session', also: { backups: withdrawnBefore }, reads: ['backups'] },
  serials: { writes: 'core', reads: [] },
  devices: {
    writes: 'devices',
    also: {
      backups: keptOverRestore,
      'device-settings': 'net_ctrl, in the transaction that stages it',
      lines: 'the nominal voltage that readings propose',
      link: 'what a device reports of itself',
    },
    reads: 'any',
  },
  device_past_owners: { writes: 'core', also: { backups: withdrawnBefore }, reads: ['backups', 'devices'] },
  device_ownerships: { writes: null, reads: 'any' },
  device_state: {
    writes: 'link',
    also: {
      devices: 'a row is made and deleted with its device',
      core: 'the clock of a device with a new secret is unknown',
    },
    reads: 'any',
  },
  lines: {
    writes: 'lines',
    also: {
      backups: withdrawnBefore,
      'device-settings': 'limits that the device reports',
      devices: 'lines are made with their device',
      link: 'lines that a device reports',
    },
    reads: 'any',
  },
  effective_thresholds: { writes: null, reads: 'any' },
  settings: {
    writes: 'core',
    also: { rollups: 'its cut and watermark, on the connection that holds the lease' },
    reads: ['health', 'rollups'],
  },
  uploads: { writes: 'uploads', reads: ['categories', 'devices', 'evidence-pack', 'maintenance', 'tags'] },
  operation_log: {
    writes: 'core',
    unseen: 'append_operation_log()',
    reads: ['devices', 'evidence-pack', 'operation-log'],
  },
  operation_log_head: { writes: 'core', unseen: 'append_operation_log()', reads: ['evidence-pack'] },
  dashboard_layouts: { writes: 'dashboard', reads: [] },
  alarm_types: {
    writes: 'alarm-types',
    reads: ['alarms', 'trends'],
  },
  default_thresholds: { writes: 'alarm-types', reads: [] },
  work_orders: { writes: 'alarms', reads: [] },
  alarms: {
    writes: 'alarms',
    reads: [
      'alarm-statistics',
      'control',
      'core',
      'dashboard',
      'evidence-pack',
      'lines',
      'link',
      'maintenance',
      'notices',
      'search',
      'trends',
    ],
  },
  // `notices` says in an all-clear what ended the alarm.
  alarm_history: { writes: 'alarms', reads: ['evidence-pack', 'notices'] },
  alarm_events: { writes: 'alarms', reads: [] },
  late_stretches: { writes: 'alarms', reads: [] },
  returned_alarms: { writes: 'alarms', reads: [] },
  alarm_tallies: { writes: 'alarms', reads: [] },
  alarm_days: { writes: 'alarm-statistics', reads: [] },
  alarm_days_changed: {
    writes: 'alarms',
    also: { 'alarm-statistics': 'packs the day anew' },
    reads: ['alarm-statistics'],
  },
  alarm_days_closed: { writes: 'alarm-statistics', reads: ['alarms'] },
  shelved_alarms: { writes: 'alarms', reads: [] },
  line_conditions: { writes: 'alarms', also: { backups: keptOverRestore }, reads: ['backups'] },
  line_trips: { writes: 'alarms', also: { backups: keptOverRestore }, reads: [] },
  uninspected_trips: { writes: null, reads: 'any' },
  commands: {
    writes: 'control',
    reads: ['alarms', 'devices', 'evidence-pack', 'firmware', 'health', 'lines', 'one-key', 'tags', 'timers'],
  },
  command_answers: {
    writes: 'link',
    also: { control: 'takes the answers that the link stored' },
    reads: ['control'],
  },
  position_events: {
    writes: 'link',
    also: { control: 'notes which moves are judged' },
    reads: ['control', 'evidence-pack', 'lines'],
  },
  judged_positions: { writes: 'control', reads: [] },
  lockout_tags: {
    writes: 'tags',
    also: { backups: keptOverRestore },
    reads: ['backups', 'evidence-pack', 'messages', 'uploads', 'users'],
  },
  active_tags: { writes: null, reads: 'any' },
  timers: { writes: 'timers', also: { backups: withdrawnBefore }, reads: ['backups', 'projects', 'users'] },
  timer_runs: { writes: 'timers', also: { backups: withdrawnBefore }, reads: [] },
  timer_copies: { writes: 'timers', also: { backups: withdrawnBefore }, reads: ['backups'] },
  batches: { writes: 'one-key', reads: [] },
  batch_lines: { writes: 'one-key', reads: [] },
  site_places: { writes: 'projects', reads: [] },
  search_names: { writes: 'search', reads: [] },
  maintenance_records: { writes: 'maintenance', reads: ['evidence-pack', 'uploads'] },
  notices: { writes: 'notices', reads: ['session'] },
  alarm_notices: {
    writes: 'notices',
    also: { alarms: 'an alarm asks for its notices in the transaction that writes it' },
    reads: [],
  },
  deliveries: { writes: 'notices', reads: ['evidence-pack', 'health'] },
  push_subscriptions: { writes: 'notices', reads: [] },
  wechat_followers: { writes: 'notices', reads: [] },
  popup_settings: { writes: 'notices', reads: [] },
  messages: { writes: 'messages', reads: [] },
  readings: { writes: 'link', reads: ['alarms', 'control', 'evidence-pack', 'lines', 'rollups', 'trends'] },
  line_latest: {
    writes: 'link',
    also: {
      control: 'what was commanded and acknowledged',
      core: 'a device with a new secret begins its order anew',
    },
    reads: ['alarms', 'control', 'core', 'dashboard', 'devices', 'lines', 'projects', 'rollups', 'timers'],
  },
  rollup_minute: { writes: 'rollups', reads: ['lines'] },
  rollup_quarter: { writes: 'rollups', reads: ['alarms', 'statistics'] },
  rollup_hour: { writes: 'rollups', unseen: 'foldInto() is given the table', reads: [] },
  rollup_day: { writes: 'rollups', reads: ['statistics'] },
  rollup_month: { writes: 'rollups', reads: ['alarms', 'statistics'] },
  rollup_dirty: {
    writes: 'rollups',
    also: { core: 'readings that rounds would miss, in the transaction that stores them' },
    reads: ['health'],
  },
  rollup_rebuild: { writes: 'rollups', reads: ['statistics'] },
  load_quarter: { writes: 'rollups', reads: ['dashboard', 'statistics'] },
  load_dirty: { writes: 'rollups', reads: [] },
  load_rebuild: { writes: 'rollups', reads: [] },
  metered_times: { writes: null, reads: 'any' },
  energy_lines: { writes: null, reads: 'any' },
  energy_corrections: { writes: 'statistics', reads: [] },
  energy_correction_parts: { writes: 'rollups', reads: ['statistics'] },
  tariffs: { writes: 'statistics', reads: [] },
  line_capacity: { writes: 'rollups', reads: ['lines', 'statistics'] },
  device_reported: {
    writes: 'link',
    reads: ['alarms', 'control', 'device-settings', 'lines', 'tags', 'timers'],
  },
  device_settings: {
    writes: 'device-settings',
    also: { 'device-jobs': 'withdraws what waits' },
    reads: ['alarms', 'backups', 'device-jobs'],
  },
  setting_changes: {
    writes: 'device-settings',
    also: { 'device-jobs': 'withdraws what waits' },
    reads: ['evidence-pack'],
  },
  device_jobs: { writes: 'device-jobs', also: { backups: withdrawnBefore }, reads: [] },
  device_job_rows: {
    writes: 'device-jobs',
    also: { backups: withdrawnBefore, 'device-settings': 'a row ends with its setting' },
    reads: [],
  },
  device_desired: {
    writes: 'device-settings',
    also: { 'device-jobs': 'withdraws what waits', backups: keptOverRestore },
    reads: ['backups', 'device-jobs', 'link'],
  },
  config_messages: {
    writes: 'control',
    also: { 'device-settings': 'the report that settles a message, and retention' },
    reads: ['device-jobs', 'device-settings', 'timers'],
  },
  contents: { writes: 'content', reads: [] },
  categories: { writes: 'categories', reads: ['uploads'] },
  feedback: { writes: 'feedback', reads: [] },
  scheduled_jobs: { writes: 'core', reads: ['health', 'scheduled'] },
  setting_edits: { writes: 'settings', reads: [] },
  node_reports: { writes: 'health', reads: [] },
  health_problems: { writes: 'health', reads: [] },
  maintenance_jobs: { writes: 'backups', reads: ['health'] },
  firmware_keys: { writes: 'firmware', reads: [] },
  firmware_versions: { writes: 'firmware', reads: [] },
  rollouts: { writes: 'firmware', also: { backups: withdrawnBefore }, reads: [] },
  rollout_devices: { writes: 'firmware', reads: [] },
} as const satisfies Record<keyof Tables, Owned>;
