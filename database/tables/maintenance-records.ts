import type { Generated } from 'kysely';
import type { Instant, Json } from './directory.ts';

export interface MaintenanceLine {
  line_id: number;
  n: number;
  name: string;
}
export interface MaintenanceAlarm {
  id: number;
  work_order: string;
  typeNumber: number;
}
export interface MaintenanceRecordsTable {
  id: Generated<number>;
  kind: 'routine' | 'inspection' | 'repair' | 'replacement';
  project_id: number;
  part_id: number | null;
  device_id: number | null;
  device_number: string;
  device_name: string;
  address: string;
  maintenance_time: Instant;
  handler_name: string;
  handler_phone: string;
  content: string;
  fault_content: string;
  result: string;
  suggestion: string;
  before_images: string[];
  after_images: string[];
  lines: Json<MaintenanceLine[]>;
  alarms: Json<MaintenanceAlarm[]>;
  author_id: number;
  created_at: Instant;
  /** In the order of trips and maintenance records. */
  place: Generated<number>;
  revision: Generated<number>;
  deleted_at: Date | null;
}
