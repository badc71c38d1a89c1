import * as z from 'zod';
import {
  endpoint,
  exportOf,
  filter,
  flag,
  instant,
  integer,
  listBody,
  listReply,
  nothing,
  selectionOf,
} from './endpoint.ts';

export const maintenanceKinds = ['backup', 'optimise', 'repair', 'restore', 'drill'] as const;
export const maintenanceCauses = ['manual', 'schedule'] as const;
/** `swapping`: copied and verified; the server restarts and replaces the present data with it. */
export const maintenanceStates = ['queued', 'running', 'swapping', 'done', 'failed', 'cancelled'] as const;
export const maintenanceUnderWay = (state: (typeof maintenanceStates)[number]): boolean =>
  state === 'queued' || state === 'running' || state === 'swapping';

const tableName = z.string().min(1).max(63);
const backupName = z.string().min(1).max(80);
const password = z.string().min(1).max(200);
/** Long enough that guessing it takes longer than the backup's secrets stay valid. */
export const leastPassphrase = 12;
const passphrase = z.string().max(200).optional();
const newPassphrase = z.string().min(leastPassphrase, 'backup.passphraseShort').max(200).optional();

const table = z.object({
  name: z.string(),
  /** Estimated by the database. */
  rows: z.int(),
  partitions: z.int(),
  data_bytes: z.int(),
  /** Includes indexes. */
  size_bytes: z.int(),
  created_at: instant.nullable(),
  status: z.enum(['none', 'completed', 'excluded']),
  last_backup: z.object({ name: z.string(), at: instant }).nullable(),
});
const finding = z.object({
  table: z.string(),
  constraint: z.string(),
  kind: z.enum(['foreign', 'check', 'notNull']),
  rows: z.int(),
});
const job = z.object({
  job_id: z.uuid(),
  kind: z.enum(maintenanceKinds),
  cause: z.enum(maintenanceCauses),
  state: z.enum(maintenanceStates),
  /** Null: all. */
  tables: z.array(z.string()).nullable(),
  backup: z.string().nullable(),
  operator: z.string(),
  step: z.string().nullable(),
  done: z.int(),
  total: z.int(),
  created_at: instant,
  started_at: instant.nullable(),
  ended_at: instant.nullable(),
  /** Why it failed, in the reader's language. */
  message: z.string().nullable(),
  result: z.object({
    /** For a restore: the backup of the data that it replaced. */
    snapshot: z.string().optional(),
    rows: z.int().optional(),
    tables: z.int().optional(),
    bytes: z.int().optional(),
    /** For a restore: the operation log was newer and was kept. */
    log_kept: z.boolean().optional(),
    /** For a restore: lock-out tags and owed inspections that the backup did not have, and that were kept. */
    tags_kept: z.int().optional(),
    inspections_kept: z.int().optional(),
    /** For a restore: devices with tags or owed inspections that the backup does not know. */
    tags_lost: z.array(z.string()).optional(),
    /** For a restore into other data: projects with a lock-out tag until somebody has checked on site. */
    projects_tagged: z.int().optional(),
    /**
     * For a restore: accounts, roles and scopes are as before the restore, or, into data that is not what became of
     * the backup, as in the backup.
     */
    accounts: z.enum(['kept', 'restored']).optional(),
    /** For a restore: what users had taken away since the backup, and what became of it (decision 0490). */
    accounts_off: z.int().optional(),
    timers_off: z.int().optional(),
    devices_tagged: z.int().optional(),
    devices_moved: z.int().optional(),
    settings_withdrawn: z.int().optional(),
    rollouts_paused: z.int().optional(),
    /** For a repair: rows that violate a constraint. */
    findings: z.array(finding).optional(),
  }),
  may_cancel: z.boolean(),
});
export type MaintenanceJob = z.output<typeof job>;

const backup = z.object({
  name: z.string(),
  cause: z.enum(['manual', 'schedule', 'beforeRestore', 'beforeUpgrade', 'commandLine']).nullable(),
  made_at: instant,
  /** True: every table of the product; false: only some. */
  whole: z.boolean(),
  tables: z.int(),
  rows: z.int(),
  volumes: z.int(),
  compression: z.string().nullable(),
  encrypted: z.boolean(),
  bytes: z.int(),
  state: z.enum(['complete', 'damaged']),
  proved_at: instant.nullable(),
});
export type BackupRow = z.output<typeof backup>;
export type DatabaseTable = z.output<typeof table>;

const schedule = z.strictObject({
  enabled: z.boolean(),
  /** Time of day, in the time zone of the server's first project. */
  time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'backup.time'),
  /** Older scheduled backups are deleted, but this many of the newest always stay. */
  keep_days: z.int().min(1).max(3650),
  keep_least: z.int().min(1).max(100),
  /** The oldest scheduled backups are deleted when all of them together are larger; 0: no limit. */
  keep_gigabytes: z.int().min(0).max(100_000),
  /** How often the newest backup is restored as a test; 0: never. */
  drill_days: z.int().min(0).max(365),
});
export type BackupSchedule = z.output<typeof schedule>;
const scheduleReply = schedule.extend({ encrypted: z.boolean(), zone: z.string() });

const begun = z.object({ job_id: z.uuid() });

const tableFilters = {
  name: filter(z.string().max(63)),
  status: filter(z.enum(['none', 'completed', 'excluded'])),
};
const backupFilters = { table: filter(tableName), cause: filter(backup.shape.cause.unwrap()) };
const jobFilters = { running: filter(flag), kind: filter(z.enum(maintenanceKinds)) };

/** Database management. Letter L shows it; acting needs role 1 and its password with each call. */
export const backupEndpoints = {
  tables: endpoint({
    method: 'POST',
    path: '/database/get_list',
    permission: 'database.write',
    body: listBody(tableFilters, ['name', 'rows', 'data_bytes', 'size_bytes', 'created_at']),
    reply: listReply(table),
  }),
  exportTables: exportOf('/database/export', 'database.write', tableFilters),
  /** The state of the installation: last backup, last proof, room on the disk. */
  summary: endpoint({
    method: 'POST',
    path: '/database/summary',
    permission: 'database.write',
    body: nothing,
    reply: z.object({
      last_backup: z.object({ name: z.string(), at: instant }).nullable(),
      /** The newest drill that ended, with any result. */
      last_drill: z
        .object({
          backup: z.string().nullable(),
          at: instant,
          passed: z.boolean(),
          rows: z.int(),
          seconds: z.int(),
          message: z.string().nullable(),
        })
        .nullable(),
      /** The newest drill that succeeded. */
      proved_at: instant.nullable(),
      next_backup_at: instant.nullable(),
      next_drill_at: instant.nullable(),
      backups: z.int(),
      backups_bytes: z.int(),
      free_bytes: z.int(),
    }),
  }),
  backup: endpoint({
    method: 'POST',
    path: '/database/backup',
    permission: 'database.write',
    log: 'database.backup',
    secret: ['passphrase'],
    /** Without tables: everything. With a passphrase the volumes are encrypted. */
    body: z.strictObject({
      tables: selectionOf(tableName, 200, 'backup.selection').optional(),
      passphrase: newPassphrase,
      password,
    }),
    reply: begun,
    outcome: () => 'takingEffect',
  }),
  optimise: endpoint({
    method: 'POST',
    path: '/database/optimize',
    permission: 'database.write',
    log: 'database.optimise',
    body: z.strictObject({ tables: selectionOf(tableName, 200, 'backup.selection'), password }),
    reply: begun,
    outcome: () => 'takingEffect',
  }),
  repair: endpoint({
    method: 'POST',
    path: '/database/repair',
    permission: 'database.write',
    log: 'database.repair',
    body: z.strictObject({ tables: selectionOf(tableName, 200, 'backup.selection'), password }),
    reply: begun,
    outcome: () => 'takingEffect',
  }),
  backups: endpoint({
    method: 'POST',
    path: '/database/get_backups',
    permission: 'database.write',
    body: listBody(backupFilters, ['made_at', 'bytes', 'name']),
    reply: listReply(backup),
  }),
  exportBackups: exportOf('/database/export_backups', 'database.write', backupFilters),
  /** Contents of a backup, and whether this product can restore it. */
  contents: endpoint({
    method: 'POST',
    path: '/database/get_backup',
    permission: 'database.write',
    body: z.strictObject({ name: backupName }),
    reply: backup.extend({
      version: z.string(),
      contents: z.array(z.object({ name: z.string(), rows: z.int(), bytes: z.int() })),
      restorable: z.boolean(),
      message: z.string().nullable(),
    }),
  }),
  /** The backup as one tar archive. */
  download: endpoint({
    method: 'GET',
    path: '/database/download',
    permission: 'database.write',
    stream: true,
    body: z.strictObject({ ticket: z.string().max(300) }),
    reply: z.unknown(),
  }),
  /** Permits one download of a backup within a minute, to the user who asked. */
  permitDownload: endpoint({
    method: 'POST',
    path: '/database/permit_download',
    permission: 'database.write',
    log: 'database.download',
    secretReply: true,
    body: z.strictObject({ name: backupName, password }),
    reply: z.object({ ticket: z.string(), file_name: z.string() }),
  }),
  /** `confirm` is the name of the backup, typed. */
  restore: endpoint({
    method: 'POST',
    path: '/database/restore',
    permission: 'database.write',
    log: 'database.restore',
    secret: ['passphrase'],
    body: z.strictObject({
      name: backupName,
      tables: selectionOf(tableName, 200, 'backup.selection').optional(),
      passphrase,
      confirm: z.string().max(80),
      password,
    }),
    reply: begun,
    outcome: () => 'takingEffect',
  }),
  remove: endpoint({
    method: 'POST',
    path: '/database/del_backup',
    permission: 'database.write',
    log: 'database.delete',
    body: z.strictObject({ names: selectionOf(backupName, 200, 'backup.selection'), password }),
    reply: z.object({ done: z.int(), left: z.array(z.object({ name: z.string(), message: z.string() })) }),
    outcome: ({ done }) => (done > 0 ? 'done' : 'nothing'),
  }),
  /** Restores the newest backup (or the named one) into a scratch database and counts it. */
  drill: endpoint({
    method: 'POST',
    path: '/database/drill',
    permission: 'database.write',
    log: 'database.drill',
    secret: ['passphrase'],
    body: z.strictObject({ name: backupName.optional(), passphrase, password }),
    reply: begun,
    outcome: () => 'takingEffect',
  }),
  jobs: endpoint({
    method: 'POST',
    path: '/database/get_jobs',
    permission: 'database.write',
    body: listBody(jobFilters, ['created_at']),
    reply: listReply(job),
  }),
  exportJobs: exportOf('/database/export_jobs', 'database.write', jobFilters),
  job: endpoint({
    method: 'POST',
    path: '/database/get_job',
    permission: 'database.write',
    body: z.strictObject({ job_id: z.uuid() }),
    reply: job,
  }),
  cancel: endpoint({
    method: 'POST',
    path: '/database/cancel_job',
    permission: 'database.write',
    log: 'database.cancel',
    body: z.strictObject({ job_id: z.uuid() }),
    reply: job,
    outcome: () => 'takingEffect',
  }),
  schedule: endpoint({
    method: 'POST',
    path: '/database/get_schedule',
    permission: 'database.write',
    body: nothing,
    reply: scheduleReply,
  }),
  /**
   * A passphrase encrypts scheduled backups; an empty one ends the encryption; without the field nothing
   * changes.
   */
  setSchedule: endpoint({
    method: 'POST',
    path: '/database/set_schedule',
    permission: 'database.write',
    log: 'database.schedule',
    secret: ['passphrase'],
    body: schedule.extend({
      keep_days: integer.pipe(schedule.shape.keep_days),
      keep_least: integer.pipe(schedule.shape.keep_least),
      keep_gigabytes: integer.pipe(schedule.shape.keep_gigabytes),
      drill_days: integer.pipe(schedule.shape.drill_days),
      enabled: flag,
      passphrase: z
        .union([z.literal(''), z.string().min(leastPassphrase, 'backup.passphraseShort').max(200)])
        .optional(),
      password,
    }),
    reply: scheduleReply,
  }),
};
