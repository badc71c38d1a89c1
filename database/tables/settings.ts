import type { ColumnType } from 'kysely';
import type { Big, Instant } from './directory.ts';

export type SettingKind = 'parameter' | 'enable' | 'custom';
export type DesiredState = 'pending' | 'applied' | 'conflict' | 'rejected';
type ConfigMessageState = 'sent' | 'applied' | 'conflict' | 'rejected' | 'undelivered' | 'expired';
export interface SettingChange {
  kind: SettingKind;
  place: number;
  key: string;
  before: unknown;
  after: unknown;
}

export interface DeviceSettingsTable {
  device_id: number;
  revision: ColumnType<number, number | undefined, number>;
  reported: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  reported_rev: number | null;
  reported_at: Date | null;
  due_at: Date | null;
}
export interface SettingChangesTable {
  device_id: number;
  revision: number;
  at: Instant;
  operator: string | null;
  changes: ColumnType<SettingChange[], string, string>;
}
export interface DeviceDesiredTable {
  device_id: number;
  kind: SettingKind;
  place: number;
  key: string;
  value: ColumnType<unknown, string, string>;
  seen: ColumnType<unknown, string | null, string | null>;
  state: DesiredState;
  reason: string | null;
  revision: number;
  job_id: string | null;
  message_id: string | null;
  user_id: number | null;
  operator: string;
  /** The device's project when it was asked for. */
  project_id: ColumnType<number | null, number | null | undefined, number | null>;
  wished_at: Instant;
  sent_at: Date | null;
  settled_at: Date | null;
}
export interface ConfigMessagesTable {
  id: string;
  device_id: number;
  purpose: string;
  base: Big;
  content: ColumnType<Record<string, unknown>, string, string>;
  state: ConfigMessageState;
  reason: string | null;
  sent_at: Instant;
  expires_at: Instant;
  ended_at: Date | null;
}
