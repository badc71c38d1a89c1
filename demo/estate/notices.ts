import { interlockCodes } from '#contract/alarm-catalogue.ts';
import type { Db } from '#database/connect.ts';
import { type FurnishedUser, projectsOf } from './people.ts';

/** A rule of the demo estate with the fields that planning its deliveries needs. */
export interface FurnishedRule extends RuleSeed {
  id: number;
  owner: FurnishedUser;
  recipients: readonly FurnishedUser[];
  /** Empty: all. */
  projectIds: readonly number[];
}
interface RuleSeed {
  /** The rule's name, as its author gave it. */
  name: string;
  by: string;
  channel: 'app' | 'wechat' | 'webhook';
  to: readonly string[];
  toContacts?: true;
  codes?: readonly number[];
  levels?: readonly number[];
  silenceMinutes: number;
  /** Local time, HH:MM. */
  window?: readonly [from: string, to: string];
  webhookUrl?: string;
  disabled?: true;
}
/** Alarms with a danger of fire or injury, trips, and failures to open. */
const grave: readonly number[] = [...interlockCodes, 701, 703];
const seeds: readonly RuleSeed[] = [
  {
    name: '重大故障立即通知',
    by: 'admin',
    channel: 'app',
    to: ['admin', 'operations'],
    codes: grave,
    levels: [2],
    silenceMinutes: 10,
  },
  {
    name: '值班室',
    by: 'operations',
    channel: 'app',
    to: ['duty'],
    levels: [2],
    silenceMinutes: 60,
  },
  {
    name: '大厦工作时间预警',
    by: 'office-sz',
    channel: 'app',
    to: ['office-sz'],
    levels: [1],
    silenceMinutes: 30,
    window: ['08:00', '20:00'],
  },
  {
    name: '医院夜间值守',
    by: 'hospital-hz',
    channel: 'app',
    to: ['hospital-hz'],
    toContacts: true,
    codes: [102, 105, 201, 801, ...grave],
    silenceMinutes: 20,
    window: ['18:00', '08:00'],
  },
  {
    name: '设备离线',
    by: 'guangdong',
    channel: 'wechat',
    to: ['guangdong'],
    codes: [801],
    silenceMinutes: 60,
  },
  {
    name: '工单系统对接',
    by: 'operations',
    channel: 'webhook',
    to: [],
    levels: [2],
    silenceMinutes: 0,
    webhookUrl: 'https://workorders.example.org/ampwatch',
    disabled: true,
  },
];

/** Notification rules: one of every kind, within its owner's scope. */
export const furnishNotices = async (
  db: Db,
  people: readonly FurnishedUser[],
  now: number,
): Promise<FurnishedRule[]> => {
  const called = (username: string) => people.find((user) => user.username === username);
  const at = new Date(now - 45 * 86_400_000);
  const rules: FurnishedRule[] = [];
  for (const seed of seeds) {
    const owner = called(seed.by);
    if (!owner) continue;
    const recipients = seed.to.map(called).filter((user) => user !== undefined);
    const projectIds = projectsOf(owner);
    const { id } = await db
      .insertInto('notices')
      .values({
        name: seed.name,
        channel: seed.channel,
        to_contacts: seed.toContacts ?? false,
        user_ids: recipients.map((user) => user.id),
        project_ids: [...projectIds],
        codes: [...(seed.codes ?? [])],
        levels: [...(seed.levels ?? [])],
        silence_minutes: seed.silenceMinutes,
        window_from: seed.window?.[0] ?? null,
        window_to: seed.window?.[1] ?? null,
        enabled: seed.disabled !== true,
        webhook_url: seed.webhookUrl ?? null,
        webhook_secret: null,
        language: 'zh-CN',
        owner_id: owner.id,
        created_at: at,
        updated_at: at,
        deleted_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    rules.push({ ...seed, id, owner, recipients, projectIds });
  }
  return rules;
};
