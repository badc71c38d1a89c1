/** Who is told when: pure decisions over an alarm, a rule and what was sent before (domain reference §3.2). */
import { DateTime } from 'luxon';

const minute = 60_000;
const hour = 60 * minute;
export const floodWindowMs = 10 * minute;
/** More alarms than this for one recipient within the window is a flood. */
export const floodCount = 10;
export const reAlarmMs = 30 * minute;
const digestHour = 8;

export interface TimeWindow {
  /** HH:MM or HH:MM:SS. */
  readonly from: string | null;
  readonly to: string | null;
}
const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

/** Null while the window is open (its end excluded), else when it opens next. It may cross midnight. */
export const opensAt = (window: TimeWindow, at: number, zone: string): number | null => {
  if (window.from === null || window.to === null) return null;
  const from = minutesOf(window.from);
  const to = minutesOf(window.to);
  const local = DateTime.fromMillis(at, { zone });
  const now = local.hour * 60 + local.minute;
  if (from <= to ? now >= from && now < to : now >= from || now < to) return null;
  const opening = local.set({ hour: Math.floor(from / 60), minute: from % 60, second: 0, millisecond: 0 });
  return (opening.toMillis() > at ? opening : opening.plus({ days: 1 })).toMillis();
};

export interface Sent {
  readonly at: number;
  readonly lineId: number;
}
/**
 * Whether a push is silenced by earlier ones of the same rule, device and code. A rise of the level breaks through,
 * and so does the first alarm of severity 1 on a line.
 */
export const isSilenced = (
  silenceMinutes: number,
  before: readonly Sent[],
  alarm: { kind: string; severity: number; lineId: number },
  now: number,
): boolean => {
  const recent = before.filter((sent) => now - sent.at < silenceMinutes * minute);
  if (recent.length === 0 || alarm.kind === 'escalated') return false;
  return !(
    alarm.severity === 1 &&
    alarm.kind === 'raised' &&
    recent.every((sent) => sent.lineId !== alarm.lineId)
  );
};

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
 * Steps of an unprocessed alarm that fell due after `checkedAt` and up to `now`, and when to look again (null: never).
 * Severity 1: contact 2 after 5 min, the region after 15, the platform after 60, and a reminder every 30 min while it
 * stands; severity 2: 30 min and 4 h; 3 and 4: the next morning's digest.
 */
export const stepsDue = (
  alarm: { severity: number; plannedAt: number; checkedAt: number; active: boolean; zone: string },
  now: number,
): { steps: Step[]; nextAt: number | null } => {
  const { severity, plannedAt, checkedAt } = alarm;
  const chain: readonly (readonly [number, Step])[] =
    severity <= 2
      ? (chains[severity] ?? []).map(([after, step]) => [plannedAt + after, step] as const)
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

/** Waits between tries: 15 s, 1, 5, 15, 30 min, 1 h; null when it is given up. */
export const retryAfter = (attempts: number): number | null =>
  [15_000, minute, 5 * minute, 15 * minute, 30 * minute, hour][attempts - 1] ?? null;

export interface Candidate {
  readonly target: string;
  readonly channel: string;
  readonly severity: number;
  readonly level: number;
  readonly alarmId: number;
  readonly urgent: boolean;
}
/** What a target and channel got in the last ten minutes. */
export interface Recently {
  readonly alarms: number;
  readonly pushes: number;
}
export type Verdict<C> =
  | { readonly push: true; readonly lead: C; readonly others: readonly C[] }
  | { readonly push: false; readonly others: readonly C[] };

/**
 * At most one push per recipient and way in a round: the most urgent leads and tells how many there are. In a flood
 * (more than ten alarms in ten minutes) nobody gets more than one push in ten minutes, but for what somebody asked for.
 */
export const gather = <C extends Candidate>(
  candidates: readonly C[],
  recently: (target: string, channel: string) => Recently,
): Verdict<C>[] => {
  const groups = Map.groupBy(candidates, (candidate) => `${candidate.target} ${candidate.channel}`);
  return [...groups.values()].map((group) => {
    const first = group[0]!;
    const before = recently(first.target, first.channel);
    const alarms = new Set(group.map((candidate) => candidate.alarmId)).size;
    const flood = before.alarms + alarms > floodCount;
    const urgent = group.some((candidate) => candidate.urgent);
    if (flood && before.pushes > 0 && !urgent) return { push: false, others: group };
    const lead = group.reduce((best, candidate) => {
      const order =
        Number(candidate.urgent) - Number(best.urgent) ||
        best.severity - candidate.severity ||
        candidate.level - best.level ||
        best.alarmId - candidate.alarmId;
      return order > 0 ? candidate : best;
    });
    return { push: true, lead, others: group.filter((candidate) => candidate !== lead) };
  });
};
