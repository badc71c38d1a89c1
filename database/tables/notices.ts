import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Big, Instant } from './directory.ts';

export type NoticeChannel = 'app' | 'wechat' | 'webhook';
export type DeliveryKind = 'raised' | 'escalated' | 'urged' | 'reminder' | 'digest' | 'cleared' | 'test';
export type DeliveryState = 'queued' | 'sent' | 'accepted' | 'failed' | 'suppressed';

export interface NoticesTable {
  id: Generated<number>;
  name: Generated<string>;
  channel: NoticeChannel;
  to_contacts: Generated<boolean>;
  user_ids: Generated<number[]>;
  project_ids: Generated<number[]>;
  codes: Generated<number[]>;
  levels: Generated<number[]>;
  silence_minutes: Generated<number>;
  window_from: string | null;
  window_to: string | null;
  enabled: Generated<boolean>;
  /** Without its credentials once `sealed_webhook` holds the full address. */
  webhook_url: string | null;
  /** Plain text from earlier versions; the next start encrypts it. */
  webhook_secret: Generated<string | null>;
  /** Address and signing key, see server/notices/webhook-target.ts. */
  sealed_webhook: Generated<string | null>;
  language: string;
  owner_id: number;
  created_at: Instant;
  updated_at: Instant;
  revision: Generated<number>;
  deleted_at: Date | null;
}
export interface AlarmNoticesTable {
  alarm_id: Big;
  line_id: number;
  level: number;
  urged: number;
  /** Null: not planned yet. */
  planned_at: Date | null;
  checked_at: Instant;
  next_at: Date | null;
  over_at: Date | null;
  /** The region whose administrators were called; null: none were. */
  called_in: number | null;
}
export interface DeliveriesTable {
  id: GeneratedAlways<number>;
  line_id: number;
  alarm_id: Big;
  notice_id: number | null;
  kind: DeliveryKind;
  channel: NoticeChannel;
  recipient: string;
  user_id: number | null;
  target: string;
  device_id: number;
  code: number;
  severity: number;
  state: DeliveryState;
  reason: string | null;
  lead_id: number | null;
  alarms: Generated<number>;
  attempts: Generated<number>;
  created_at: Instant;
  due_at: Instant;
  sent_at: Date | null;
  ended_at: Date | null;
  /** The phone number of the contact whom a step or a reminder called, and when it began to. */
  contact: Generated<string | null>;
  called_at: Generated<Date | null>;
  detail: ColumnType<Record<string, unknown>, string | undefined, string>;
}
export interface PushSubscriptionsTable {
  id: Generated<number>;
  user_id: number;
  endpoint: string;
  p256dh: string;
  auth: string;
  agent: Generated<string>;
  /** The session that subscribed; its sign-out ends the subscription. */
  token_hash: Buffer | null;
  /** The browser, by the token of its last sign-in. */
  browser_hash: Buffer | null;
  created_at: Instant;
}
export interface WechatFollowersTable {
  user_id: number;
  openid: string;
  bound_at: Instant;
}
export interface PopupSettingsTable {
  user_id: number;
  enabled: boolean;
  levels: number[];
  codes: number[];
  sound: string;
  seconds: number;
  updated_at: Instant;
}
export interface MessagesTable {
  id: GeneratedAlways<number>;
  user_id: number;
  type: string;
  key: string;
  data: ColumnType<Record<string, unknown>, string | undefined, string>;
  project_id: number | null;
  device_id: number | null;
  alarm_id: number | null;
  at: Instant;
  read_at: Date | null;
  dedupe: string | null;
}
