/**
 * Who is notified when: pure decisions over an alarm, a rule and earlier deliveries (domain reference §3.2).
 */

import { DateTime } from 'luxon';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { isGrave } from '#contract/alarm-traits.ts';
import type { NoticeChannel } from '#database/tables/notices.ts';
import { isRecent } from '#server/core/recent.ts';

const minute = 60_000;
const hour = 60 * minute;
export const floodWindowMs = 10 * minute;
/** More alarms than this for one recipient within the time is a flood. */
export const floodCount = 10;
const reAlarmMs = 30 * minute;
const digestHour = 8;

/** Whether a rule covers the project and the type of an alarm, whatever its level is. */
export const covers = (
  rule: { readonly project_ids: readonly number[]; readonly codes: readonly number[] },
  fact: { readonly projectId: number | null; readonly code: number; readonly tripped: boolean },
): boolean =>
  (rule.project_ids.length === 0 || (fact.projectId !== null && rule.project_ids.includes(fact.projectId))) &&
  (rule.codes.length === 0 || codesOf(fact).some((code) => rule.codes.includes(code)));
/** A rule for trips covers one that joined the work order of its cause. */
const codesOf = ({ code, tripped }: { code: number; tripped: boolean }): number[] =>
  tripped ? [code, alarmCodes.protectiveTrip] : [code];

interface TimeWindow {
  /** HH:MM or HH:MM:SS. */
  readonly from: string | null;
  readonly to: string | null;
}
const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

/** Null while the window is open (its end excluded), else its next opening. The window may cross midnight. */
export const opensAt = (window: TimeWindow, at: number, zone: string): number | null => {
  if (window.from === null || window.to === null) return null;
  const from = minutesOf(window.from);
  const to = minutesOf(window.to);
  const local = DateTime.fromMillis(at, { zone });
  const now = local.hour * 60 + local.minute;
  if (from <= to ? now >= from && now < to : now >= from || now < to) return null;
  const onTheDay = (day: DateTime) =>
    day.set({ hour: Math.floor(from / 60), minute: from % 60, second: 0, millisecond: 0 });
  const today = onTheDay(local);
  if (today.toMillis() > at) return today.toMillis();
  const next = today.plus({ days: 1 });
  // The clock may have jumped over today's opening.
  return (next.hour * 60 + next.minute === from ? next : onTheDay(next)).toMillis();
};

export interface Sent {
  readonly at: number;
  readonly lineId: number;
  /** The level of its alarm. */
  readonly level: number;
}
/**
 * Whether earlier pushes of the same rule, device and code silence this one. A higher level is never silenced,
 * whether the same work order rises or another one begins with it; nor is the first alarm of severity 1 on a
 * line.
 */
export const isSilenced = (
  silenceMinutes: number,
  before: readonly Sent[],
  alarm: { kind: string; severity: number; level: number; lineId: number },
  now: number,
): boolean => {
  const recent = before.filter((sent) => isRecent(sent.at, now, silenceMinutes * minute));
  if (recent.length === 0 || alarm.kind === 'escalated') return false;
  if (alarm.kind !== 'raised') return true;
  const onLine = recent.filter((sent) => sent.lineId === alarm.lineId);
  const compared = onLine.length > 0 || alarm.severity === criticalSeverity ? onLine : recent;
  return compared.some((sent) => sent.level >= alarm.level);
};

/** Kept as the announced level of an alarm that is still to be announced as raised. */
export const noLevel = 0;
/** Kept as the announced level of an alarm that tripped its line, which is worse news than its level alone. */
export const trippedLevel = 3;
export const criticalSeverity = 1;
/** An alarm from a backlog notifies only if it is critical; another one does once live data confirms it. */
export const isWithheld = ({ late, severity }: { late: boolean; severity: number }): boolean =>
  late && severity > criticalSeverity;

export type Step = 'contact' | 'region' | 'platform' | 'remind' | 'digest';
const chains: Readonly<Record<number, readonly (readonly [afterMs: number, step: Step])[]>> = {
  1: [
    [5 * minute, 'contact'],
    [15 * minute, 'region'],
    [60 * minute, 'platform'],
  ],
  2: [
    [30 * minute, 'contact'],
    [4 * hour, 'region'],
  ],
};

const nextDigest = (at: number, zone: string): number => {
  const local = DateTime.fromMillis(at, { zone });
  const today = local.startOf('day').set({ hour: digestHour });
  return (today.toMillis() > at ? today : today.plus({ days: 1 })).toMillis();
};

/**
 * Steps of an unprocessed alarm that became due after `checkedAt` and up to `now`, and when to look again
 * (null: never). Severity 1: contact 2 after 5 min, the region after 15, the platform after 60, and a
 * reminder every 30 min while it is active; severity 2: 30 min and 4 h; 3 and 4: the next morning's digest.
 * An early warning goes to contact 2 only.
 */
export const stepsDue = (
  alarm: {
    severity: number;
    level: number;
    plannedAt: number;
    checkedAt: number;
    active: boolean;
    zone: string;
  },
  now: number,
): { steps: Step[]; nextAt: number | null } => {
  const { severity, plannedAt, checkedAt } = alarm;
  const chain: readonly (readonly [number, Step])[] = isGrave(alarm)
    ? (chains[severity] ?? [])
        .filter(([, step]) => alarm.level === 2 || step === 'contact')
        .map(([after, step]) => [plannedAt + after, step] as const)
    : [[nextDigest(plannedAt, alarm.zone), 'digest']];
  const steps = chain.filter(([at]) => at > checkedAt && at <= now).map(([, step]) => step);
  let nextAt = Math.min(...chain.filter(([at]) => at > now).map(([at]) => at));
  if (severity === 1 && alarm.active) {
    const turn = (at: number) => Math.floor((at - plannedAt) / reAlarmMs);
    if (turn(now) > turn(checkedAt)) steps.push('remind');
    nextAt = Math.min(nextAt, plannedAt + (turn(now) + 1) * reAlarmMs);
  }
  return { steps, nextAt: Number.isFinite(nextAt) ? nextAt : null };
};

const waits = [15_000, minute, 5 * minute, 15 * minute, 30 * minute, hour];
export const mostAttempts = 1 + waits.length;
/** The wait after this many attempts: 15 s, 1, 5, 15, 30 min, 1 h; null if no further one follows. */
const retryAfter = (attempts: number): number | null => waits[attempts - 1] ?? null;

/** A receiver may ask for more patience than that, but not for longer: the alarm is due now. */
const longestWaitMs = hour;
/** The wait that a receiver asks for by `Retry-After` (RFC 9110 §10.2.3): seconds, or a date. */
const askedWait = (header: string | undefined, now: number): number => {
  if (header === undefined) return 0;
  const asked = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(0, asked), longestWaitMs);
};
/** The wait before the next attempt: the longer one of the own and the requested. Null: no other attempt. */
export const waitBefore = (attempts: number, header: string | undefined, now: number): number | null => {
  const own = retryAfter(attempts);
  return own === null ? null : Math.max(own, askedWait(header, now));
};

export interface Candidate {
  readonly target: string;
  readonly channel: NoticeChannel;
  readonly severity: number;
  readonly level: number;
  readonly alarmId: number;
  readonly urgent: boolean;
}
/** Deliveries to a target through a channel in the last ten minutes. */
interface Recently {
  readonly alarms: number;
  readonly pushes: number;
}
export type Verdict<C> =
  | { readonly push: true; readonly lead: C; readonly others: readonly C[] }
  | { readonly push: false; readonly others: readonly C[] };

/** How many alarms one push can name. A WeChat template field holds 20 characters: one alarm. */
export const namedAtOnce: Readonly<Record<NoticeChannel, number>> = { app: 12, wechat: 1, webhook: 200 };

/** The most severe first, then the oldest. */
export const byGravity = (
  a: { severity: number; level: number; alarmId: number },
  b: { severity: number; level: number; alarmId: number },
): number => a.severity - b.severity || b.level - a.level || a.alarmId - b.alarmId;

const chunked = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );

/**
 * Groups a round's candidates into pushes, each of which names all its alarms. In a flood (more than ten
 * alarms in ten minutes for one recipient) alarms of severity 3 and 4 get one push in ten minutes; more
 * severe ones are always sent.
 */
export const gather = <C extends Candidate>(
  candidates: readonly C[],
  recently: (target: string, channel: string) => Recently,
): Verdict<C>[] => {
  const groups = Map.groupBy(candidates, (candidate) => `${candidate.target} ${candidate.channel}`);
  return [...groups.values()].flatMap((group): Verdict<C>[] => {
    const { target, channel } = group[0]!;
    const before = recently(target, channel);
    const alarms = [...Map.groupBy(group, (candidate) => candidate.alarmId).values()]
      .map((same) => same.toSorted((a, b) => Number(b.urgent) - Number(a.urgent)))
      .sort((a, b) => Number(b[0]!.urgent) - Number(a[0]!.urgent) || byGravity(a[0]!, b[0]!));
    const size = namedAtOnce[channel];
    const grave = alarms.filter((same) => same.some((candidate) => candidate.urgent || isGrave(candidate)));
    const minor = alarms.filter((same) => !grave.includes(same));
    const flood = before.alarms + alarms.length > floodCount;
    const room = flood ? (before.pushes > 0 || grave.length > 0 ? 0 : size) : minor.length;
    const pushes = chunked([...grave, ...minor.slice(0, room)], size).map((named): Verdict<C> => {
      const [lead, ...others] = named.flat();
      return { push: true, lead: lead!, others };
    });
    const withheld = minor.slice(room).flat();
    return withheld.length > 0 ? [...pushes, { push: false, others: withheld }] : pushes;
  });
};
