import { type RawBuilder, sql } from 'kysely';

/** The same for SQL texts that are not built by Kysely. */
export const unexplainedSql = (table: string): string => `${table}.suppressed_by is null`;

/**
 * Condition that no other alarm explains this one, for statements that cannot ask `counted_alarms()`: those that write
 * alarms and their tallies. `table` is the alarms' name or alias in the statement.
 */
export const unexplained = (table: string): RawBuilder<boolean> => sql.raw<boolean>(unexplainedSql(table));
