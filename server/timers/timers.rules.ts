import { IANAZone } from 'luxon';
import { type Weekday, weekdays } from '#contract/timers.ts';
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
const minuteMs = 60_000;
const dayMs = 86_400_000;
const probes = [-dayMs, -dayMs / 2, 0, dayMs / 2, dayMs];

const mostOffsets = 20_000;
const offsets = new Map<string, Map<number, number>>();
let knownOffsets = 0;
/**
 * The zone's offset at an instant, in ms. Calculating it is slow, and timers that come due together need the
 * same one.
 */
const offsetMs = (zone: IANAZone, at: number): number => {
  if (knownOffsets >= mostOffsets) {
    offsets.clear();
    knownOffsets = 0;
  }
  const ofZone = offsets.get(zone.name) ?? new Map<number, number>();
  const known = ofZone.get(at);
  if (known !== undefined) return known;
  offsets.set(zone.name, ofZone);
  const reckoned = zone.offset(at) * minuteMs;
  ofZone.set(at, reckoned);
  knownOffsets += 1;
  return reckoned;
};

/** `hour` and `minute` of a local day in UTC, as if the zone had no offset. */
const wall = (day: number, time: string): number =>
  day + (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs;
/** Midnight (as if in UTC) of the local day that contains an instant. */
const localDay = (at: number, zone: IANAZone): number => {
  const local = at + offsetMs(zone, at);
  return local - (((local % dayMs) + dayMs) % dayMs);
};
const weekdayOf = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;

/** The first instant in (`from`, `to`] since which the zone has its offset of `to`. */
const changeBetween = (from: number, to: number, zone: IANAZone): number => {
  const after = offsetMs(zone, to);
  let [before, changed] = [from, to];
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (zone.offset(middle) * minuteMs === after) changed = middle;
    else before = middle;
  }
  return changed;
};

/**
 * The instant of a local time, in ms. A skipped time is the first instant after the gap; a repeated one is
 * the first of both. Source: domain reference §4.3.
 */
export const instantOf = (day: number, time: string, zone: IANAZone): number => {
  const local = wall(day, time);
  const around = [...new Set(probes.map((probe) => offsetMs(zone, local + probe)))];
  const candidates = around.map((offset) => local - offset).sort((a, b) => a - b);
  const valid = candidates.find((at) => at + offsetMs(zone, at) === local);
  return valid ?? changeBetween(candidates[0]!, candidates.at(-1)!, zone);
};

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
