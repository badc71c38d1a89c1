import * as z from 'zod';
import { instant } from './endpoint.ts';

export const noticeChannels = ['app', 'wechat', 'webhook'] as const;
const deliveryStates = ['queued', 'sent', 'accepted', 'failed', 'suppressed'] as const;
export const deliveryKinds = [
  'raised',
  'escalated',
  'urged',
  'reminder',
  'digest',
  'cleared',
  'test',
] as const;
/**
 * Why nothing was sent, or why it failed. 'consequence': another alarm explains this one; 'deleted': the alarm lasted
 * less than two seconds, or a user deleted it. 'grouped': another delivery to the same recipient names this alarm;
 * 'interrupted': the server ended while sending; 'timeout': no answer in time. Both are tried again with the same
 * delivery id. 'active_again': the alarm returned before its all-clear was sent; 'not_notified': no user got the
 * alarm. 'owner_disabled', 'owner_scope': the account that made the rule is disabled or deleted, or no longer sees the
 * project that the rule names; 'account_disabled': the recipient's account is. 'recipient_scope': the recipient no
 * longer sees the alarm; 'rule_changed': the rule no longer covers the alarm or names the recipient; 'no_reader': no recipient of the rule sees it; 'no_regional_admin', 'no_admin': no account of that role sees it.
 */
const deliveryReasons = [
  'silence',
  'window',
  'flood',
  'grouped',
  'disabled',
  'late',
  'shelved',
  'handled',
  'consequence',
  'deleted',
  'no_account',
  'no_subscription',
  'no_openid',
  'not_configured',
  'secret_unreadable',
  'not_subscribed',
  'gone',
  'private_address',
  'refused',
  'quota',
  'busy',
  'unreachable',
  'timeout',
  'interrupted',
  'active_again',
  'not_notified',
  'owner_disabled',
  'owner_scope',
  'account_disabled',
  'recipient_scope',
  'rule_changed',
  'no_contact',
  'no_reader',
  'no_regional_admin',
  'no_admin',
] as const;
/** Reasons of rows that were no alarm for their recipient: they do not count for a flood. */
export const unsentReasons: readonly DeliveryReason[] = [
  'disabled',
  'owner_disabled',
  'owner_scope',
  'account_disabled',
  'recipient_scope',
  'rule_changed',
  'no_contact',
  'no_reader',
  'no_regional_admin',
  'no_admin',
];
export type DeliveryReason = (typeof deliveryReasons)[number];

/** One entry of the delivery log: alarm, recipient and channel. */
export const deliveryRow = z.object({
  id: z.int(),
  kind: z.enum(deliveryKinds),
  channel: z.enum(noticeChannels),
  recipient: z.string(),
  state: z.enum(deliveryStates),
  reason: z.string().nullable(),
  attempts: z.int(),
  /** Number of alarms in this delivery; `lead_id`: the delivery that reported this alarm. */
  alarms: z.int(),
  lead_id: z.int().nullable(),
  created_at: instant,
  due_at: instant,
  sent_at: instant.nullable(),
  ended_at: instant.nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export type DeliveryRow = z.output<typeof deliveryRow>;
