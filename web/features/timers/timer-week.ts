import { type Weekday, weekdays } from '#contract/timers.ts';
import type { Timer } from './timers.query.ts';

/** The fields that decide when a timer switches which line. */
export interface TimerRule extends Record<Weekday, boolean> {
  line_id: number;
  type: 'once' | 'weekly';
  date?: string | null | undefined;
  time: string;
  action: 'open' | 'close';
}

/** Weekday of a calendar date: w1 is Monday. */
export const weekdayOf = (date: string): Weekday =>
  weekdays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7]!;

const daysOf = (rule: TimerRule): readonly Weekday[] =>
  rule.type === 'weekly' ? weekdays.filter((day) => rule[day]) : rule.date ? [weekdayOf(rule.date)] : [];

/** Whether two timers act on one line in opposite ways in the same minute. */
export const conflict = (one: TimerRule, other: TimerRule): boolean => {
  if (one.line_id !== other.line_id || one.time !== other.time || one.action === other.action) return false;
  if (one.type === 'once' && other.type === 'once') return one.date === other.date;
  const days = daysOf(other);
  return daysOf(one).some((day) => days.includes(day));
};

interface WeekEntry {
  timer: Timer;
  conflict: boolean;
}
/** The weekly timers by weekday and time. */
export const weekOf = (timers: readonly Timer[]): Record<Weekday, readonly WeekEntry[]> => {
  const weekly = timers.filter(({ type }) => type === 'weekly');
  const standing = timers.filter(({ enabled, done }) => enabled && !done);
  const on = (day: Weekday): readonly WeekEntry[] =>
    weekly
      .filter((timer) => timer[day])
      .toSorted((a, b) => a.time.localeCompare(b.time) || a.line_id - b.line_id)
      .map((timer) => ({
        timer,
        conflict: timer.enabled && standing.some((other) => other[day] && conflict(timer, other)),
      }));
  return Object.fromEntries(weekdays.map((day) => [day, on(day)])) as Record<Weekday, readonly WeekEntry[]>;
};
