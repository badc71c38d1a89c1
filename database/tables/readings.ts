import type { ColumnType } from 'kysely';
import type { Big, Instant } from './directory.ts';

export interface ReadingsTable {
  line_id: number;
  at: Instant;
  /** Unsigned 32 bits: values of 2^31 and more are stored as negative numbers. The same holds for `seq`. */
  boot: number;
  seq: number;
  sent_ms: number | null;
  rx_ms: number;
  position: number | null;
  trip: number | null;
  lock: number | null;
  flags: number | null;
  energy: number | null;
  channels: (number | null)[];
}
export interface LineLatestTable {
  line_id: number;
  at: Instant;
  received_at: Instant;
  boot: Big;
  seq: Big;
  /**
   * Null: never reported, or its sensor reports a fault; `position_at` distinguishes the two. The same holds
   * for trip and lock.
   */
  position: number | null;
  position_at: Date | null;
  position_boot: Big | null;
  position_seq: Big | null;
  trip: number | null;
  trip_at: Date | null;
  trip_boot: Big | null;
  trip_seq: Big | null;
  lock: number | null;
  lock_at: Date | null;
  lock_boot: Big | null;
  lock_seq: Big | null;
  energy: number | null;
  channels: (number | null)[];
  commanded: number | null;
  commanded_at: Date | null;
  commanded_by: string | null;
  acknowledged: number | null;
  acknowledged_at: Date | null;
}
export interface RollupTable {
  line_id: number;
  bucket: Instant;
  samples: number;
  covered_s: number;
  energy_kwh: number;
  energy_flags: number;
  /** Part of `energy_kwh` that no reading assigns to this time. */
  estimated_kwh: number;
  /** Part of `energy_kwh` that corrections added. */
  corrected_kwh: number;
  /** For a filter: input minus output, kWh. */
  loss_kwh: number | null;
  resets: number;
  power_min: number | null;
  power_avg: number | null;
  power_max: number | null;
  current_max: number | null;
  /** Means. */
  current_a: number | null;
  current_b: number | null;
  current_c: number | null;
  voltage_min: number | null;
  voltage_max: number | null;
  leakage_max: number | null;
  temperature_max: number | null;
  energy_first: number | null;
  energy_last: number | null;
  first_at: Date | null;
  last_at: Date | null;
}
/** The highest power beyond a line's rating that its register has proved, kW. */
export interface LineCapacityTable {
  line_id: number;
  max_kw: number;
}
export interface RollupDirtyTable {
  line_id: number;
  hour: Instant;
  /** The oldest and newest reading of the hour that the rollups do not contain; null: the whole hour. */
  since: Instant | null;
  until: Instant | null;
}
/** Lines whose days and months must be calculated again. */
export interface RollupRebuildTable {
  line_id: number;
}
/** Energy of a whole project (part 0) or a part in a quarter of an hour. */
export interface LoadQuarterTable {
  project_id: number;
  part_id: number;
  bucket: Instant;
  lines: number;
  covered_s: number;
  energy_kwh: number;
  energy_flags: number;
  power_w: number | null;
}
export interface LoadDirtyTable {
  project_id: number;
  hour: Instant;
}
/** Projects whose load must be summed again: their quarters of an hour before `before`, the newest first. */
export interface LoadRebuildTable {
  project_id: number;
  before: Instant;
}
/** Each time in which a project or part had a line; `until` of the present one is infinity. */
export interface MeteredTimesView {
  line_id: number;
  device_id: number;
  project_id: number;
  part_id: number | null;
  since: Instant;
  until: Instant;
  incoming: boolean;
  in_parts: boolean;
}
/** Which lines are summed up for the energy of their device, part and project. */
export interface EnergyLinesView {
  line_id: number;
  device_id: number;
  project_id: number | null;
  part_id: number | null;
  in_parts: boolean;
}
export interface DeviceReportedTable {
  device_id: number;
  kind: 'info' | 'cfg';
  received_at: Instant;
  payload: ColumnType<Record<string, unknown>, string, string>;
}
