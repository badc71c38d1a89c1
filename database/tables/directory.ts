import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** A timestamptz column: read as Date, written as Date. */
export type Instant = ColumnType<Date, Date, Date>;
/** A bigint column: read as number (see connect.ts), written as number. */
export type Big = ColumnType<number, number, number>;
export type Json<Value extends object | null> = JSONColumnType<Value, string, string>;

export interface RegionsTable {
  id: number;
  pid: number | null;
  name: string;
  latin: string;
  code: string;
  first: string;
  lat: number;
  lng: number;
  approximate: Generated<boolean>;
  level: number;
  merger_name: string;
  pinyin: string;
  region_code: string;
  shortname: string;
  zip_code: Generated<string>;
  path: string;
}
export interface ProjectsTable {
  id: Generated<number>;
  code: string;
  name: string;
  kind: Generated<string>;
  region_id: number;
  address: Generated<string>;
  detailed_address: Generated<string>;
  contact_name: Generated<string>;
  contact_phone: Generated<string>;
  area_m2: number | null;
  contract_kw: number | null;
  lat: number;
  lng: number;
  time_zone: Generated<string>;
  nominal_voltage: Generated<number>;
  joined_at: Instant;
  revision: Generated<number>;
  deleted_at: Date | null;
}
export interface ProjectPartsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
}
export interface RolesTable {
  id: Generated<number>;
  code: number;
  name: string;
  description: Generated<string>;
  parent_id: number | null;
  letters: Generated<string>;
  enabled: Generated<boolean>;
  built_in: Generated<boolean>;
  /** The account that created the role; null: the role belongs to the installation. */
  owner_id: number | null;
  /** Its users must sign in with a second step. */
  two_step: Generated<boolean>;
  revision: Generated<number>;
}
export interface UsersTable {
  id: Generated<number>;
  username: string;
  nickname: Generated<string>;
  email: Generated<string>;
  mobile: Generated<string>;
  /** When an administrator confirmed the number; null: the account receives no alarms of contacts. */
  mobile_proved_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  password_hash: string;
  password_changed_at: Instant;
  role_id: number;
  enabled: Generated<boolean>;
  auto_sign_in: Generated<boolean>;
  region_id: number | null;
  sessions_from: Generated<Date>;
  failed_tries: Generated<number>;
  locked_until: Date | null;
  created_at: Instant;
  preferences: ColumnType<Record<string, unknown>, string | undefined, string>;
  revision: Generated<number>;
  deleted_at: Date | null;
  /** Nickname, user name, email and phone in lower case: the text that a search compares. */
  sought: GeneratedAlways<string>;
}
export interface UserProjectsTable {
  user_id: number;
  project_id: number;
  part_ids: Generated<number[]>;
}
export interface SessionsTable {
  token_hash: Buffer;
  user_id: number;
  created_at: Instant;
  seen_at: Instant;
  authenticated_at: Instant;
  expires_at: Instant;
  address: string;
  agent: string;
  ended_as: number | null;
}
export interface OneTimeLinksTable {
  token_hash: Buffer;
  user_id: number;
  expires_at: Instant;
}
export interface CaptchasTable {
  id: string;
  answer_hash: Buffer;
  tries: Generated<number>;
  expires_at: Instant;
}
export interface TwoStepTable {
  user_id: number;
  secret: Buffer;
  confirmed_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  last_step: ColumnType<number, number | undefined, number>;
  recovery_hashes: Generated<Buffer[]>;
  created_at: Instant;
}
export interface TwoStepTicketsTable {
  token_hash: Buffer;
  user_id: number;
  tries: Generated<number>;
  expires_at: Instant;
}
export interface SmsCodesTable {
  user_id: number;
  mobile: string;
  code_hash: Buffer;
  tries: number;
  sent_at: Instant;
  expires_at: Instant;
}
export interface SmsOutboxTable {
  id: Generated<number>;
  at: Instant;
  user_id: number;
  mobile: string;
  state: 'kept' | 'sent' | 'failed';
  text: string | null;
  error: string | null;
}
export interface SignInTriesTable {
  key: string;
  failures: number;
  last_at: Instant;
}
export interface FailedSignInsTable {
  account: string;
  network: string;
  failures: number;
  first_at: Instant;
  last_at: Instant;
}
export interface KnownBrowsersTable {
  token_hash: Buffer;
  user_id: number;
  used_at: Instant;
}
/** The limits in effect on a line, by parameter key; `inherited`: without the line's own values. */
export interface EffectiveThresholdsView {
  line_id: number;
  inherited: Record<string, number>;
  set_in_device: Record<string, number>;
  set_in_project: Record<string, number>;
  thresholds: Record<string, number>;
}
/** Data scopes of users, except users of role 1, who see everything. `part_id` null: the whole project. */
export interface UserScopesView {
  user_id: number;
  project_id: number;
  part_id: number | null;
  /** The scope follows from the user's region, not from single projects. */
  by_region: boolean;
}
export interface DevicePastOwnersTable {
  device_id: number;
  project_id: number;
  part_id: number | null;
  since: Instant;
  until: Instant;
  /** Lines that supplied the whole project in this time. */
  incoming: Generated<number[]>;
}
/** Past owners and the present one, whose `until` is infinity. */
export interface DeviceOwnershipsView extends DevicePastOwnersTable {}
export interface SerialsTable {
  user_id: number;
  serial: string;
  path: string;
  body_hash: Buffer;
  status: number;
  answer: ColumnType<unknown, string, string>;
  created_at: Instant;
}
export interface Contact {
  name: string;
  phone: string;
}
export interface DevicesTable {
  id: Generated<number>;
  number: string;
  name: Generated<string>;
  type: number;
  model: Generated<string>;
  secret_hash: Buffer;
  project_id: number | null;
  part_id: number | null;
  address: Generated<string>;
  lat: number | null;
  lng: number | null;
  registered_at: Instant;
  bound_at: Date | null;
  expires_on: ColumnType<string | null, string | null, string | null>;
  contacts: ColumnType<Contact[], string | undefined, string>;
  image_id: string | null;
  firmware: Generated<string>;
  hardware: Generated<string>;
  imei: Generated<string>;
  imsi: Generated<string>;
  iccid: Generated<string>;
  caps: Generated<string[]>;
  info: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  net_ctrl: Generated<boolean>;
  upload_seconds: Generated<number>;
  learnt_seconds: Generated<number | null>;
  /** A nominal voltage that fits the device's readings and waits for an operator; and the declined one. */
  proposed_voltage: Generated<number | null>;
  declined_voltage: Generated<number | null>;
  /** The configured or learned interval, whichever is longer. */
  interval_seconds: GeneratedAlways<number>;
  revision: Generated<number>;
  deleted_at: Date | null;
  category_id: number | null;
}
export interface DeviceStateTable {
  device_id: number;
  online: Generated<boolean>;
  online_changed_at: Date | null;
  last_seen: Date | null;
  address: string | null;
  rssi: number | null;
  boot: Generated<number>;
  seq: Generated<number>;
  skew_ms: Generated<number>;
  clock_ms: Generated<number>;
  clock_behind_ms: Generated<number>;
  clock_unknown: Generated<boolean>;
  clock_awaited: Generated<boolean>;
  refused: ColumnType<Record<string, number>, string | undefined, string>;
  refused_last: ColumnType<
    { reason: string; at: string; topic: string; excerpt: string } | null,
    string | null | undefined,
    string | null
  >;
  takeovers: Generated<number>;
}
export interface LinesTable {
  id: Generated<number>;
  device_id: number;
  n: number;
  name: Generated<string>;
  alias: Generated<string>;
  model: Generated<string>;
  rated_current: number | null;
  poles: Generated<number>;
  switchable: Generated<boolean>;
  critical: Generated<boolean>;
  /** The line also meters other lines: those of its device, or of the whole project. */
  supplies: Generated<'device' | 'project' | null>;
  thresholds: ColumnType<Record<string, number>, string | undefined, string>;
  created_at: Instant;
  revision: Generated<number>;
}
export interface SettingsTable {
  key: string;
  value: ColumnType<unknown, string, string>;
  updated_at: Instant;
}
export interface UploadsTable {
  id: string;
  media_type: string;
  bytes: number;
  sha256: Buffer;
  content: Buffer;
  created_by: number | null;
  created_at: Instant;
}
export interface OperationLogTable {
  id: Generated<number>;
  at: Instant;
  user_id: number | null;
  operator: string;
  key: string;
  channel: string;
  address: string;
  request_id: string;
  outcome: string;
  code: number;
  project_id: number | null;
  device_id: number | null;
  parameters: ColumnType<Record<string, unknown>, string, string>;
  previous_hash: Buffer;
  hash: Buffer;
}
export interface OperationLogHeadTable {
  only: Generated<boolean>;
  id: Big;
  hash: Buffer;
}
