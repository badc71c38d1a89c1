import { inject } from 'vitest';
import { createDatabase, type TestDatabase } from './postgres.ts';

export type { TestDatabase };

/** A database with the newest schema for one test file only. */
export const freshDatabase = (): Promise<TestDatabase> => createDatabase(inject('postgresUrl'));
