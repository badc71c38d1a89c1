/**
 * A statement that changes which alarms of a day count, or what they are, notes the day, so that the figures packed by
 * day (`server/alarm-statistics/day-pack.ts`) are never older than the alarms.
 */

/** Notes the days of the rows of a common table expression that has `raised_at`. Days that no node has packed are skipped. */
export const noteChangedDays = (rows: string, condition = 'true'): string =>
  `insert into alarm_days_changed (day)
    select distinct (raised_at at time zone 'UTC')::date from ${rows}
    where raised_at < (select until from alarm_days_closed) and (${condition})`;
