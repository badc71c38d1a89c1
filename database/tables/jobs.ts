import type { ColumnType } from 'kysely';
import type { JobRowState, jobKinds } from '#contract/device-jobs.ts';
import type { Instant } from './directory.ts';

export type JobKind = (typeof jobKinds)[number];

export interface DeviceJobsTable {
  id: string;
  kind: JobKind;
  user_id: number;
  operator: string;
  created_at: Instant;
  parameters: ColumnType<unknown, string, never>;
  total: number;
  queued: boolean;
  served_at: ColumnType<Date | null, Date | undefined, Date>;
  cancelled_at: ColumnType<Date | null, undefined, Date>;
  cancelled_by: ColumnType<string | null, undefined, string>;
}
export interface DeviceJobRowsTable {
  job_id: string;
  device_id: number;
  state: JobRowState;
  reason: string | null;
  /** The device's project when the job was begun. */
  project_id: ColumnType<number | null, number | null | undefined, never>;
}
