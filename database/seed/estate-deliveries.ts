import type pg from 'pg';
import { builtInRoles } from '#contract/permissions.ts';
import type { NotifiedAlarm } from './estate-alarm-rows.ts';
import { iso } from './estate-commands.ts';
import { localDayStart } from './estate-load.ts';
import { type PlannedMessage, placeNamed } from './estate-messages.ts';
import type { FurnishedRule } from './estate-notices.ts';
import { type FurnishedPlace, type FurnishedUser, sees } from './estate-people.ts';
import { type Random, randomOf } from './estate-random.ts';
import { places as placeSeeds } from './places.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** So far back the ledger goes. */
const ledgerMs = 14 * dayMs;
const digestHour = 8;
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
export interface PlannedNotices {
  plans: object[];
  deliveries: object[];
  messages: PlannedMessage[];
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
/** Null while the rule's window is open, else when it opens. */
const opensAt = ({ window }: FurnishedRule, at: number): number | null => {
  if (!window) return null;
  const [from, to] = [minutesOf(window[0]), minutesOf(window[1])];
  const day = localDayStart(at);
  const minute = (at - day) / minuteMs;
  if (from <= to ? minute >= from && minute < to : minute >= from || minute < to) return null;
  const opening = day + from * minuteMs;
  return opening > at ? opening : opening + dayMs;
};
const nextDigest = (at: number) => {
  const today = localDayStart(at) + digestHour * hourMs;
  return today > at ? today : today + dayMs;
};

/**
 * What the rules and the chain of escalation made of the alarms of two weeks, in the way of the server (domain
 * reference §3.2): silence, windows, the morning's digest, reminders while a user should have handled it.
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
  const sent = new Map<string, { at: number; lineId: number }[]>();
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
        const before = known.filter((one) => one.at < at && at - one.at < rule.silenceMinutes * minuteMs);
        const first = alarm.severity === 1 && kind === 'raised';
        const breaks = kind === 'escalated' || (first && before.every((one) => one.lineId !== alarm.lineId));
        if (rule.disabled) add({ ...base, state: 'suppressed', reason: 'disabled' });
        else if (kind === 'digest') digest({ ...base, dueAt: opensAt(rule, at) ?? at, reason: null });
        else if (before.length > 0 && !breaks) add({ ...base, state: 'suppressed', reason: 'silence' });
        else if (opensAt(rule, at) !== null && alarm.severity > 1)
          digest({ ...base, dueAt: opensAt(rule, at)!, reason: 'window' });
        else {
          sent.set(key, [...known, { at, lineId: alarm.lineId }]);
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
    const { episode, severity } = alarm;
    const { escalatedAt } = episode;
    const at = alarm.receivedAt + Math.floor(random.between(30, 250));
    const until = Math.min(alarm.handledAt ?? now, now);
    byRules(alarm, escalatedAt === null ? episode.level : 1, 'raised', at);
    if (escalatedAt !== null && escalatedAt < until) byRules(alarm, 2, 'escalated', escalatedAt);
    if (alarm.urgedAt !== null) toContact(alarm, 'urged', alarm.urgedAt);
    const unless = (after: number, act: (due: number) => void) => {
      if (at + after < until) act(at + after);
    };
    if (severity <= 2) {
      const [contact, region] = severity === 1 ? [5 * minuteMs, 15 * minuteMs] : [30 * minuteMs, 4 * hourMs];
      unless(contact, (due) => toContact(alarm, 'reminder', due));
      unless(region, (due) => ofRole(alarm, builtInRoles.regionalAdmin, due));
    } else unless(nextDigest(at) - at, (due) => byRules(alarm, episode.level, 'digest', due));
    if (severity === 1) {
      unless(hourMs, (due) => ofRole(alarm, builtInRoles.admin, due));
      const standsUntil = Math.min(until, episode.clearedAt ?? now);
      for (let due = at + 30 * minuteMs; due < standsUntil; due += 30 * minuteMs)
        byRules(alarm, episode.level, 'reminder', due);
    }
  }
  made.sort((a, b) => a.at - b.at || a.alarm.id - b.alarm.id);
  const ids = new Map(made.map((delivery, index) => [delivery, index + 1]));
  return {
    plans: alarms.filter(({ handledAt }) => handledAt === null).map((alarm) => planOf(alarm, now)),
    deliveries: made.map((delivery) => rowOf(delivery, ids, random)),
    messages: made.flatMap((delivery) => messageOf(delivery, places)),
  };
};

/** Up to where an unprocessed alarm is planned: everything up to now is. */
const planOf = (alarm: NotifiedAlarm, now: number): object => {
  const { severity, episode, receivedAt } = alarm;
  const turn = Math.floor((now - receivedAt) / (30 * minuteMs)) + 1;
  const due = [
    ...(severity === 1 ? [5, 15, 60] : severity === 2 ? [30, 240] : []).map(
      (after) => receivedAt + after * minuteMs,
    ),
    ...(severity >= 3 ? [nextDigest(receivedAt)] : []),
    ...(severity === 1 && episode.clearedAt === null ? [receivedAt + turn * 30 * minuteMs] : []),
  ].filter((at) => at > now);
  return {
    alarm_id: alarm.id,
    line_id: alarm.lineId,
    level: episode.level,
    urged: alarm.urgedAt === null ? 0 : 1,
    planned_at: iso(receivedAt),
    checked_at: iso(now),
    next_at: due.length === 0 ? null : iso(Math.min(...due)),
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

/** The recipient of a notice finds it among their messages too. */
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

/** The ledger with its own ids, which a delivery also uses to name the one that reported its alarm. */
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
