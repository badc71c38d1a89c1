import type { ColumnType, Generated } from 'kysely';
import type { rolloutDeviceStates, rolloutStates } from '#contract/firmware.ts';
import type { Instant } from './directory.ts';

type Later<Type> = ColumnType<Type | null, Type | null | undefined, Type | null>;

export interface FirmwareKeysTable {
  id: Generated<number>;
  name: string;
  public_key: Buffer;
  added_by: string;
  added_at: Instant;
  revoked_at: Later<Date>;
}
export interface FirmwareVersionsTable {
  id: Generated<number>;
  mac_type: number;
  mac_name: string;
  app_version: string;
  platform_version: string;
  link: string | null;
  token: string | null;
  size: number;
  sha256: string;
  signature: Buffer;
  key_id: number;
  notes: Generated<string>;
  enabled: Generated<boolean>;
  created_by: string;
  created_at: Instant;
  revision: Generated<number>;
  deleted_at: Later<Date>;
}
export interface RolloutsTable {
  id: Generated<number>;
  version_id: number;
  state: (typeof rolloutStates)[number];
  reason: Later<string>;
  canary_percent: number;
  wave_percent: number;
  per_minute: number;
  step_minutes: number;
  stop_percent: number;
  wave: Generated<number>;
  waves: number;
  total: number;
  author_id: number;
  author: string;
  created_at: Instant;
  ended_at: Later<Date>;
  revision: Generated<number>;
}
export interface RolloutDevicesTable {
  rollout_id: number;
  device_id: number;
  wave: number;
  state: Generated<(typeof rolloutDeviceStates)[number]>;
  from_version: string;
  /** The device's project when the rollout began. */
  project_id: ColumnType<number | null, number | null | undefined, never>;
  percent: Later<number>;
  reason: Later<string>;
  reason_with: ColumnType<Record<string, string | number>, string | undefined, string>;
  command_id: Later<string>;
  tries: Generated<number>;
  try_at: Later<Date>;
  asked_at: Later<Date>;
  deadline_at: Later<Date>;
  updated_at: Instant;
}
