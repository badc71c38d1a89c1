import { inject } from 'vitest';
import { createDatabase, type TestDatabase } from './postgres.ts';

export type { TestDatabase };

/** A database of the newest schema that no other test uses. */
export const freshDatabase = (): Promise<TestDatabase> => createDatabase(inject('postgresUrl'));
