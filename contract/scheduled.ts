import * as z from 'zod';
import { endpoint, exportOf, instant, nothing } from './endpoint.ts';

/** Scheduled jobs. A new job needs its name here and an entry in `createSchedule` (server/start/jobs.ts). */
const timedJobs = [
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
/** Jobs with a queue of their own; "run now" makes them check it. */
export const queueJobs = ['timers', 'notices', 'firmware'] as const;
export type TimedJob = (typeof timedJobs)[number];
export type QueueJob = (typeof queueJobs)[number];
export const scheduledJobs = [...timedJobs, ...queueJobs] as const;
export type ScheduledJobName = TimedJob | QueueJob;

/** Counts that a run can report. */
export const jobCounts = ['made', 'changed', 'removed', 'checked', 'bytes'] as const;
export type JobCount = (typeof jobCounts)[number];

const scheduledRow = z.object({
  name: z.enum(scheduledJobs),
  kind: z.enum(['timed', 'queue']),
  /** `asked`: it begins as soon as a node that runs jobs is available. */
  state: z.enum(['idle', 'running', 'asked']),
  /** Start of the current run, else of the last one. */
  started_at: instant.nullable(),
  /** End of the last finished run. */
  ended_at: instant.nullable(),
  duration_ms: z.int().nullable(),
  outcome: z.enum(['done', 'failed', 'lost']).nullable(),
  result: z.partialRecord(z.enum(jobCounts), z.number()),
  /** The error message of the program. */
  error: z.string().nullable(),
  /** Failed runs since the last successful one. */
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
  /** Runs a job as soon as a node can. */
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
