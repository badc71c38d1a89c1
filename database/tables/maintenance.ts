import type { ColumnType, Generated } from 'kysely';
import type { maintenanceCauses, maintenanceKinds, maintenanceStates } from '#contract/backups.ts';
import type { Instant } from './directory.ts';

export type MaintenanceKind = (typeof maintenanceKinds)[number];
export type MaintenanceState = (typeof maintenanceStates)[number];

type Later<Type> = ColumnType<Type | null, Type | null | undefined, Type | null>;
export interface MaintenanceJobsTable {
  id: string;
  kind: MaintenanceKind;
  cause: (typeof maintenanceCauses)[number];
  state: MaintenanceState;
  tables: ColumnType<string[] | null, string[] | null, never>;
  backup: Later<string>;
  passphrase: Later<Buffer>;
  user_id: number | null;
  operator: string;
  step: Later<string>;
  done: Generated<number>;
  total: Generated<number>;
  attempts: Generated<number>;
  cancel_asked: Generated<boolean>;
  created_at: Instant;
  started_at: Later<Date>;
  ended_at: Later<Date>;
  fault: Later<string>;
  fault_with: ColumnType<Record<string, string | number>, string | undefined, string>;
  result: ColumnType<Record<string, unknown>, string | undefined, string>;
}
