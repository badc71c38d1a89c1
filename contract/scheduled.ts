import * as z from 'zod';
import { endpoint, exportOf, instant, nothing } from './endpoint.ts';

/** Work that runs by the clock. A new job needs its name here and an entry in `createSchedule` (server/start/jobs.ts). */
export const timedJobs = [
  'rollups',
  'backlogs',
  'nominalVoltages',
  'partitions',
  'ledgerUpkeep',
  'sessionUpkeep',
  'settingUpkeep',
  'unusedImages',
  'searchNames',
  'alarmDays',
  'backup',
  'restoreDrill',
  'healthWatch',
  'trends',
] as const;
/** Work that follows its own queue; "run now" makes it look again. */
export const queueJobs = ['timers', 'notices', 'firmware'] as const;
export type TimedJob = (typeof timedJobs)[number];
export type QueueJob = (typeof queueJobs)[number];
export const scheduledJobs = [...timedJobs, ...queueJobs] as const;
export type ScheduledJobName = TimedJob | QueueJob;

/** What a run counts. */
export const jobCounts = ['made', 'changed', 'removed', 'checked', 'bytes'] as const;
export type JobCount = (typeof jobCounts)[number];

export const scheduledRow = z.object({
  name: z.enum(scheduledJobs),
  kind: z.enum(['timed', 'queue']),
  /** `asked`: it begins at once, when a node that runs jobs is there. */
  state: z.enum(['idle', 'running', 'asked']),
  /** Of the run under way, or else the last. */
  started_at: instant.nullable(),
  /** Of the last run that ended. */
  ended_at: instant.nullable(),
  duration_ms: z.int().nullable(),
  outcome: z.enum(['done', 'failed', 'lost']).nullable(),
  result: z.partialRecord(z.enum(jobCounts), z.number()),
  /** In the words of the program that failed. */
  error: z.string().nullable(),
  /** Runs that failed since the last one that did not. */
  failures: z.int(),
  runs: z.int(),
  next_at: instant.nullable(),
});
export type ScheduledRow = z.output<typeof scheduledRow>;

export const scheduledEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/scheduled/list',
    permission: 'installation.manage',
    body: nothing,
    reply: z.object({ list: z.array(scheduledRow) }),
  }),
  export: exportOf('/scheduled/export', 'installation.manage', {}),
  /** Runs a job as soon as a node takes it. */
  run: endpoint({
    method: 'POST',
    path: '/scheduled/run',
    permission: 'installation.manage',
    log: 'scheduled.run',
    body: z.strictObject({ name: z.enum(scheduledJobs) }),
    reply: scheduledRow,
    outcome: () => 'takingEffect',
  }),
};
