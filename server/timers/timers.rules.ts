import { IANAZone } from 'luxon';
import { type Weekday, weekdays } from '#contract/timers.ts';
import { instantOf, offsetMs } from '#server/core/local-time.ts';
import { defaultZone } from '#server/core/zone.ts';

/** When a timer runs, in local time of its project. `days`: bit 0 Monday … bit 6 Sunday. */
export interface TimerRule {
  type: 'once' | 'weekly';
  days: number;
  /** yyyy-MM-dd, for a once timer. */
  date: string | null;
  /** HH:mm. */
  time: string;
}
/** A run that is later than this does not fire. */
export const mostLateMs = 120_000;
const dayMs = 86_400_000;

/** Midnight (as if in UTC) of the local day that contains an instant. */
const localDay = (at: number, zone: IANAZone): number => {
  const local = at + offsetMs(zone, at);
  return local - (((local % dayMs) + dayMs) % dayMs);
};
const weekdayOf = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;

export const zoneNamed = (name: string): IANAZone => {
  const zone = IANAZone.create(name);
  return zone.isValid ? zone : IANAZone.create(defaultZone);
};

/** The first run after an instant; null for a once timer in the past. */
export const nextRun = (rule: TimerRule, zone: IANAZone, after: number): number | null => {
  if (rule.type === 'once') {
    const at = instantOf(Date.parse(`${rule.date}T00:00:00Z`), rule.time, zone);
    return at > after ? at : null;
  }
  // A clock change may have moved a run of the previous day past midnight.
  const first = localDay(after, zone) - dayMs;
  for (let day = first; day <= first + 9 * dayMs; day += dayMs) {
    if (((rule.days >> weekdayOf(day)) & 1) === 0) continue;
    const at = instantOf(day, rule.time, zone);
    if (at > after) return at;
  }
  return null;
};

/** Every run in (`from`, `to`], at most `most`. */
export const runsBetween = (
  rule: TimerRule,
  zone: IANAZone,
  from: number,
  to: number,
  most = Number.POSITIVE_INFINITY,
): number[] => {
  const runs: number[] = [];
  for (let at = nextRun(rule, zone, from); at !== null && at <= to; at = nextRun(rule, zone, at)) {
    if (runs.length >= most) break;
    runs.push(at);
  }
  return runs;
};

export const runsAt = (rule: TimerRule, zone: IANAZone, at: number): boolean =>
  nextRun(rule, zone, at - 1) === at;

/** Marks runs of one line in one minute with opposite positions; the opening one wins. */
export const withConflicts = <Run extends { lineId: number; at: number; action: 'open' | 'close' }>(
  runs: readonly Run[],
): (Run & { conflict: boolean; wins: boolean })[] => {
  const asked = new Map<string, Set<string>>();
  const key = (run: Run) => `${run.lineId} ${run.at}`;
  for (const run of runs) asked.set(key(run), (asked.get(key(run)) ?? new Set()).add(run.action));
  return runs.map((run) => {
    const conflict = asked.get(key(run))!.size > 1;
    return { ...run, conflict, wins: conflict && run.action === 'open' };
  });
};

export const daysOf = (given: Readonly<Record<Weekday, boolean>>): number =>
  weekdays.reduce((days, name, index) => days | (given[name] ? 1 << index : 0), 0);
export const namedDays = (days: number): Record<Weekday, boolean> => ({
  w1: (days & 1) !== 0,
  w2: (days & 2) !== 0,
  w3: (days & 4) !== 0,
  w4: (days & 8) !== 0,
  w5: (days & 16) !== 0,
  w6: (days & 32) !== 0,
  w7: (days & 64) !== 0,
});
