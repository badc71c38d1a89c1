import type pg from 'pg';
import { builtInRoles } from '#contract/permissions.ts';
import { isSilenced, opensAt, type Sent, type Step, stepsDue } from '#server/notices/notices.rules.ts';
import type { NotifiedAlarm } from './alarm-rows.ts';
import { iso } from './commands.ts';
import { zone } from './load.ts';
import { type PlannedMessage, placeNamed } from './messages.ts';
import type { FurnishedRule } from './notices.ts';
import { type FurnishedPlace, type FurnishedUser, sees } from './people.ts';
import { places as placeSeeds } from './places.ts';
import { type Random, randomOf } from './random.ts';

const dayMs = 86_400_000;
/** The age of the oldest delivery. */
const ledgerMs = 14 * dayMs;
const pushHost = 'push.example.org';

type Kind = 'raised' | 'escalated' | 'urged' | 'reminder' | 'digest';
interface Delivery {
  alarm: NotifiedAlarm;
  rule: FurnishedRule | null;
  kind: Kind;
  channel: 'app' | 'wechat' | 'webhook';
  recipient: string;
  user: FurnishedUser | null;
  at: number;
  dueAt: number;
  state: 'accepted' | 'failed' | 'suppressed' | 'queued';
  reason: string | null;
  lead: Delivery | null;
  alarms: number;
}
interface PlannedNotices {
  plans: object[];
  deliveries: object[];
  messages: PlannedMessage[];
}

/** Null while the rule's window is open, else the time of its next opening. */
const openingOf = ({ window }: FurnishedRule, at: number): number | null =>
  window ? opensAt({ from: window[0], to: window[1] }, at, zone) : null;

/** The steps that the product's rules plan for an alarm before `until`, and when each is due. */
const courseOf = ({ severity, episode, receivedAt }: NotifiedAlarm, until: number) => {
  const course: { step: Step; due: number }[] = [];
  const isActiveAt = (at: number) => episode.clearedAt === null || episode.clearedAt > at;
  const given = { severity, level: episode.level, plannedAt: receivedAt, zone };
  for (let checkedAt = receivedAt; ; ) {
    const { nextAt } = stepsDue({ ...given, checkedAt, active: isActiveAt(checkedAt) }, checkedAt);
    if (nextAt === null || nextAt >= until) return { course, nextAt };
    const { steps } = stepsDue({ ...given, checkedAt, active: isActiveAt(nextAt) }, nextAt);
    course.push(...steps.map((step) => ({ step, due: nextAt })));
    checkedAt = nextAt;
  }
};

/**
 * The deliveries of two weeks of alarms by the server's rules (domain reference §3.2): silence period, time
 * windows, morning digest, reminders until the alarm is handled.
 */
export const planDeliveries = (
  rules: readonly FurnishedRule[],
  alarms: readonly NotifiedAlarm[],
  places: readonly FurnishedPlace[],
  users: readonly FurnishedUser[],
  given: { now: number; seed: string | number },
): PlannedNotices => {
  const { now, seed } = given;
  const random = randomOf(seed, 'deliveries');
  const recent = alarms.filter(({ receivedAt }) => receivedAt > now - ledgerMs);
  const made: Delivery[] = [];
  const sent = new Map<string, Sent[]>();
  const digests = new Map<string, Delivery>();

  const add = (delivery: Omit<Delivery, 'lead' | 'alarms'>): Delivery => {
    const added = { ...delivery, lead: null, alarms: 1 };
    made.push(added);
    return added;
  };
  const outcome = (channel: Delivery['channel']): Pick<Delivery, 'state' | 'reason'> =>
    channel === 'wechat'
      ? { state: 'failed', reason: 'no_openid' }
      : random.chance(0.05)
        ? { state: 'failed', reason: 'no_subscription' }
        : { state: 'accepted', reason: null };
  const digest = (delivery: Omit<Delivery, 'lead' | 'alarms' | 'state' | 'kind'>) => {
    const { alarm, dueAt, user, channel } = delivery;
    if (dueAt > now) return void add({ ...delivery, kind: 'digest', state: 'queued' });
    if (alarm.handledAt !== null && alarm.handledAt < dueAt)
      return void add({ ...delivery, kind: 'digest', state: 'suppressed', reason: 'handled' });
    const key = `${user?.id} ${channel} ${dueAt}`;
    const lead = digests.get(key);
    if (!lead) return void digests.set(key, add({ ...delivery, kind: 'digest', ...outcome(channel) }));
    lead.alarms += 1;
    add({ ...delivery, kind: 'digest', state: 'suppressed', reason: 'grouped' }).lead = lead;
  };
  const byRules = (alarm: NotifiedAlarm, level: number, kind: Kind, at: number) => {
    const { device, code } = alarm.episode;
    for (const rule of rules) {
      const applies =
        sees(rule.owner, device) &&
        (rule.codes?.includes(code) ?? true) &&
        (rule.levels?.includes(level) ?? true);
      if (!applies) continue;
      const to =
        rule.channel === 'webhook'
          ? [{ user: null, recipient: `${rule.name} (${new URL(rule.webhookUrl!).host})` }]
          : rule.recipients
              .filter((user) => sees(user, device))
              .map((user) => ({ user, recipient: user.name }));
      for (const each of to) {
        const base = { alarm, rule, kind, channel: rule.channel, ...each, at, dueAt: at };
        const key = `${rule.id} ${device.id} ${code}`;
        const known = sent.get(key) ?? [];
        const before = known.filter((one) => one.at < at);
        if (rule.disabled) add({ ...base, state: 'suppressed', reason: 'disabled' });
        else if (kind === 'digest') digest({ ...base, dueAt: openingOf(rule, at) ?? at, reason: null });
        else if (isSilenced(rule.silenceMinutes, before, { ...alarm, level, kind }, at))
          add({ ...base, state: 'suppressed', reason: 'silence' });
        else if (openingOf(rule, at) !== null && alarm.severity > 1)
          digest({ ...base, dueAt: openingOf(rule, at)!, reason: 'window' });
        else {
          sent.set(key, [...known, { at, lineId: alarm.lineId, level }]);
          add({ ...base, ...outcome(rule.channel) });
        }
      }
    }
  };
  const toPerson = (
    alarm: NotifiedAlarm,
    user: FurnishedUser,
    kind: Kind,
    at: number,
    recipient = user.name,
  ) => add({ alarm, rule: null, kind, channel: 'app', recipient, user, at, dueAt: at, ...outcome('app') });
  const toContact = (alarm: NotifiedAlarm, kind: Kind, at: number) => {
    const contact = placeSeeds[places.findIndex(({ id }) => id === alarm.episode.device.projectId)];
    if (!contact) return;
    const recipient = `${contact.contact_name} (${contact.contact_phone})`;
    const user = users.find(({ mobile }) => mobile === contact.contact_phone);
    if (user) return void toPerson(alarm, user, kind, at, recipient);
    const nobody = { state: 'failed', reason: 'no_account', user: null } as const;
    add({ alarm, rule: null, kind, channel: 'app', recipient, at, dueAt: at, ...nobody });
  };
  const ofRole = (alarm: NotifiedAlarm, role: number, at: number) => {
    for (const user of users)
      if (user.role === role && sees(user, alarm.episode.device)) toPerson(alarm, user, 'reminder', at);
  };

  for (const alarm of recent) {
    const { episode } = alarm;
    const { escalatedAt } = episode;
    const at = alarm.receivedAt + Math.floor(random.between(30, 250));
    const until = Math.min(alarm.handledAt ?? now, now);
    byRules(alarm, escalatedAt === null ? episode.level : 1, 'raised', at);
    if (escalatedAt !== null && escalatedAt < until) byRules(alarm, 2, 'escalated', escalatedAt);
    if (alarm.urgedAt !== null) toContact(alarm, 'urged', alarm.urgedAt);
    for (const { step, due } of courseOf(alarm, until).course)
      if (step === 'contact') toContact(alarm, 'reminder', due);
      else if (step === 'region') ofRole(alarm, builtInRoles.regionalAdmin, due);
      else if (step === 'platform') ofRole(alarm, builtInRoles.admin, due);
      else byRules(alarm, episode.level, step === 'digest' ? 'digest' : 'reminder', due);
  }
  made.sort((a, b) => a.at - b.at || a.alarm.id - b.alarm.id);
  const ids = new Map(made.map((delivery, index) => [delivery, index + 1]));
  return {
    plans: alarms.filter(({ handledAt }) => handledAt === null).map((alarm) => planOf(alarm, now)),
    deliveries: made.map((delivery) => rowOf(delivery, ids, random)),
    messages: made.flatMap((delivery) => messageOf(delivery, places)),
  };
};

/** An unprocessed alarm is planned up to now; its next step is never in the past. */
const planOf = (alarm: NotifiedAlarm, now: number): object => {
  const { nextAt } = courseOf(alarm, now);
  return {
    alarm_id: alarm.id,
    line_id: alarm.lineId,
    level: alarm.episode.level,
    urged: alarm.urgedAt === null ? 0 : 1,
    planned_at: iso(alarm.receivedAt),
    checked_at: iso(now),
    next_at: nextAt === null ? null : iso(nextAt),
  };
};

const rowOf = (delivery: Delivery, ids: ReadonlyMap<Delivery, number>, random: Random): object => {
  const { alarm, rule, state, reason, user, at, dueAt } = delivery;
  const isTried = state === 'accepted' || (state === 'failed' && reason !== 'no_account');
  const sentAt = dueAt + Math.floor(random.between(40, 400));
  const endedAt = isTried ? sentAt + Math.floor(random.between(80, 900)) : dueAt;
  const place = { id: user?.id ?? 0, host: pushHost, result: 'accepted', status: 201 };
  return {
    id: ids.get(delivery)!,
    line_id: alarm.lineId,
    alarm_id: alarm.id,
    notice_id: rule?.id ?? null,
    kind: delivery.kind,
    channel: delivery.channel,
    recipient: delivery.recipient,
    user_id: user?.id ?? null,
    target: delivery.channel === 'webhook' ? `n${rule?.id}` : `u${user?.id ?? 0}`,
    device_id: alarm.episode.device.id,
    code: alarm.episode.code,
    severity: alarm.severity,
    state,
    reason,
    lead_id: delivery.lead ? ids.get(delivery.lead)! : null,
    alarms: delivery.alarms,
    attempts: isTried ? 1 : 0,
    created_at: iso(at),
    due_at: iso(dueAt),
    sent_at: isTried ? iso(sentAt) : null,
    ended_at: state === 'queued' ? null : iso(endedAt),
    detail: state === 'accepted' ? { places: [place] } : {},
  };
};

/** Each delivery is also a message of its recipient. */
const messageOf = (delivery: Delivery, places: readonly FurnishedPlace[]): PlannedMessage[] => {
  const { alarm, user, kind, dueAt, state, alarms } = delivery;
  if (user === null || state === 'suppressed' || state === 'queued') return [];
  const { device, line, code, level, escalatedAt } = alarm.episode;
  return [
    {
      user,
      at: dueAt,
      type: kind === 'urged' ? 'urge' : 'alarm',
      key: `alarm.${kind}`,
      data: {
        code,
        level: kind === 'raised' && escalatedAt !== null ? 1 : level,
        place: placeNamed(places, device, line),
        alarms,
        late: false,
      },
      projectId: device.projectId,
      deviceId: device.id,
      alarmId: alarm.id,
      dedupe: `alarm ${alarm.id} ${kind} ${dueAt}`,
    },
  ];
};

/** Inserts deliveries with their own ids, because a delivery may refer to the one that reported its alarm. */
export const insertDeliveries = async (client: pg.ClientBase, rows: readonly object[]): Promise<void> => {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first).join(', ');
  await client.query(
    `insert into deliveries (${columns}) overriding system value
     select ${columns} from jsonb_populate_recordset(null::deliveries, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
  await client.query(`select setval(pg_get_serial_sequence('deliveries', 'id'), $1)`, [rows.length]);
};
