import { sql } from 'kysely';
import { freshSql } from './fresh-report.ts';

/**
 * Counts of lines by position, for the select list of a query that groups `lines` of `devices` with their
 * `latest`. Only lines with a switch have a position. A position is unknown if it is stale by `isFresh` or
 * was never reported. `lines_last_closed` counts the unknown lines that were closed in their last report;
 * `position_at` is the time of the oldest such report.
 */
export const positionCounts = (now: number) => {
  const fresh = sql`(latest.position is not null and ${freshSql('latest.position_at', now)})`;
  const stale = sql`lines.switchable and ${fresh} is not true`;
  return sql`
    count(*) filter (where lines.switchable and ${fresh} and latest.position = 0) as lines_open,
    count(*) filter (where lines.switchable and ${fresh} and latest.position = 1) as lines_closed,
    count(*) filter (where ${stale}) as lines_unknown,
    count(*) filter (where ${stale} and latest.position = 1) as lines_last_closed,
    min(latest.position_at) filter (where ${stale} and latest.position is not null) as position_at`;
};

/** Lines that a trip has opened, however old the report: a trip lasts until a newer report ends it. */
export const trippedCount = sql`count(*) filter (where lines.switchable and latest.trip <> 0) as lines_tripped`;
