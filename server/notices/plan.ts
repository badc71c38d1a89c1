/**
 * From alarms to deliveries: one transaction decides who is notified of what, and which notices are withheld
 * and why.
 */

import { type Selectable, sql } from 'kysely';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { type DeliveryReason, unsentReasons } from '#contract/deliveries.ts';
import { builtInRoles } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import type { DeliveryKind, NoticeChannel, NoticesTable } from '#database/tables/notices.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { clocksDifferMs, isRecent } from '#server/core/recent.ts';
import { unexplained } from '#server/core/unexplained.ts';
import { postMessages } from '#server/messages/messages.store.ts';
import { type NotifiedTarget, notifiedTargetsOf } from './all-clear.ts';
import { type Fact, factsOf } from './facts.ts';
import {
  type Candidate,
  covers,
  floodCount,
  floodWindowMs,
  gather,
  isSilenced,
  isWithheld,
  noLevel,
  opensAt,
  type Sent,
  stepsDue,
  trippedLevel,
} from './notices.rules.ts';
import { wordsOf } from './payload.ts';
import { type People, type Person, peopleOf, sees } from './people.ts';

type Rule = Selectable<NoticesTable>;
interface Draft extends Candidate {
  readonly fact: Fact;
  readonly rule: Rule | null;
  readonly kind: DeliveryKind;
  readonly channel: NoticeChannel;
  readonly recipient: string;
  readonly person: Person | null;
  readonly dueAt: number;
  /** The contact whom a step or a reminder calls, and when it began to. */
  readonly call?: { readonly contact: string; readonly at: number };
}
interface Row extends Draft {
  readonly state: 'queued' | 'failed' | 'suppressed';
  readonly reason: DeliveryReason | null;
  /** `of`: the draft that this delivery sends; `lead`: the delivery whose message names this alarm. */
  readonly of?: Draft;
  readonly lead?: Draft;
  /** The other alarms that the message names. */
  readonly others?: readonly Fact[];
  readonly alarms: number;
}

/** Only one node plans at a time. */
const planLock = 815_204_001;
const outageSettlesMs = 10_000;
/**
 * The device may be the first of an outage of its whole project, so its alarm waits; the sweep finds it again
 * when this is clear.
 */
const isSettled = ({ code, lineId, planned, receivedAt }: Fact, now: number): boolean =>
  planned !== null ||
  lineId < 0 ||
  (code !== alarmCodes.outage && code !== alarmCodes.offline) ||
  !isRecent(receivedAt, now, outageSettlesMs);
const longestSilenceMs = 3_600_000;
const insertedAtOnce = 500;
/** Enough rows to find more alarms than a flood needs, although each alarm has several rows. */
const countedRows = 40 * floodCount;

interface Round {
  readonly db: Db;
  readonly now: number;
  readonly people: People;
  readonly rules: readonly Rule[];
  /** Earlier notices, by rule, device, type and target. */
  readonly silence: ReadonlyMap<string, readonly Earlier[]>;
  /** Alarms that a digest has reported or will report: alarm, rule, target. */
  readonly digested: ReadonlySet<string>;
  /** Who was notified of alarms that have ended. */
  readonly notified: ReadonlyMap<number, readonly NotifiedTarget[]>;
  /** Rules with a delivery about an alarm before it tripped its line: alarm, rule. */
  readonly heardBeforeTrip: ReadonlySet<string>;
  /** Calls of contacts that reached nobody, by alarm. */
  readonly unheard: ReadonlyMap<number, readonly Unheard[]>;
  /** The region whose administrators were called. */
  readonly calledIn: Map<Fact, number | null>;
  readonly candidates: Draft[];
  readonly rows: Row[];
}

/**
 * Plans the deliveries that these alarms need now. Returns who got a message and whether anything must be
 * sent.
 */
export const planRound = (
  db: Db,
  ids: readonly number[],
  now: number,
): Promise<{ userIds: number[]; queued: boolean }> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${planLock})`.execute(trx);
    const facts = (await factsOf(trx, ids)).filter((fact) => isSettled(fact, now));
    if (facts.length === 0) {
      await forgetGone(trx, ids);
      return { userIds: [], queued: false };
    }
    const rules = await trx
      .selectFrom('notices')
      .selectAll()
      .where(notDeleted('notices'))
      .orderBy('id')
      .execute();
    const round: Round = {
      db: trx,
      now,
      people: await peopleOf(trx),
      rules,
      silence: await silenceOf(trx, rules, facts, now),
      digested: await digestedOf(trx, facts),
      notified: await notifiedTargetsOf(trx, facts.filter(endsNow)),
      heardBeforeTrip: await heardBeforeTrip(trx, facts),
      unheard: await unheardOf(trx, facts.filter(isFollowed)),
      calledIn: new Map(facts.map((fact) => [fact, fact.planned?.calledIn ?? null])),
      candidates: [],
      rows: [],
    };
    const nextAt = new Map<Fact, number | null>();
    for (const fact of facts) nextAt.set(fact, await planAlarm(round, fact));
    await settle(round);
    await keep(round, facts, nextAt);
    await forgetGone(trx, ids);
    const userIds = await write(round);
    return { userIds, queued: round.rows.some((row) => row.state === 'queued') };
  });

/** Adds the alarm's candidates to the round; returns when to look again. */
const planAlarm = async (round: Round, fact: Fact): Promise<number | null> => {
  const { now } = round;
  const { planned } = fact;
  if (endsNow(fact)) await toNotified(round, fact);
  if (fact.explained) return null;
  if (fact.processed) {
    if (planned === null || (!isAnnounced(fact) && !isWithheld(fact))) await byRules(round, fact, 'raised');
    return null;
  }
  if (isShelved(fact, now)) {
    if (planned === null) await byRules(round, fact, 'raised');
    if (fact.urged > (planned?.urged ?? 0)) await toContact(round, fact, 'urged', (fact.urged - 1) % 3);
    return fact.shelvedUntil;
  }
  const rises = planned !== null && newsOf(fact) > planned.level && !isWithheld(fact);
  if (planned === null || rises) await byRules(round, fact, (rule) => riseFor(round, fact, rule));
  if (fact.urged > (planned?.urged ?? 0)) await toContact(round, fact, 'urged', (fact.urged - 1) % 3);
  if (fact.gone || fact.endedBy !== null) return null;
  // Each level has its own chain of people.
  const { plannedAt, checkedAt } =
    planned === null || rises ? { plannedAt: now, checkedAt: now } : elapsed(planned, now);
  const { steps, nextAt } = stepsDue({ ...fact, plannedAt, checkedAt }, now);
  if (rises) round.calledIn.set(fact, null);
  const calledIn = round.calledIn.get(fact) ?? null;
  if (calledIn !== null && calledIn !== fact.regionId) await toRegion(round, fact);
  for (const call of round.unheard.get(fact.alarmId) ?? []) await toNextContact(round, fact, call);
  for (const step of steps) {
    if (step === 'contact') await toContact(round, fact, 'reminder', 1);
    else if (step === 'region') await toRegion(round, fact);
    else if (step === 'platform') await toRole(round, fact, builtInRoles.admin, 'no_admin');
    else await byRules(round, fact, step === 'digest' ? 'digest' : 'reminder');
  }
  return nextAt;
};

/** A time in the future is from before the clock was set back. */
const elapsed = (planned: { plannedAt: number; checkedAt: number }, now: number) => ({
  plannedAt: Math.min(planned.plannedAt, now),
  checkedAt: Math.min(planned.checkedAt, now),
});

/** The alarm has ended since it was last planned, so its all-clear is due. */
const endsNow = (fact: Fact): boolean => !fact.active && fact.planned !== null && !fact.planned.over;

/**
 * The all-clear goes to every recipient of the alarm through the same channel. During the rule's silence
 * period for this device and type it waits, because the alarm may return without a new push.
 */
const toNotified = async (round: Round, fact: Fact): Promise<void> => {
  for (const { target, channel, recipient, userId, noticeId } of round.notified.get(fact.alarmId) ?? []) {
    const rule = round.rules.find(({ id }) => id === noticeId) ?? null;
    const person = userId === null ? null : (round.people.byId(userId) ?? null);
    // The address of a webhook went with its rule; a person is notified in any case.
    if (channel === 'webhook' && rule === null) continue;
    if (userId !== null && !(await sees(person ?? undefined, fact))) continue;
    const draft = { ...draftOf(round, fact, 'cleared', rule, channel, recipient, person), target };
    const silentUntil =
      rule === null
        ? round.now
        : Math.max(
            round.now,
            ...(round.silence.get(silenceKey(rule.id, equipmentOf(fact), fact.code, target)) ?? []).map(
              ({ at }) => at + rule.silence_minutes * 60_000,
            ),
          );
    const opening =
      rule === null || fact.severity === 1
        ? null
        : opensAt({ from: rule.window_from, to: rule.window_to }, silentUntil, fact.zone);
    const dueAt = opening ?? silentUntil;
    const reason = opening !== null ? 'window' : silentUntil > round.now ? 'silence' : null;
    round.rows.push({ ...draft, dueAt, state: 'queued', reason, alarms: 1 });
  }
};

/** An operator has shelved the alarm: steps that become due meanwhile are sent when it returns. */
const isShelved = ({ shelvedUntil }: Fact, now: number): boolean =>
  shelvedUntil !== null && shelvedUntil > now;

/** Nothing of it is sent now, but it is announced when it returns. */
const isHeld = (fact: Fact, now: number): boolean =>
  !fact.processed && (isWithheld(fact) || (isShelved(fact, now) && !isAnnounced(fact)));

/** What is announced of the alarm: its level, or that the protection opened its line. */
const newsOf = ({ tripped, level }: Fact): number => (tripped ? trippedLevel : level);
/** A rule that covers the alarm because of its trip alone hears of it for the first time. */
const riseFor = (round: Round, fact: Fact, rule: Rule): DeliveryKind =>
  isAnnounced(fact) && !(fact.tripped && !round.heardBeforeTrip.has(`${fact.alarmId} ${rule.id}`))
    ? 'escalated'
    : 'raised';

const isAnnounced = ({ planned }: Fact): boolean => planned !== null && planned.level !== noLevel;

const applies = (rule: Rule, fact: Fact): boolean =>
  covers(rule, fact) && (rule.levels.length === 0 || rule.levels.includes(fact.level));

/** Rules that covered an alarm before its trip have spoken, or their deliveries say why not: alarm, rule. */
const heardBeforeTrip = async (trx: Db, facts: readonly Fact[]): Promise<ReadonlySet<string>> => {
  const ids = facts.filter(({ tripped }) => tripped).map(({ alarmId }) => alarmId);
  if (ids.length === 0) return new Set();
  const rows = await trx
    .selectFrom('deliveries')
    .select(['alarm_id', 'notice_id'])
    .distinct()
    .where('alarm_id', 'in', ids)
    .execute();
  return new Set(rows.map((row) => `${row.alarm_id} ${row.notice_id}`));
};

/** Its steps go on: nobody has handled it, and it is known whom it called. */
const isFollowed = ({ planned, processed }: Fact): boolean => planned !== null && !processed;

/** A step or a reminder whose deliveries to contacts have all failed for good. */
interface Unheard {
  readonly kind: DeliveryKind;
  readonly at: number;
  /** The contacts that it called, in order. */
  readonly tried: readonly string[];
}
const unheardOf = async (
  trx: Db,
  facts: readonly Fact[],
): Promise<ReadonlyMap<number, readonly Unheard[]>> => {
  if (facts.length === 0) return new Map();
  const { rows } = await sql<{ alarm_id: number; kind: DeliveryKind; called_at: Date; tried: string[] }>`
    select call.alarm_id, call.kind, call.called_at, array_agg(call.contact order by call.id) as tried
    from deliveries call
      left join deliveries lead on lead.id = call.lead_id and call.reason = 'grouped'
    where call.alarm_id = any(${facts.map(({ alarmId }) => alarmId)}::bigint[]) and call.called_at is not null
    group by call.alarm_id, call.kind, call.called_at
    having bool_and(coalesce(lead.state, call.state) = 'failed'
      or coalesce(coalesce(lead.reason, call.reason) in ('account_disabled', 'recipient_scope'), false))
    order by call.called_at`.execute(trx);
  const unheard = rows.map((row) => ({ ...row, at: row.called_at.getTime() }));
  return Map.groupBy(unheard, ({ alarm_id }) => alarm_id);
};

const byRules = async (
  round: Round,
  fact: Fact,
  kindFor: DeliveryKind | ((rule: Rule) => DeliveryKind),
): Promise<void> => {
  for (const rule of round.rules) {
    if (!applies(rule, fact)) continue;
    const kind = typeof kindFor === 'string' ? kindFor : kindFor(rule);
    const withheld = await withheldBy(round, rule, fact);
    if (withheld === 'foreign') continue;
    const add = (draft: Draft, nobody: Nobody | null = null) => judge(round, draft, withheld ?? nobody);
    if (rule.channel === 'webhook' && withheld === 'owner_scope') {
      // The readers of the alarm need not know the rule.
      add(draftOf(round, fact, kind, rule, 'webhook', 'Webhook', null));
      continue;
    }
    if (rule.channel === 'webhook') {
      const host = URL.parse(rule.webhook_url ?? '')?.host ?? '';
      add(draftOf(round, fact, kind, rule, 'webhook', rule.name ? `${rule.name} (${host})` : host, null));
      continue;
    }
    const notified = new Set<number>();
    let named = 0;
    for (const userId of rule.user_ids) {
      const person = round.people.byId(userId) ?? round.people.inactive(userId);
      if (!person || !(await sees(person, fact))) continue;
      named += 1;
      if (round.people.inactive(userId)) {
        add(draftOf(round, fact, kind, rule, rule.channel, person.name, person), 'account_disabled');
        continue;
      }
      notified.add(person.id);
      add(draftOf(round, fact, kind, rule, rule.channel, person.name, person));
    }
    const [first] = fact.contacts;
    if (!rule.to_contacts) {
      if (named === 0)
        add(draftOf(round, fact, kind, rule, rule.channel, rule.name || siteOf(fact), null), 'no_reader');
      continue;
    }
    if (!first) {
      add(draftOf(round, fact, kind, rule, rule.channel, siteOf(fact), null), 'no_contact');
      continue;
    }
    const people = await round.people.ofContact(first.phone, fact);
    for (const person of people)
      if (!notified.has(person.id))
        add(draftOf(round, fact, kind, rule, rule.channel, accountName(person, first), person));
    if (people.length === 0)
      add(draftOf(round, fact, kind, rule, rule.channel, contactName(first), null), 'no_account');
  }
};

/**
 * Why nothing of a rule is sent about an alarm that it covers; null: it is sent. 'foreign': the rule does not cover
 * the alarm, because its owner does not see it.
 */
const withheldBy = async (
  { people }: Round,
  rule: Rule,
  fact: Fact,
): Promise<'owner_disabled' | 'owner_scope' | 'foreign' | null> => {
  const isNamed = fact.projectId !== null && rule.project_ids.includes(fact.projectId);
  const owner = people.byId(rule.owner_id);
  if (owner && (await sees(owner, fact))) return null;
  if (owner) return isNamed ? 'owner_scope' : 'foreign';
  return isNamed || (await sees(people.inactive(rule.owner_id), fact)) ? 'owner_disabled' : 'foreign';
};

/** The contacts in the order in which they are called, from this position on. */
const ringFrom = ({ contacts }: Fact, place: number) => [
  ...contacts.slice(place),
  ...contacts.slice(0, place),
];

/** The contact at this position, else the next one with an account in scope. */
const toContact = async (round: Round, fact: Fact, kind: DeliveryKind, index: number): Promise<void> => {
  if (fact.contacts.length === 0)
    fail(round, draftOf(round, fact, kind, null, 'app', siteOf(fact), null), 'no_contact');
  const place = Math.min(index, Math.max(0, fact.contacts.length - 1));
  for (const contact of ringFrom(fact, place)) {
    const call = { contact: contact.phone, at: round.now };
    const people = await round.people.ofContact(contact.phone, fact);
    for (const person of people) toPerson(round, fact, person, kind, accountName(person, contact), call);
    if (people.length > 0) return;
    const draft = draftOf(round, fact, kind, null, 'app', contactName(contact), null);
    fail(round, { ...draft, call }, 'no_account');
  }
};

/** Whom a step or a reminder called reached nobody: the next contact with an account gets it. Decision 0548. */
const toNextContact = async (round: Round, fact: Fact, { kind, at, tried }: Unheard): Promise<void> => {
  const last = fact.contacts.findIndex(({ phone }) => phone === tried.at(-1));
  for (const contact of ringFrom(fact, last + 1)) {
    if (tried.includes(contact.phone)) continue;
    const people = await round.people.ofContact(contact.phone, fact);
    for (const person of people)
      toPerson(round, fact, person, kind, accountName(person, contact), { contact: contact.phone, at });
    if (people.length > 0) return;
  }
};

/**
 * The administrators of the project's region. When the project has moved to another region since, those of the new
 * one are called as well, except whoever was reached before.
 */
const toRegion = async (round: Round, fact: Fact): Promise<void> => {
  const before = round.calledIn.get(fact) ?? null;
  const reached = before === null ? [] : await reachedBy(round.db, fact);
  round.calledIn.set(fact, fact.regionId);
  await toRole(round, fact, builtInRoles.regionalAdmin, 'no_regional_admin', reached);
};
const reachedBy = async (trx: Db, { alarmId }: Fact): Promise<number[]> => {
  const rows = await trx
    .selectFrom('deliveries')
    .select('user_id')
    .where('alarm_id', '=', alarmId)
    .where('state', 'in', ['queued', 'sent', 'accepted'])
    .execute();
  return rows.flatMap(({ user_id }) => user_id ?? []);
};

/** Everybody of this role who sees the alarm, except those whom it reached before. */
const toRole = async (
  round: Round,
  fact: Fact,
  role: number,
  nobody: 'no_regional_admin' | 'no_admin',
  reached: readonly number[] = [],
): Promise<void> => {
  let found = false;
  for (const person of round.people.ofRole(role)) {
    if (!(await sees(person, fact))) continue;
    found = true;
    if (!reached.includes(person.id)) toPerson(round, fact, person, 'reminder', person.name);
  }
  if (!found) fail(round, draftOf(round, fact, 'reminder', null, 'app', siteOf(fact), null), nobody);
};

/** Through every channel that the person has. */
const toPerson = (
  round: Round,
  fact: Fact,
  person: Person,
  kind: DeliveryKind,
  name: string,
  call?: Draft['call'],
): void => {
  const channels: NoticeChannel[] = person.wechat ? ['app', 'wechat'] : ['app'];
  for (const channel of channels)
    round.candidates.push({
      ...draftOf(round, fact, kind, null, channel, name, person),
      ...(call && { call }),
    });
};

const fail = (round: Round, draft: Draft, reason: DeliveryReason) =>
  round.rows.push({ ...draft, state: 'failed', reason, alarms: 1 });
/** Named in place of a recipient where there is none. */
const siteOf = (fact: Fact): string => fact.projectName || fact.deviceNumber;

const contactName = (contact: { name: string; phone: string }) => `${contact.name} (${contact.phone})`.trim();
/** The delivery names the receiving account, and the contact with its number. */
const accountName = (person: Person, contact: { name: string; phone: string }) =>
  `${person.name} (${[contact.name, contact.phone].filter(Boolean).join(', ')})`;

const draftOf = (
  round: Round,
  fact: Fact,
  kind: DeliveryKind,
  rule: Rule | null,
  channel: NoticeChannel,
  recipient: string,
  person: Person | null,
): Draft => ({
  fact,
  rule,
  kind,
  channel,
  recipient,
  person,
  target: channel === 'webhook' ? `n${rule?.id ?? 0}` : `u${person?.id ?? 0}`,
  severity: fact.severity,
  level: fact.level,
  alarmId: fact.alarmId,
  urgent: kind === 'urged',
  dueAt: round.now,
});

/** Reasons for which nobody can get a rule's notices, with the state of their rows. */
const hopeless = {
  owner_disabled: 'suppressed',
  owner_scope: 'suppressed',
  account_disabled: 'suppressed',
  no_contact: 'failed',
  no_account: 'failed',
  no_reader: 'failed',
} as const;
type Nobody = keyof typeof hopeless;
/** Applies a rule's switch, silence period and window to a draft, unless nobody can get it. */
const judge = (round: Round, draft: Draft, nobody: Nobody | null = null): void => {
  const { rule, fact, kind } = draft;
  const hold = (reason: DeliveryReason) =>
    round.rows.push({ ...draft, state: 'suppressed', reason, alarms: 1 });
  if (!rule) return;
  if (!rule.enabled) return void hold('disabled');
  if (nobody) return void round.rows.push({ ...draft, state: hopeless[nobody], reason: nobody, alarms: 1 });
  if (fact.processed) return void hold('handled');
  if (isWithheld(fact)) return void hold('late');
  if (isShelved(fact, round.now)) return void hold('shelved');
  const key = silenceKey(rule.id, equipmentOf(fact), fact.code, draft.target);
  const before = (round.silence.get(key) ?? []).filter(({ arrived }) => arrived);
  if (kind === 'digest' && round.digested.has(digestKey(draft.alarmId, rule.id, draft.target))) return;
  if (kind !== 'digest' && isSilenced(rule.silence_minutes, before, { ...fact, kind }, round.now))
    return void hold('silence');
  const opening = opensAt({ from: rule.window_from, to: rule.window_to }, round.now, fact.zone);
  if (kind === 'digest' || (opening !== null && fact.severity > 1)) {
    round.rows.push({
      ...draft,
      kind: 'digest',
      dueAt: opening ?? round.now,
      state: 'queued',
      reason: opening === null ? null : 'window',
      alarms: 1,
    });
    return;
  }
  round.candidates.push(draft);
};

const digestKey = (alarmId: number, noticeId: number, target: string) => `${alarmId} ${noticeId} ${target}`;
const digestedOf = async (trx: Db, facts: readonly Fact[]): Promise<ReadonlySet<string>> => {
  const rows = await trx
    .selectFrom('deliveries')
    .select(['alarm_id', 'notice_id', 'target'])
    .where('kind', '=', 'digest')
    // A delivery that was dropped because its alarm was handled, shelved or suppressed has reached no user.
    .where(sql<boolean>`coalesce(reason, '') not in ('handled', 'shelved', 'consequence', 'deleted')`)
    .where(
      'alarm_id',
      'in',
      facts.map((fact) => fact.alarmId),
    )
    .execute();
  return new Set(rows.map((row) => digestKey(row.alarm_id, row.notice_id ?? 0, row.target)));
};

/** The silenced equipment: a device, or (below 0) a whole project. */
const equipmentOf = (fact: Fact): number => fact.deviceId || fact.lineId;
const silenceKey = (noticeId: number, deviceId: number, code: number, target: string) =>
  `${noticeId} ${deviceId} ${code} ${target}`;
interface Earlier extends Sent {
  /** Its receiver has it. One that waits may never leave, so it silences nothing; an all-clear waits for it. */
  readonly arrived: boolean;
}
/** Earlier notices of rules with a silence period; other rules silence nothing. */
const silenceOf = async (
  trx: Db,
  rules: readonly Rule[],
  facts: readonly Fact[],
  now: number,
): Promise<ReadonlyMap<string, readonly Earlier[]>> => {
  const silent = rules.filter((rule) => rule.silence_minutes > 0).map(({ id }) => id);
  if (silent.length === 0) return new Map();
  const { rows } = await sql<{
    notice_id: number;
    device_id: number;
    code: number;
    target: string;
    line_id: number;
    level: number;
    arrived: boolean;
    at: Date;
  }>`
    select d.notice_id, d.device_id, d.code, d.target, d.line_id, coalesce(a.level, 1) as level,
      coalesce(lead.state, d.state) = 'accepted' as arrived, max(d.created_at) as at
    from deliveries d left join alarms a on a.line_id = d.line_id and a.id = d.alarm_id
      left join deliveries lead on lead.id = d.lead_id and d.reason = 'grouped'
    where d.created_at > ${new Date(now - longestSilenceMs)} and d.notice_id = any(${silent}::int[])
      and d.kind not in ('test', 'cleared')
      and d.device_id = any(${[...new Set(facts.map(equipmentOf))]}::int[])
      and (d.state in ('queued', 'sent', 'accepted') or d.reason = 'grouped')
    group by 1, 2, 3, 4, 5, 6, 7`.execute(trx);
  const sent = new Map<string, Earlier[]>();
  for (const row of rows) {
    const key = silenceKey(row.notice_id, row.device_id, row.code, row.target);
    const known = sent.get(key) ?? [];
    known.push({ at: row.at.getTime(), lineId: row.line_id, level: row.level, arrived: row.arrived });
    sent.set(key, known);
  }
  return sent;
};

/** Groups the round's candidates into pushes that name all their alarms. */
const settle = async (round: Round): Promise<void> => {
  const { candidates, rows, now } = round;
  if (candidates.length === 0) return;
  const places = [...Map.groupBy(candidates, ({ target, channel }) => `${target} ${channel}`).values()].map(
    ([first]) => ({ target: first!.target, channel: first!.channel }),
  );
  // Not what was sent before the clock was set back: nothing says how long ago that was.
  const [since, until] = [new Date(now - floodWindowMs), new Date(now + clocksDifferMs)];
  const known = await sql<{ target: string; channel: string; alarms: number; pushes: number }>`
    select t.target, t.channel,
      (select count(distinct recent.alarm_id)::int from (
        select d.alarm_id from deliveries d
        where d.target = t.target and d.channel = t.channel and d.created_at > ${since} and d.created_at <= ${until}
          and d.kind not in ('test', 'cleared') and coalesce(d.reason, '') <> all(${[...unsentReasons]}::text[])
        order by d.created_at desc limit ${countedRows}) recent) as alarms,
      exists (select from deliveries d
        where d.target = t.target and d.channel = t.channel and d.created_at > ${since} and d.created_at <= ${until}
          and d.kind not in ('test', 'cleared', 'digest') and coalesce(d.reason, '') <> all(${[...unsentReasons]}::text[])
          and d.state in ('queued', 'sent', 'accepted'))::int as pushes
    from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as t (target text, channel text)`.execute(
    round.db,
  );
  const before = new Map(known.rows.map((row) => [`${row.target} ${row.channel}`, row]));
  const verdicts = gather(
    candidates,
    (target, channel) => before.get(`${target} ${channel}`) ?? { alarms: 0, pushes: 0 },
  );
  for (const verdict of verdicts) {
    if (!verdict.push) {
      for (const draft of verdict.others)
        rows.push({ ...draft, state: 'suppressed', reason: 'flood', alarms: 1 });
      continue;
    }
    const { lead, others } = verdict;
    const named = new Map(others.map((draft) => [draft.alarmId, draft.fact]));
    named.delete(lead.alarmId);
    rows.push({
      ...lead,
      of: lead,
      others: [...named.values()],
      state: 'queued',
      reason: null,
      alarms: 1 + named.size,
    });
    for (const draft of others)
      rows.push({ ...draft, state: 'suppressed', reason: 'grouped', lead, alarms: 1 });
  }
};

const deliveryColumns = `line_id, alarm_id, notice_id, kind, channel, recipient, user_id, target, device_id, code,
  severity, state, reason, lead_id, alarms, due_at, ended_at, contact, called_at`;
/** Writes the deliveries: leading ones first, so that the others can refer to them. */
const write = async (round: Round): Promise<number[]> => {
  const { db, rows, now } = round;
  const ids = new Map<Draft | undefined, number>();
  const leads = rows.filter((row) => row.lead === undefined);
  const others = rows.filter((row) => row.lead !== undefined);
  for (const part of [...chunks(leads), ...chunks(others)]) {
    const given = part.map((row) => ({
      line_id: row.fact.lineId,
      alarm_id: row.alarmId,
      notice_id: row.rule?.id ?? null,
      kind: row.kind,
      channel: row.channel,
      recipient: row.recipient,
      user_id: row.person?.id ?? null,
      target: row.target,
      device_id: equipmentOf(row.fact),
      code: row.fact.code,
      severity: row.severity,
      state: row.state,
      reason: row.reason,
      lead_id: ids.get(row.lead) ?? null,
      alarms: row.alarms,
      due_at: isoOf(row.dueAt),
      ended_at: row.state === 'queued' ? null : isoOf(now),
      contact: row.call?.contact ?? null,
      called_at: isoOf(row.call?.at ?? null),
    }));
    const { rows: inserted } = await sql<{ id: number }>`
      insert into deliveries (${sql.raw(deliveryColumns)}, created_at)
      select ${sql.raw(deliveryColumns)}, ${new Date(now)}
      from rows from (jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as (line_id int, alarm_id bigint, notice_id int,
        kind text, channel text, recipient text, user_id int, target text, device_id int, code smallint,
        severity smallint, state text, reason text, lead_id bigint, alarms int, due_at timestamptz, ended_at timestamptz,
        contact text, called_at timestamptz))
        with ordinality as r (${sql.raw(deliveryColumns)}, n)
      order by n
      returning id`.execute(db);
    for (const [index, { id }] of inserted.entries()) {
      const lead = part[index]?.of;
      if (lead) ids.set(lead, id);
    }
  }
  return postMessages(
    db,
    leads
      .filter(
        ({ state, kind, person }) =>
          state === 'queued' && kind !== 'digest' && kind !== 'cleared' && person !== null,
      )
      .map((row) => messageOf(row, now)),
  );
};
const messageOf = (row: Row, now: number) => ({
  userIds: row.person ? [row.person.id] : [],
  type: row.kind === 'urged' ? ('urge' as const) : ('alarm' as const),
  key: row.kind === 'test' ? ('notice.test' as const) : (`alarm.${row.kind}` as const),
  data: wordsOf(row.fact, row.others ?? [], now),
  projectId: row.fact.projectId,
  deviceId: row.fact.deviceId || null,
  alarmId: row.alarmId,
  dedupe: `alarm ${row.alarmId} ${row.kind} ${now}`,
  now,
});

const chunks = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / insertedAtOnce) }, (_, index) =>
    list.slice(index * insertedAtOnce, (index + 1) * insertedAtOnce),
  );

/** Stores for each alarm up to which time it is planned. */
const keep = async (
  { db: trx, now, calledIn }: Round,
  facts: readonly Fact[],
  nextAt: ReadonlyMap<Fact, number | null>,
): Promise<void> => {
  const rows = facts.map((fact) => ({
    alarm_id: fact.alarmId,
    line_id: fact.lineId,
    level: isHeld(fact, now) ? noLevel : newsOf(fact),
    urged: fact.urged,
    checked_at: isoOf(isShelved(fact, now) ? Math.min(fact.planned?.checkedAt ?? now, now) : now),
    next_at: isoOf(nextAt.get(fact) ?? null),
    over_at: isoOf(endsNow(fact) ? now : null),
    called_in: calledIn.get(fact) ?? null,
  }));
  await sql`insert into alarm_notices (alarm_id, line_id, level, urged, planned_at, checked_at, next_at, over_at, called_in)
    select alarm_id, line_id, level, urged, ${new Date(now)}, checked_at, next_at, over_at, called_in
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r (alarm_id bigint, line_id int, level smallint, urged int, checked_at timestamptz,
        next_at timestamptz, over_at timestamptz, called_in int)
    on conflict (alarm_id) do update set level = greatest(alarm_notices.level, excluded.level),
      planned_at = case when alarm_notices.planned_at is null or excluded.level > alarm_notices.level
        then excluded.planned_at else least(alarm_notices.planned_at, excluded.planned_at) end,
      urged = greatest(alarm_notices.urged, excluded.urged), checked_at = excluded.checked_at,
      next_at = excluded.next_at, called_in = excluded.called_in, over_at = coalesce(alarm_notices.over_at, excluded.over_at)`.execute(
    trx,
  );
};
const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/**
 * Deleted alarms need no notices. Consequences of another alarm need none while that explains them: when it no
 * longer does, they ask for theirs again.
 */
const forgetGone = async (trx: Db, ids: readonly number[]) => {
  const given = sql`n.alarm_id = any(${[...ids]}::bigint[])`;
  await sql`delete from alarm_notices n where ${given} and not exists (
    select from alarms a where a.line_id = n.line_id and a.id = n.alarm_id and ${notDeleted('a')})`.execute(
    trx,
  );
  await sql`update alarm_notices n set next_at = null from alarms a
    where a.line_id = n.line_id and a.id = n.alarm_id and ${given}
      and n.next_at is not null and not ${unexplained('a')}`.execute(trx);
};
