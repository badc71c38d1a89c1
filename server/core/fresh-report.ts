import { type RawBuilder, sql } from 'kysely';
import { freshMs } from '#contract/freshness.ts';

const intervalMs = freshMs(1);

/** `isFresh` as a condition on a time in `column`, for a query of `devices`. */
export const freshSql = (column: string, now: number): RawBuilder<boolean> => {
  const at = sql`${new Date(now)}::timestamptz`;
  const most = sql`${intervalMs}::int * devices.interval_seconds * interval '1 millisecond'`;
  return sql<boolean>`${sql.ref(column)} between ${at} - ${most} and ${at} + ${most}`;
};
