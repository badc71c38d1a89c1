import type { ColumnType, Generated } from 'kysely';
import type { Instant } from './directory.ts';

type Particulars = ColumnType<Record<string, string | number>, string | undefined, string>;
type Day = ColumnType<string | null, string | null | undefined, string | null>;

export interface TimersTable {
  id: Generated<number>;
  device_id: number;
  line_id: number;
  type: 'once' | 'weekly';
  days: Generated<number>;
  date: Day;
  time: string;
  action: 'open' | 'close';
  enabled: boolean;
  run_by: 'server' | 'device';
  slot: number | null;
  done_at: Date | null;
  zone: string;
  next_at: Date | null;
  author_id: number;
  /** The device's project when it was saved last. */
  project_id: ColumnType<number | null, number | null | undefined, number | null>;
  created_at: Instant;
  revision: Generated<number>;
}
export type RunOutcome = 'due' | 'fired' | 'skipped' | 'missed';
export interface TimerRunsTable {
  timer_id: number;
  due_at: Instant;
  device_id: number;
  line_id: number;
  action: 'open' | 'close';
  author_id: number;
  project_id: ColumnType<number | null, number | null | undefined, never>;
  after_number: Generated<number>;
  outcome: RunOutcome;
  reason: string | null;
  reason_with: Particulars;
  command_id: string | null;
  at: Instant;
}
export interface TimerCopiesTable {
  device_id: number;
  state: 'pending' | 'synced' | 'conflict';
  reason: string | null;
  zone: string | null;
  push_id: string | null;
  pushed_at: Date | null;
  tries: Generated<number>;
  changed_at: Instant;
}
export interface BatchesTable {
  id: string;
  action: 'open' | 'close';
  state: 'running' | 'done' | 'interrupted';
  cause: string;
  user_id: number;
  operator: string;
  address: string;
  channel: string;
  request_id: string;
  pace_ms: number;
  created_at: Instant;
  beat_at: Instant;
  ended_at: Date | null;
}
export interface BatchLinesTable {
  batch_id: string;
  position: number;
  device_id: number;
  line_id: number;
  state: 'waiting' | 'requested' | 'skipped' | 'refused' | 'not_sent';
  reason: string | null;
  reason_with: Particulars;
  command_id: string | null;
  at: Date | null;
  after_number: Generated<number>;
  project_id: ColumnType<number | null, number | null | undefined, never>;
}
