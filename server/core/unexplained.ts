import { type RawBuilder, sql } from 'kysely';

/** The condition for SQL texts that Kysely does not build. */
export const unexplainedSql = (table: string): string => `${table}.suppressed_by is null`;

/**
 * Condition that no other alarm explains this one, for statements that cannot use `counted_alarms()`: those
 * that write alarms and their totals. `table` is the name or alias of the alarms in the statement.
 */
export const unexplained = (table: string): RawBuilder<boolean> => sql.raw<boolean>(unexplainedSql(table));
