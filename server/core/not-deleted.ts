import { type RawBuilder, sql } from 'kysely';

/** The condition for SQL texts that Kysely does not build. */
export const notDeletedSql = (table: string): string => `${table}.deleted_at is null`;

/**
 * Condition that a row exists for users: deleted devices, projects, accounts and others stay as rows, because
 * history refers to them. `table` is the table's name or alias in the statement. The text equals that of the
 * partial indexes.
 */
export const notDeleted = (table: string): RawBuilder<boolean> => sql.raw<boolean>(notDeletedSql(table));
