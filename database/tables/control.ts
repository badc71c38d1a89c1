import type { ColumnType, Generated } from 'kysely';
import type { Big, Instant } from './directory.ts';

export type CommandState =
  | 'created'
  | 'sent'
  | 'acknowledged'
  | 'verified'
  | 'answered'
  | 'failed'
  | 'mismatch'
  | 'expired'
  | 'unknown';
/** Null until it is set. */
type Unset<Value> = ColumnType<Value | null, Value | null | undefined, Value | null>;
type Details = ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;

export interface CommandsTable {
  id: string;
  device_id: number;
  line_id: number;
  number: Big;
  verb: string;
  parameters: ColumnType<Record<string, unknown>, string | undefined, string>;
  state: CommandState;
  reason: string | null;
  cause: string;
  batch_id: string | null;
  user_id: number | null;
  project_id: ColumnType<number | null, number | null | undefined, never>;
  operator: string;
  address: string;
  created_at: Instant;
  expires_at: Instant;
  deadline_at: Instant;
  sent_at: Date | null;
  acknowledged_at: Date | null;
  ended_at: Date | null;
  ack: Details;
  evidence: Details;
  late: Details;
  newest_boot: Unset<number>;
  newest_seq: Unset<number>;
  skew_ms: Unset<number>;
  moved_at: Unset<Date>;
  moved_boot: Unset<number>;
  moved_seq: Unset<number>;
  revision: Generated<number>;
}
export interface PositionEventsTable {
  line_id: number;
  at: Instant;
  boot: Big;
  seq: Big;
  position: number;
  cause: string;
  code: number | null;
  command_id: string | null;
  received_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  judged: Generated<boolean>;
}
/** The last position that the server judged a line to be in. */
export interface JudgedPositionsTable {
  line_id: number;
  position: number;
  at: Instant;
  boot: Big;
  seq: Big;
}
/**
 * A device under an active lock-out tag; `line_id` null: every line of it. A tagged project without devices
 * has no row.
 */
export interface ActiveTagsView {
  tag_id: number;
  project_id: number | null;
  device_id: number | null;
  line_id: number | null;
  placed_on: 'line' | 'device' | 'project';
  reason: string;
  owner_id: number;
  set_at: Date;
}
/** Devices' answers to commands that are not processed yet. */
export interface CommandAnswersTable {
  id: Generated<number>;
  command_id: string;
  device_id: number;
  received_at: Instant;
  ack: ColumnType<Record<string, unknown>, string, string>;
}
export interface LockoutTagsTable {
  id: Generated<number>;
  project_id: number | null;
  device_id: number | null;
  line_id: number | null;
  reason: string;
  photo_id: string | null;
  review_at: Date | null;
  owner_id: number;
  set_at: Instant;
  removed_at: Date | null;
  removed_by: number | null;
  removal_reason: string | null;
  /** When the owner was notified that the review is due. */
  reminded_at: Date | null;
}
