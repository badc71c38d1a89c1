/**
 * A statement that changes which alarms of a day count, or their content, notes the day, so that the daily
 * figures (`server/alarm-statistics/day-pack.ts`) are never older than the alarms.
 */

/**
 * Notes the days of the rows of a common table expression with `raised_at`. Days that no node has packed are
 * skipped.
 */
export const noteChangedDays = (rows: string, condition = 'true'): string =>
  `insert into alarm_days_changed (day)
    select distinct (raised_at at time zone 'UTC')::date from ${rows}
    where raised_at < (select until from alarm_days_closed) and (${condition})`;
