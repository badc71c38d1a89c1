import type { Generated } from 'kysely';
import type { JobCount } from '#contract/scheduled.ts';
import type { Json } from './directory.ts';

export interface ScheduledJobsTable {
  name: string;
  next_at: Date | null;
  asked_at: Date | null;
  holder: string | null;
  held_until: Date | null;
  started_at: Date | null;
  ended_at: Date | null;
  duration_ms: number | null;
  outcome: 'done' | 'failed' | 'lost' | null;
  result: Json<Partial<Record<JobCount, number>>>;
  error: string | null;
  failures: Generated<number>;
  runs: Generated<number>;
}
