import type { ColumnType, Generated } from 'kysely';
import type { AlarmEventMessage } from '#contract/telemetry.ts';
import type { Big, Instant } from './directory.ts';

export interface AlarmTypesTable {
  code: number;
  enabled: Generated<boolean>;
  updated_at: Instant;
}
export interface DefaultThresholdsTable {
  /** 0: for the whole installation. */
  project_id: number;
  device_type: number;
  thresholds: ColumnType<Record<string, number>, string, string>;
  updated_at: Instant;
  updated_by: number;
}
export interface WorkOrdersTable {
  day: string;
  last: number;
}
export interface AlarmsTable {
  line_id: number;
  id: Big;
  device_id: number;
  project_id: number | null;
  part_id: number | null;
  code: number;
  phase: Generated<number>;
  level: number;
  severity: number;
  source: string;
  event_id: string | null;
  work_order: string;
  raised_at: Instant;
  received_at: Instant;
  last_at: Instant;
  cleared_at: Date | null;
  normal_at: Date | null;
  latched: Generated<boolean>;
  suppressed_by: number | null;
  occurrences: Generated<number>;
  value: number | null;
  peak: number | null;
  threshold: number | null;
  value_type: number;
  snapshot: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  original: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  late: Generated<boolean>;
  handled_at: Date | null;
  processed: ColumnType<boolean, never, never>;
  handled_by: number | null;
  handled_channel: string | null;
  handling_content: string | null;
  urged: Generated<number>;
  urged_at: Date | null;
  tags: Generated<string[]>;
  deleted_at: Date | null;
  deleted_by: number | null;
  revision: Generated<number>;
  previous_id: number | null;
  boot: Big | null;
  /** Unit of value, peak and threshold, if it is not the type's own. */
  unit: string | null;
  open_events: ColumnType<StoredEvents | null, string | null, string | null>;
}
/** The open events of an alarm, when there are others than the one that it is named after. */
export interface StoredEvents {
  own_ended: boolean;
  others: {
    event_id: string;
    at: number;
    /** Null if an earlier work order was named after it. */
    event: { received_at: number; message: AlarmEventMessage; original: unknown; late?: boolean } | null;
  }[];
}
export interface LineConditionsTable {
  line_id: number;
  code: number;
  phase: number;
  device_id: number;
  since: Instant;
  source: string;
  event_id: string | null;
  boot: Big | null;
  latched: boolean;
  open_events: ColumnType<StoredEvents | null, string | null, string | null>;
}
export interface LineTripsTable {
  line_id: number;
  device_id: number;
  code: number;
  grave: boolean;
  at: Instant;
  received_at: Instant;
  /** In the order of trips and maintenance records; null: a late report, which counts from its own time. */
  place: ColumnType<number | null, number | null | undefined, number | null>;
}
export interface AlarmHistoryTable {
  line_id: number;
  alarm_id: Big;
  seq: number;
  at: Instant;
  kind: string;
  user_id: number | null;
  data: ColumnType<Record<string, unknown>, string | undefined, string>;
}
export interface AlarmEventsTable {
  line_id: number;
  at: Instant;
  code: number;
  phase: number;
  level: number;
  kind: string;
  value: number | null;
  threshold: number | null;
  event_id: string | null;
  late: Generated<boolean>;
}
export interface LateStretchesTable {
  line_id: number;
  since: Instant;
  until: Instant;
  first_received_at: Instant;
  last_received_at: Instant;
}
export interface ReturnedAlarmsTable {
  alarm_id: Big;
  line_id: number;
  gone_at: Instant;
  again_at: Date | null;
}
export interface ShelvedAlarmsTable {
  alarm_id: Big;
  line_id: number;
  level: number;
  shelved_at: Instant;
  until: Instant;
  user_id: number;
  reason: string;
}
export interface AlarmTalliesTable {
  code: number;
  level: number;
  severity: number;
  processed: boolean;
  n: Big;
}

/** Alarms of one UTC day, packed for the statistics. */
export interface AlarmDaysTable {
  day: string;
  files: string;
  raised: number;
  packed: Buffer;
}
export interface AlarmDaysChangedTable {
  day: string;
}
export interface AlarmDaysClosedTable {
  id: Generated<number>;
  until: Instant;
  since: Instant;
}
