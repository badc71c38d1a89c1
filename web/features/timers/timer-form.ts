import type { InputOf } from '#contract/endpoint.ts';
import { type timerEndpoints, type Weekday, weekdays } from '#contract/timers.ts';
import type { TimerRule } from './timer-week.ts';
import type { Timer } from './timers.query.ts';

export interface TimerValues {
  device_id?: number | undefined;
  line_id?: number | undefined;
  type: 'once' | 'weekly';
  days: Weekday[];
  date?: string;
  time?: string;
  action?: 'open' | 'close';
  run_by: 'server' | 'device';
  enabled: boolean;
}
export const workdays: readonly Weekday[] = ['w1', 'w2', 'w3', 'w4', 'w5'];

const dayFlags = (days: readonly Weekday[]) =>
  Object.fromEntries(weekdays.map((day) => [day, days.includes(day)])) as Record<Weekday, boolean>;

/** The rule in the form of the call; fields of other types are left out. */
export const bodyOf = (values: Partial<TimerValues>) => {
  const { line_id, type, days, date, time, action, run_by, enabled } = values;
  const isWeekly = type === 'weekly';
  return {
    line_id,
    type,
    ...dayFlags(isWeekly ? (days ?? []) : []),
    ...(isWeekly ? {} : { date: date || undefined }),
    time: time ?? '',
    action,
    run_by,
    enabled: enabled ?? true,
  };
};
export type AddBody = InputOf<typeof timerEndpoints.add>;

export const valuesOf = (timer: Timer): TimerValues => ({
  device_id: timer.device_id,
  line_id: timer.line_id,
  type: timer.type,
  days: weekdays.filter((day) => timer[day]),
  ...(timer.date === null ? {} : { date: timer.date }),
  time: timer.time,
  action: timer.action,
  run_by: timer.run_by,
  enabled: timer.enabled,
});

/** The rule that is being edited; null until it can be compared with others. */
export const ruleOf = (values: Partial<TimerValues>): TimerRule | null => {
  const { line_id, type, days, date, time, action } = values;
  if (line_id === undefined || type === undefined || !time || action === undefined) return null;
  return { line_id, type, date, time, action, ...dayFlags(days ?? []) };
};
