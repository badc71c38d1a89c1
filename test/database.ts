import type pg from 'pg';
import { inject } from 'vitest';
import { createDatabase, type TestDatabase } from './postgres.ts';

export type { TestDatabase };

/** A database with the newest schema for one test file only. */
export const freshDatabase = (): Promise<TestDatabase> => createDatabase(inject('postgresUrl'));

/** What the engine stores of alarms, and what their types and numbers come from. */
export const alarmTables = [
  'alarm_history',
  'alarm_events',
  'alarm_tallies',
  'alarms',
  'work_orders',
  'alarm_types',
  'line_conditions',
] as const;

/** Deletes all rows; for few rows cheaper than `truncate`, which makes new files of every partition and index. */
export const emptyTables = async (pool: pg.Pool, ...tables: readonly string[]): Promise<void> => {
  await pool.query(tables.map((table) => `delete from ${table}`).join(';'));
};
