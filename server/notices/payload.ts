/**
 * The content of a message about its alarms: parameters of the sentence, and the bodies of pushes and
 * webhooks.
 */
import { DateTime } from 'luxon';
import { alarmPhases } from '#contract/alarm-catalogue.ts';
import { alarmName } from '#contract/alarm-names.ts';
import { alarmUnit } from '#contract/alarm-units.ts';
import type { Language } from '#contract/languages.ts';
import type { WebhookAlarm, WebhookBody } from '#contract/webhook.ts';
import type { Fact } from './facts.ts';
import { namedAtOnce } from './notices.rules.ts';

const longestPlace = 60;
/** A message that goes out this long after the alarm was raised says when that was. */
const promptMs = 5 * 60_000;

/** Parameters of the sentence about an alarm, and of the lines that name the other alarms of the message. */
export const wordsOf = (fact: Fact, others: readonly Fact[], now: number): Record<string, unknown> => ({
  code: fact.code,
  level: fact.level,
  place: fact.place,
  alarms: 1 + others.length,
  late: fact.late,
  ...(fact.tripped ? { tripped: true } : {}),
  ...overOf([fact, ...others]),
  ...(now - fact.raisedAt > promptMs
    ? { raised: DateTime.fromMillis(fact.raisedAt, { zone: fact.zone }).toFormat('yyyy-MM-dd HH:mm') }
    : {}),
  ...(others.length > 0
    ? {
        others: others.slice(0, namedAtOnce.app - 1).map((other) => ({
          code: other.code,
          level: other.level,
          place: [...other.place].slice(-longestPlace).join(''),
        })),
      }
    : {}),
  ...(fact.whole ? { devices: fact.whole.devices, of: fact.whole.of } : {}),
});

/** What ended the alarms of an all-clear, if it was not that all are back to normal. */
export const overOf = (facts: readonly Fact[]): { over?: string } => {
  const reasons = new Set(facts.map(({ endedBy }) => endedBy));
  const [only] = reasons;
  if (reasons.size > 1) return { over: 'ended' };
  return only ? { over: only } : {};
};

export const unitOf = ({ code, valueType, unit }: Fact): string =>
  alarmUnit({ typeNumber: code, value_type: valueType, unit }).unit;
const iso = (at: number) => new Date(at).toISOString();
const alarmOf = (fact: Fact, language: Language): WebhookAlarm => ({
  alarm_id: fact.alarmId,
  work_order: fact.workOrder,
  typeNumber: fact.code,
  type: alarmName(language, fact.code),
  level: fact.level,
  severity: fact.severity,
  phase: alarmPhases[fact.phase] ?? '',
  value: fact.value,
  peak: fact.peak,
  threshold: fact.threshold,
  unit: unitOf(fact),
  project_id: fact.projectId,
  project_name: fact.projectName,
  address: fact.address,
  device_id: fact.deviceId,
  device_number: fact.deviceNumber,
  device_name: fact.deviceName,
  line_id: fact.lineId,
  line_n: fact.lineN,
  line_name: fact.lineName,
  time: iso(fact.raisedAt),
  received_time: iso(fact.receivedAt),
  cleared_time: fact.clearedAt === null ? null : iso(fact.clearedAt),
  active: fact.active,
  status: fact.processed ? 'processed' : 'unprocessed',
  late: fact.late,
});

export interface Words {
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly language: Language;
}
interface Sent {
  readonly id: number;
  readonly attempts: number;
  readonly kind: WebhookBody['kind'];
  readonly created_at: Date;
}

/** `facts`: most severe first; empty for a test. */
export const webhookPayload = (row: Sent, facts: readonly Fact[], words: Words): WebhookBody => {
  const list = facts.map((fact) => alarmOf(fact, words.language));
  return {
    delivery_id: row.id,
    attempt: row.attempts,
    kind: row.kind,
    title: words.title,
    text: words.text,
    created_time: row.created_at.toISOString(),
    url: words.url,
    ...list[0],
    alarms: Math.max(1, list.length),
    list,
  };
};

const toLine: Readonly<Record<Language, string>> = {
  'zh-CN': '查看线路',
  'en-US': 'Go to the line',
  'ru-RU': 'К линии',
};
/** A second link beside the alarm: to the line, where it is opened, tagged or reset. */
const lineAction = ([worst]: readonly Fact[], language: Language) =>
  worst?.deviceId && worst.lineId
    ? {
        line: {
          title: toLine[language],
          address: `/home/devicedetails?device_id=${worst.deviceId}&tab=lines&line_id=${worst.lineId}`,
        },
      }
    : {};

/** Small, because a push service accepts 4,096 bytes. */
export const pushPayload = (
  row: Sent,
  facts: readonly Fact[],
  { title, text, language }: Words,
): Record<string, unknown> => ({
  delivery_id: row.id,
  kind: row.kind,
  title,
  text,
  alarms: Math.max(1, facts.length),
  ...(facts[0] ? { alarm_id: facts[0].alarmId, severity: facts[0].severity } : {}),
  ...lineAction(facts, language),
});
